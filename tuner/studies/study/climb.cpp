#include "study/climb.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/list.h"
#include "os/interruption.h"
#include "search/forecast.h"
#include "search/staircase.h"
#include "space/knob.h"
#include "study/timed_race.h"

namespace rooftune::study {
namespace {

/// As many steps as a reader takes in at a glance; small ones are joined.
constexpr size_t most_steps = 5;
/// How many values are tried beside the winner, and the gain that a model must expect from each.
constexpr size_t most_tried = 2;
constexpr double least_expected = 0.005;
/// A value slower than the winner by more than this factor does not race.
constexpr double behind = 1.1;
/// Up to this many steps are worth trying even where no time is left to count them.
constexpr size_t most_uncounted = 2;
/// Beyond enough rounds, time is better spent on counts.
constexpr int most_rounds = 16, enough_rounds = 4, least_rounds = 3;
/// The race may end after any round, when enough is known; its looks are then fewer than these.
constexpr int looks = 5;

constexpr const char* steps_joined =
    "some are joined: no time was left, a longer --budget measures them";
constexpr const char* not_raced =
    "they did not race: no time was left, a longer --budget measures them";

class Climber {
 public:
  Climber(const ClimbSetting& setting, const Configuration& found, const Configurations& rivals)
      : set_(setting),
        found_(found),
        baseline_(setting.space.baseline()),
        limit_(std::max(0.0, setting.schedule.left_for(Part::staircase))),
        begin_(setting.schedule.elapsed()) {
    for (const Configuration& one : rivals)
      if (ok(one) && one != baseline_ && has_time_beside(one)) rivals_.push_back(one);
  }

  std::optional<StaircaseRace> run() {
    StaircaseRace result;
    result.found = found_;
    result.given = set_.options.path.has_value();
    Configurations steps = result.given ? set_.options.first : planned(result);
    if (steps.empty() || steps.front() != baseline_) steps.insert(steps.begin(), baseline_);
    add_once(steps, found_);
    const Configurations tried = result.given ? Configurations{} : promising();
    make_trials(steps, tried, result);
    std::erase_if(steps, [&](const Configuration& one) { return !ok(one); });
    if (!result.given) drop_slower(steps);
    result.winner = steps.size() - 1;
    for (const Configuration& one : tried)
      if (ok(one) && seconds(one) < behind * seconds(found_)) steps.push_back(one);
    for (const Configuration& one : rivals_) add_once(steps, one);
    result.race.configurations = std::move(steps);
    result.race.with_baseline = true;
    result.race.looks = looks;
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
  double seconds(const Configuration& one) const { return trial(one)->seconds(); }

  /// How long the shortest race of these is likely to take, with their checks [s].
  double race_time(const Configurations& all) const {
    double sum = 0;
    for (const Configuration& one : all) sum += wall_in_race(*trial(one), least_rounds);
    return sum;
  }
  /// How long an untried step between baseline and winner is likely to take: build, trial and race
  /// [s]. A build takes as long as those that did not come from the cache.
  double step_time() const {
    constexpr double cached = 0.05;
    double builds = 0, count = 0;
    for (const Trial& one : history().trials())
      if (one.cost.build > cached) builds += one.cost.build, ++count;
    const double build = count > 0 ? builds / count : 0;
    return build / set_.options.builders + pace(history()).run + race_time({baseline_, found_}) / 2;
  }
  /// Time to count stairs between baseline and winner [s].
  double counting_time(size_t stairs) const {
    return set_.options.counts ? double(stairs) * likely_to_count(*trial(found_), pace(history()),
                                                                  set_.options.builders)
                               : 0;
  }
  /// Who races in any case: baseline, found and rivals.
  Configurations certain() const {
    Configurations all{baseline_, found_};
    append(all, rivals_);
    return all;
  }
  /// Half the time is for steps.
  bool has_time_beside(const Configuration& rival) const {
    return !set_.schedule.is_limited() || race_time(certain()) + race_time({rival}) < limit_ / 2;
  }
  /// For how many untried steps and values there is time, with the race that follows.
  size_t affordable() const {
    const double rest = left() - race_time(certain()), each = std::max(1e-3, step_time());
    const double most =
        std::max(rest / (each + counting_time(1)), std::min(rest / each, double(most_uncounted)));
    return size_t(std::clamp(most, 0.0, 1e3));
  }

  /// Whether there is time for one more trial, and then the race of all that ran.
  bool has_time_after(const Configurations& steps, const Configurations& tried) const {
    if (!set_.schedule.is_limited()) return true;
    Configurations ran = certain();
    size_t counted = 0;
    for (const Configurations* all : {&steps, &tried})
      for (const Configuration& one : *all)
        if (ok(one) && !contains(ran, one)) {
          ran.push_back(one);
          if (all == &steps) ++counted;
        }
    if (counted < most_uncounted) counted = 0;
    return race_time(ran) + counting_time(counted) + step_time() < left();
  }

  /// As many steps as there is time for.
  Configurations planned(StaircaseRace& result) const {
    const auto changed = search::changed_knobs(set_.space, history(), baseline_, found_);
    const size_t most = std::min(most_steps, affordable());
    if (most < most_steps && most + 1 < changed.size()) result.shortened_because = steps_joined;
    if (most == 0) return {};
    return search::planned_stairs(set_.space, changed, baseline_, found_, most);
  }

  /// Untried configurations that differ from the winner in one knob: those that promise the most.
  Configurations promising() const {
    const auto open = filtered(set_.space.neighbours(found_),
                               [&](const Configuration& one) { return !history().tried(one); });
    const Numbers gains = search::expected_gains(set_.space, history(), open);
    Indices order = filtered(indices(gains), [&](size_t i) { return gains[i] >= least_expected; });
    stable_sort(order, std::greater(), [&](size_t i) { return gains[i]; });
    order.resize(std::min(order.size(), most_tried));
    return members(order, [&](size_t i) { return open[i]; });
  }

  /// Builds the missing ones side by side, then tries them, steps first, as long as time for the
  /// race remains.
  void make_trials(const Configurations& steps, const Configurations& tried,
                   StaircaseRace& result) {
    Configurations missing;
    const auto is_missing = [&](const Configuration& one) { return !history().tried(one); };
    std::ranges::copy_if(steps, std::back_inserter(missing), is_missing);
    const size_t missing_steps = missing.size();
    std::ranges::copy_if(tried, std::back_inserter(missing), is_missing);
    const size_t most = set_.schedule.is_limited() ? affordable() : missing.size();
    if (most < missing_steps) result.shortened_because = steps_joined;
    missing.resize(std::min(missing.size(), most));
    for (const size_t i : indices(missing)) {
      set_.options.throw_if_interrupted();
      const bool is_step = i < missing_steps;
      if (!has_time_after(steps, tried)) {
        if (is_step) result.shortened_because = steps_joined;
        return;
      }
      const auto next = missing.begin() + ptrdiff_t(i);
      const auto batch = std::min<ptrdiff_t>(missing.end() - next, set_.options.builders);
      if (batch > 1 && i % size_t(set_.options.builders) == 0)
        in_time(left(), [&] { set_.evaluator.build({next, next + batch}); });
      in_time(left(), [&] { set_.evaluate(missing[i], is_step ? because_step : because_next); });
    }
  }

  /// A step slower than the one before joins the next, which needs it.
  void drop_slower(Configurations& steps) const {
    Configurations kept{steps.front()};
    for (size_t i = 1; i < steps.size(); ++i)
      if (i + 1 == steps.size() || seconds(steps[i]) < seconds(kept.back()))
        kept.push_back(steps[i]);
    steps = std::move(kept);
  }

  /// False where the race refuted a configuration.
  bool race(StaircaseRace& result) {
    Race& race = result.race;
    // Where time is short, the steps take precedence over values tried beside the winner.
    auto& entered = race.configurations;
    while (set_.schedule.is_limited() && entered.size() > result.winner + 1 &&
           race_time(entered) > left())
      entered.pop_back();
    double round = 0, checks = 0;
    for (const Configuration& one : race.configurations) {
      round += wall_of_round(*trial(one));
      checks += wall_of_entering(*trial(one)) / 2;
    }
    if (set_.schedule.is_limited() && race_time(entered) > left()) {
      result.shortened_because = not_raced;
      return true;
    }
    const double counting = counting_time(result.winner - 1);
    const auto after = [&](const Race& seen) {
      const auto done = int(seen.seconds.size());
      AfterRound now;
      now.leave = settled(seen, result.winner);
      // A ratio may be close enough to state, yet not decided: an unbeaten baseline stays.
      if (judge(seen).baseline_stands) std::erase(now.leave, size_t{0});
      const auto gain = paired_ratio(seen, 0, result.winner);
      const bool decided = gain && gain->low > 1;
      const bool known = now.leave.size() + 1 == race.configurations.size();
      now.over = known || done >= most_rounds ||
                 (set_.schedule.is_limited() && done >= least_rounds &&
                  left() < checks + round + (decided && done >= enough_rounds ? counting : 0));
      return now;
    };
    const auto ended =
        run_rounds(race,
                   {set_.options, set_.evaluator, set_.schedule.is_limited() ? left() : HUGE_VAL,
                    most_rounds, Seconds(seconds(found_)), Seconds(seconds(baseline_))},
                   after);
    if (ended == false) result.shortened_because = not_raced;
    return ended.has_value();
  }

  const ClimbSetting& set_;
  const Configuration& found_;
  const Configuration baseline_;
  Configurations rivals_;
  const double limit_, begin_;
};

}  // namespace

std::optional<StaircaseRace> climb(const ClimbSetting& setting, const Configuration& found,
                                   const Configurations& rivals) {
  return Climber(setting, found, rivals).run();
}

}  // namespace rooftune::study
