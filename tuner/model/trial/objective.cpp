#include "trial/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"

namespace rooftune::trial {
namespace {

/// A configuration slower than the best's interval by this share is dropped.
constexpr double noise = 0.02;

bool measured(const Measurement& input) { return !input.samples.empty(); }

/// One figure from every input; `absent` where it was not measured.
template <typename Figure>
Numbers figures(const Measurement& all, const Numbers& absent, const Figure& figure) {
  Numbers result;
  for (const size_t i : indices(all.inputs))
    result.push_back(measured(all.inputs[i]) ? figure(all.inputs[i]) : absent[i]);
  return result;
}

/// How much slower than the best the measured inputs are, in their geometric mean.
double slowdown(const Measurement& all, const Measurement& best) {
  double sum = 0, count = 0;
  for (const size_t i : indices(all.inputs)) {
    if (!measured(all.inputs[i])) continue;
    sum += std::log(all.inputs[i].seconds.value / best.inputs[i].seconds.value);
    ++count;
  }
  return std::exp(sum / count);
}

class ManyInputs : public Evaluator {
 public:
  ManyInputs(Objective objective, EvaluatedInputs inputs, const History& history)
      : objective_(std::move(objective)), inputs_(std::move(inputs)), history_(history) {}

  void build(const Configurations& configurations) override {
    // Inputs share their variants: the first builds, the others find them built.
    for (const EvaluatedInput& input : inputs_) input.evaluator->build(configurations);
  }
  /// Takes input after input, first that on which the best has its largest gap. A configuration
  /// that cannot win even with the rest at its bound is dropped, with the proof in `detail`: such a
  /// trial is ok, and its measurement is not complete(). Failing on one input fails the trial.
  Trial evaluate(const Configuration& configuration, std::optional<double> wanted) override {
    const Measurement* best = incumbent(wanted);
    Trial trial;
    trial.configuration = configuration;
    trial.started = utc_now();
    std::string told;
    Measurement all;
    all.inputs.resize(inputs_.size());
    for (const size_t i : order(best)) {
      std::optional<double> limit;
      if (best) limit = objective_.share(best->seconds.high * (1 + noise), least(all, *best), i);
      const Trial one = inputs_[i].evaluator->evaluate(configuration, limit);
      trial.cost += one.cost;
      if (trial.artefact.empty()) trial.artefact = one.artefact;
      if (!one.ok()) {
        trial.outcome = one.outcome;
        trial.detail = name_of(i) + ": " + one.detail;
        return trial;
      }
      all.inputs[i] = *one.measurement;
      if (told.empty() && !one.detail.empty()) told = name_of(i) + ": " + one.detail;
      if (best) trial.detail = why_dominated(all, *best);
      if (!trial.detail.empty()) break;
    }
    if (trial.detail.empty()) trial.detail = told;
    conclude(all, best);
    trial.measurement = std::move(all);
    return trial;
  }
  /// Runs one input's rounds after another's, interleaved within each. `between` is never called:
  /// no moment lies between two rounds of all.
  Rounds race(const Configurations& configurations, const RacePlan& how, const Between&) override {
    Rounds result;
    size_t complete = size_t(std::max(how.rounds, 0));
    for (const size_t i : indices(inputs_)) {
      Rounds one = inputs_[i].evaluator->race(configurations, how);
      if (!one.fault.empty() && result.fault.empty()) result.fault = name_of(i) + ": " + one.fault;
      for (Refuted& refuted : one.refuted) {
        refuted.detail = name_of(i) + ": " + refuted.detail;
        result.refuted.push_back(std::move(refuted));
      }
      complete = std::min(complete, one.seconds.size());
      // Neighbours add at most as much to a mean, or to the largest, as they add to some input.
      for (const DisturbedSample& sample : one.disturbed) {
        auto* const same = first_where(result.disturbed, [&](const DisturbedSample& known) {
          return known.round == sample.round && known.configuration == sample.configuration;
        });
        if (!same)
          result.disturbed.push_back(sample);
        else
          same->lost = same->lost < 0 || sample.lost < 0 ? -1 : std::max(same->lost, sample.lost);
      }
      result.inputs.push_back(std::move(one.seconds));
    }
    for (auto& input : result.inputs) input.resize(complete);
    std::erase_if(result.disturbed, [&](const auto& sample) { return sample.round >= complete; });
    for (size_t r = 0; r < complete; ++r) {
      Numbers round;
      for (const size_t c : indices(configurations)) {
        Numbers seconds;
        for (const auto& input : result.inputs) seconds.push_back(input[r][c]);
        round.push_back(objective_.time(seconds));
      }
      result.seconds.push_back(std::move(round));
    }
    return result;
  }

 private:
  /// The trial that the session compares with this one.
  const Measurement* incumbent(std::optional<double> seconds) const {
    for (const Trial& trial : history_.trials())
      if (seconds && trial.ok() && trial.measurement->inputs.size() == inputs_.size() &&
          trial.measurement->complete() && trial.seconds() == *seconds)
        return &*trial.measurement;
    return nullptr;
  }
  Indices order(const Measurement* best) const {
    Indices order = all_places(inputs_.size());
    if (!best) return order;
    const auto gap = [&](size_t i) {
      return best->inputs[i].seconds.value / objective_.bounds()[i];
    };
    stable_sort(order, [&](size_t a, size_t b) { return gap(a) > gap(b); });
    return order;
  }
  /// The least times [s] the trial can end with: the measured ones, and for the rest the bound.
  Numbers least(const Measurement& known, const Measurement& best) const {
    Numbers rest;
    // A best above the roof has disproved its input's bound.
    for (const size_t i : indices(inputs_))
      rest.push_back(std::min(objective_.bounds()[i], best.inputs[i].seconds.low));
    return figures(known, rest, [](const Measurement& input) { return input.seconds.low; });
  }
  std::string why_dominated(const Measurement& known, const Measurement& best) const {
    if (known.complete()) return {};
    const double time = objective_.time(least(known, best));
    if (time <= best.seconds.high * (1 + noise)) return {};
    std::string seen;
    for (const size_t i : indices(inputs_))
      if (measured(known.inputs[i])) join(seen, name_of(i));
    return fmt::format(
        "not measured further than {}: with the rest at its bound {} would be {:.3g}, that of the "
        "best is {:.3g}",
        seen, described(objective_.aim()), time / objective_.bound(),
        best.seconds.value / objective_.bound());
  }
  void conclude(Measurement& all, const Measurement* best) const {
    Numbers absent(inputs_.size(), 0);
    // A mean needs all inputs: the rest is assumed as much slower than the best as the measured
    // ones. The largest gap is at least the measured ones' largest.
    if (!all.complete() && objective_.aim() == Objective::Aim::mean)
      for (const size_t i : indices(inputs_))
        absent[i] = best->inputs[i].seconds.value * slowdown(all, *best);
    const auto time = [&](const auto& figure) {
      return objective_.time(figures(all, absent, figure));
    };
    all.seconds = {time([](const Measurement& input) { return input.seconds.value; }),
                   time([](const Measurement& input) { return input.seconds.low; }),
                   time([](const Measurement& input) { return input.seconds.high; })};
    all.best = time([](const Measurement& input) { return input.best; });
    all.median = time([](const Measurement& input) { return input.median; });
    for (const Measurement& input : all.inputs) {
      all.disturbed = all.disturbed || input.disturbed;
      all.prepare_seconds += input.prepare_seconds;
      all.max_error = std::max(all.max_error, input.max_error);
    }
  }
  std::string name_of(size_t input) const {
    return fmt::format("input {} ({})", input + 1, inputs_[input].name);
  }

  Objective objective_;
  EvaluatedInputs inputs_;
  const History& history_;
};

}  // namespace

double geometric_mean(const Numbers& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / double(values.size()));
}

Objective::Objective(Aim aim, Numbers bounds) : aim_(aim), bounds_(std::move(bounds)) {
  if (bounds_.size() < 2) throw Error("an objective needs several inputs");
  bound_ = geometric_mean(bounds_);
}

double Objective::gap(const Numbers& seconds) const {
  Numbers gaps;
  for (const size_t i : indices(bounds_)) gaps.push_back(seconds[i] / bounds_[i]);
  return aim_ == Aim::mean ? geometric_mean(gaps) : *max_element(gaps);
}

Estimate Objective::time(const Estimates& seconds) const {
  return {time(members(seconds, &Estimate::value)), time(members(seconds, &Estimate::low)),
          time(members(seconds, &Estimate::high))};
}

double Objective::share(double time, Numbers seconds, size_t input) const {
  if (aim_ == Aim::minimax) return time / bound_ * bounds_[input];
  seconds[input] = bounds_[input];
  const double ratio = time / this->time(seconds);
  return bounds_[input] * std::pow(ratio, double(bounds_.size()));
}

std::string described(Objective::Aim aim) {
  return aim == Objective::Aim::mean ? "the geometric mean of the gaps" : "the largest gap";
}

std::shared_ptr<Evaluator> many_inputs(Objective objective, EvaluatedInputs inputs,
                                       const History& history) {
  return std::make_shared<ManyInputs>(std::move(objective), std::move(inputs), history);
}

}  // namespace rooftune::trial
