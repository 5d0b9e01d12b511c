// A synthetic evaluator: times come from a formula, so a search needs neither compiler nor clock.
#pragma once
#include <functional>

#include "roofline/roofline.h"
#include "trial/evaluator.h"

namespace rooftune::synthetic {

/// Two integer knobs in [0, 9]; the baseline is (0, 0).
inline SearchSpace grid() {
  std::vector<Knob> knobs(2);
  for (int k = 0; k < 2; ++k) {
    knobs[static_cast<std::size_t>(k)].name = k == 0 ? "x" : "y";
    for (int v = 0; v < 10; ++v) knobs[static_cast<std::size_t>(k)].values.emplace_back(v);
    knobs[static_cast<std::size_t>(k)].fallback = Value(0);
    knobs[static_cast<std::size_t>(k)].breaks = {Paradigm::ilp};
  }
  return SearchSpace("grid", knobs, {}, {});
}

/// 1 + distance from (7, 3), in milliseconds.
inline double valley(const Configuration& c) {
  const double dx = c.at("x").real() - 7, dy = c.at("y").real() - 3;
  return 1e-3 * (1 + dx * dx + dy * dy);
}

inline Bound bound_of(double seconds) {
  Bound bound;
  bound.time = bound.low = bound.high = Seconds(seconds);
  bound.ceiling = "synthetic";
  return bound;
}

class SyntheticEvaluator : public Evaluator {
 public:
  using Time = std::function<double(const Configuration&)>;
  explicit SyntheticEvaluator(Time time) : time_(std::move(time)) {}
  /// Configurations that do not end as ok.
  std::function<Outcome(const Configuration&)> outcome = [](const Configuration&) {
    return Outcome::ok;
  };
  Cost cost{0, 0, 0, 0.5};  ///< of every trial
  std::vector<Configuration> evaluated;
  std::vector<std::vector<Configuration>> built;  ///< ahead, together
  int raced_rounds = 0, races = 0;
  /// What is wrong with a configuration that has raced; empty: nothing.
  std::function<std::string(const Configuration&)> refute = [](const Configuration&) {
    return std::string();
  };
  /// Time of a configuration in a race of so many, where that differs from its own.
  std::function<double(const Configuration&, std::size_t)> race_time;

  /// Called after a round of those that have not left.
  std::function<void(const std::vector<Configuration>&, const std::vector<bool>& left)> spend =
      [](const auto&, const auto&) {};

  Disturbed disturbed;  ///< of each ten rounds

  /// Why so many cannot race; empty: they can.
  std::function<std::string(std::size_t)> race_fault = [](std::size_t) { return std::string(); };

  void build(const std::vector<Configuration>& configurations) override {
    built.push_back(configurations);
  }
  Trial evaluate(const Configuration& configuration, std::optional<double>) override {
    evaluated.push_back(configuration);
    Trial trial;
    trial.configuration = configuration;
    trial.outcome = outcome(configuration);
    trial.cost = cost;
    if (trial.outcome != Outcome::ok) return trial;
    const double t = time_(configuration);
    Measurement measurement;
    measurement.seconds = {t, t, t};
    measurement.best = measurement.median = t;
    trial.measurement = measurement;
    return trial;
  }
  Rounds race(const std::vector<Configuration>& configurations, const RacePlan& how,
              const Between& between) override {
    Rounds result;
    ++races;
    result.fault = race_fault(configurations.size());
    if (!result.fault.empty()) return result;
    Rng rng(how.seed, 0);
    std::vector<bool> left(configurations.size());
    for (int r = 0; r < how.rounds; ++r, ++raced_rounds) {
      const double drift = 1 + 0.5 * rng.unit();  // common to the round, so pairing removes it
      std::vector<double> seconds;
      for (std::size_t c = 0; c < configurations.size(); ++c)
        seconds.push_back(left[c] ? 0
                                  : (race_time ? race_time(configurations[c], configurations.size())
                                               : time_(configurations[c])) *
                                        drift);
      result.seconds.push_back(seconds);
      for (DisturbedSample one : disturbed)
        if (one.round == static_cast<std::size_t>(r) % 10) {
          one.round = static_cast<std::size_t>(r);
          result.disturbed.push_back(one);
        }
      spend(configurations, left);
      const AfterRound after = between ? between(result) : AfterRound{};
      if (after.over) break;
      for (const std::size_t c : after.leave) left[c] = true;
    }
    for (const auto& configuration : configurations)
      if (std::string fault = refute(configuration); !fault.empty())
        result.refuted.push_back({configuration, std::move(fault)});
    if (!result.refuted.empty()) result.seconds.clear();
    return result;
  }

 private:
  Time time_;
};

}  // namespace rooftune::synthetic
