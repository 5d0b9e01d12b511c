#include "study/climb.h"

#include <algorithm>
#include <cmath>

#include "os/interruption.h"
#include "search/forecast.h"
#include "search/staircase.h"
#include "study/roof_readings.h"

namespace rooftune::study {
namespace {

/// Steps that a reader takes in at a glance; the small ones come beside.
constexpr std::size_t most_steps = 5;
/// Values tried beside the winner, and the gain that a model must expect of each.
constexpr std::size_t most_tried = 2;
constexpr double least_expected = 0.005;
/// A value slower than the winner by more is not raced.
constexpr double behind = 1.1;
constexpr int most_rounds = 16, least_rounds = 3;

class Climber {
 public:
  explicit Climber(const ClimbSetting& setting, const Configuration& found)
      : set_(setting),
        found_(found),
        baseline_(setting.space.baseline()),
        limit_(std::max(0.0, setting.schedule.left_for(Part::staircase))),
        begin_(setting.schedule.elapsed()) {}

  std::optional<StaircaseRace> run() {
    StaircaseRace result;
    result.found = found_;
    result.given = set_.options.path;
    std::vector<Configuration> steps = result.given ? set_.options.first : planned(result);
    if (steps.empty() || !(steps.front() == baseline_)) steps.insert(steps.begin(), baseline_);
    if (std::ranges::find(steps, found_) == steps.end()) steps.push_back(found_);
    const std::vector<Configuration> tried =
        result.given ? std::vector<Configuration>{} : promising();
    make_trials(steps, tried, result);
    std::erase_if(steps, [&](const Configuration& one) { return !ok(one); });
    if (!result.given) drop_slower(steps);
    result.winner = steps.size() - 1;
    const double best = seconds(found_);
    for (const Configuration& one : tried)
      if (ok(one) && seconds(one) < behind * best) steps.push_back(one);
    result.race.configurations = std::move(steps);
    result.race.with_baseline = true;
    if (!race(result)) return std::nullopt;
    return result;
  }

 private:
  const History& history() const { return set_.recorder.record().history; }
  double left() const { return limit_ - (set_.schedule.elapsed() - begin_); }
  const Trial* trial(const Configuration& one) const {
    const Trial* found = history().find(one);
    return found && found->ok() ? found : nullptr;
  }
  bool ok(const Configuration& one) const { return trial(one) != nullptr; }
  double seconds(const Configuration& one) const { return trial(one)->measurement->seconds.value; }

  /// As many steps as there is time for their builds, and half of it for the race.
  std::vector<Configuration> planned(StaircaseRace& result) const {
    const auto changed = search::changed_knobs(set_.space, history(), baseline_, found_);
    const double each = std::max(1e-3, pace(history()).trial(set_.options.builders));
    const auto affordable = static_cast<std::size_t>(std::min(1e3, left() / 2 / each));
    if (affordable < most_steps && affordable < changed.size()) result.shortened_because = no_time;
    return search::planned_stairs(set_.space, changed, baseline_, found_,
                                  std::min(most_steps, affordable));
  }

  /// Untried values of one knob beside the winner, those of which most is expected.
  std::vector<Configuration> promising() const {
    std::vector<Configuration> open;
    for (const Configuration& one : set_.space.neighbours(found_))
      if (!history().tried(one)) open.push_back(one);
    const std::vector<double> gains = search::expected_gains(set_.space, history(), open);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < gains.size(); ++i)
      if (gains[i] >= least_expected) order.push_back(i);
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return gains[i]; });
    order.resize(std::min(order.size(), most_tried));
    std::vector<Configuration> chosen;
    for (const std::size_t i : order) chosen.push_back(open[i]);
    return chosen;
  }

  /// Builds what is missing side by side, then tries it: first the steps, while half of the time is
  /// left for the race.
  void make_trials(const std::vector<Configuration>& steps, const std::vector<Configuration>& tried,
                   StaircaseRace& result) {
    std::vector<Configuration> missing;
    for (const std::vector<Configuration>& all : {steps, tried})
      for (const Configuration& one : all)
        if (!history().tried(one)) missing.push_back(one);
    const double each = pace(history()).trial(set_.options.builders);
    const auto affordable = static_cast<std::size_t>(
        std::clamp(left() / 2 / std::max(each, 1e-3), 0.0, static_cast<double>(missing.size())));
    if (affordable < missing.size()) result.shortened_because = no_time;
    missing.resize(affordable);
    if (missing.size() > 1 && set_.options.builders > 1)
      in_time(left(), [&] { set_.evaluator.build(missing); });
    for (const Configuration& one : missing) {
      set_.options.throw_if_interrupted();
      const bool is_step = std::ranges::find(steps, one) != steps.end();
      if (left() < limit_ / 4) {
        result.shortened_because = no_time;
        return;
      }
      in_time(left(), [&] { set_.evaluate(one, is_step ? because_step : because_next); });
    }
  }

  /// A step slower than the one before is part of the next one: it needs it.
  void drop_slower(std::vector<Configuration>& steps) const {
    std::vector<Configuration> kept{steps.front()};
    for (std::size_t i = 1; i < steps.size(); ++i)
      if (i + 1 == steps.size() || seconds(steps[i]) < seconds(kept.back()))
        kept.push_back(steps[i]);
    steps = std::move(kept);
  }

  /// False where it refuted a configuration.
  bool race(StaircaseRace& result) {
    Race& race = result.race;
    double round = 0, entering = 0;
    for (const Configuration& one : race.configurations) {
      round += wall_of_round(*trial(one));
      entering += wall_of_entering(*trial(one));
    }
    if (set_.schedule.is_limited() && entering + least_rounds * round > left()) {
      result.shortened_because = no_time;
      return true;
    }
    RoofReadings roofs(set_.options, Seconds(seconds(found_)), Seconds(seconds(baseline_)));
    const double checks = entering / 2;
    Rounds until_now;
    const auto after = [&](const Rounds& all) {
      set_.options.throw_if_interrupted();
      roofs.read();
      until_now = all;
      Race seen = race;
      append(seen, all);
      const auto done = static_cast<int>(all.seconds.size());
      AfterRound now;
      now.leave = settled(seen, result.winner);
      const bool known = now.leave.size() + 1 == race.configurations.size();
      now.over = known || done >= most_rounds ||
                 (set_.schedule.is_limited() && done >= least_rounds && left() < checks + round);
      return now;
    };
    Rounds rounds;
    const bool ended = in_time(set_.schedule.is_limited() ? left() : HUGE_VAL, [&] {
      rounds = set_.evaluator.race(race.configurations, most_rounds, set_.options.seed, after);
    });
    if (!rounds.refuted.empty()) return false;
    append(race, ended ? rounds : until_now);
    if (!ended) result.shortened_because = no_time;
    if (race.inputs.empty()) race.roofs = roofs.first_rounds(race.seconds.size());
    return true;
  }

  const ClimbSetting& set_;
  const Configuration& found_;
  const Configuration baseline_;
  const double limit_, begin_;
};

}  // namespace

std::optional<StaircaseRace> climb(const ClimbSetting& setting, const Configuration& found) {
  return Climber(setting, found).run();
}

}  // namespace rooftune::study
