#include "trial/ablation.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/seconds_since.h"
#include "trial/statistics.h"

namespace rooftune::trial {
namespace {

/// Set-backs ready beside the best at a time, as many as a race of finalists has.
constexpr std::size_t group_size = 4;
/// So much is there for the first group in any case [s].
constexpr double brief = 2;
constexpr const char* no_time = "no time was left, a longer --budget has it";

using Clock = std::chrono::steady_clock;

/// Median time of the trials with this value of the knob; nullopt without any.
std::optional<double> typical(const History& history, const std::string& knob, const Value& value) {
  std::vector<double> figures;
  for (const Trial& trial : history.trials())
    if (trial.ok() && trial.configuration.has(knob) && trial.configuration.at(knob) == value)
      figures.push_back(trial.measurement->seconds.value);
  if (figures.empty()) return std::nullopt;
  return quantile(figures, 0.5);
}

/// The logarithm of the ratio of medians; 0 where one side was never tried. A knob matters at least
/// as much as any that falls with it.
double importance(const History& history, const SetBack& back, const Configuration& baseline,
                  const Configuration& best) {
  const auto alone = [&](const std::string& knob) {
    const auto before = typical(history, knob, baseline.at(knob));
    const auto after = typical(history, knob, best.at(knob));
    return before && after ? std::log(*before / *after) : 0;
  };
  double most = alone(back.knob);
  for (const std::string& other : back.along) most = std::max(most, alone(other));
  return most;
}

SetBack set_back(const SearchSpace& space, const Configuration& baseline, const Configuration& best,
                 const Knob& knob) {
  SetBack back;
  back.knob = knob.name;
  back.from = baseline.at(knob.name);
  back.to = best.at(knob.name);
  back.configuration = best;
  back.configuration.set(knob.name, back.from);
  back.configuration = space.normalised(std::move(back.configuration));
  back.along = moved_along(best, back.configuration, knob.name);
  if (!space.allowed(back.configuration))
    back.absent_because = "not allowed with the rest: " + space.why_not(back.configuration);
  return back;
}

void record_failure(SetBack& back, const Trial& trial) {
  back.absent_because = std::string("set back it ends as ") + to_text(trial.outcome);
  if (!trial.detail.empty()) back.absent_because += ": " + trial.detail;
}

/// One measurement of set-backs within its limits.
class AblationRun {
 public:
  AblationRun(const SearchSpace& space, const History& history, Evaluator& evaluator,
              const AblationLimits& limits, Ablation& ablation)
      : space_(space),
        history_(history),
        evaluator_(evaluator),
        limits_(limits),
        ablation_(ablation) {}

  void run() {
    const double pair = wall(ablation_.best) + wall(ablation_.baseline);
    if (pair * many_rounds > limits_.seconds / 4) rounds_ = few_rounds;
    bool out_of_time = limits_.seconds < 0;
    has_baseline_ = whole(ablation_.baseline) <= std::max(limits_.seconds / 4, brief);
    const std::vector<SetBack*> open = to_measure();
    for (std::size_t begin = 0; begin < std::max<std::size_t>(open.size(), 1);
         begin += group_size) {
      const std::size_t end = std::min(open.size(), begin + group_size);
      std::vector<SetBack*> group(open.begin() + static_cast<std::ptrdiff_t>(begin),
                                  open.begin() + static_cast<std::ptrdiff_t>(end));
      const bool in_time = !out_of_time && (begin == 0 || !over());
      const std::size_t now = in_time ? affordable(group, begin == 0) : 0;
      for (std::size_t i = now; i < group.size(); ++i) group[i]->absent_because = no_time;
      if (now == 0 && !(in_time && open.empty() && has_baseline_)) continue;
      group.resize(now);
      try {
        measure(group, begin == 0 && has_baseline_);
      } catch (const Interrupted&) {
        constexpr double earlier = 0.01;  // the caller's clock began so much, at most
        if (limits_.interrupted() || seconds_since(begin_) + earlier < limits_.seconds) throw;
        for (SetBack* back : group) back->absent_because = no_time;
        out_of_time = true;
      }
    }
    // But for the times, an input's are the same set-backs.
    for (Ablation& seen : ablation_.inputs)
      for (std::size_t i = 0; i < seen.knobs.size(); ++i) {
        auto rounds = std::move(seen.knobs[i].rounds);
        seen.knobs[i] = ablation_.knobs[i];
        seen.knobs[i].rounds = std::move(rounds);
      }
  }

 private:
  bool over() const {
    throw_if_interrupted(limits_.interrupted);
    return seconds_since(begin_) > limits_.seconds;
  }
  bool failed_before(SetBack& back) const {
    const Trial* tried = history_.find(back.configuration);
    if (!tried || tried->ok() || tried->outcome == Outcome::pruned) return false;
    record_failure(back, *tried);
    return true;
  }
  /// An untried one may not build, or may compute something else: it leaves the group.
  void drop_failing(std::vector<SetBack*>& group) {
    const auto fails = [&](SetBack* back) {
      if (known(back->configuration) > 0) return false;
      const Trial trial = evaluator_.evaluate(back->configuration, known(ablation_.best));
      if (!trial.ok()) record_failure(*back, trial);
      return !trial.ok();
    };
    std::erase_if(group, fails);
  }
  void measure(std::vector<SetBack*> group, bool with_baseline) {
    const std::vector<SetBack*> wanted = group;
    Rounds measured = raced(group, with_baseline);
    if (measured.seconds.empty() && !measured.fault.empty()) {
      drop_failing(group);
      if (group.size() < wanted.size() && (!group.empty() || with_baseline))
        measured = raced(group, with_baseline);
    }
    if (!measured.fault.empty()) ablation_.fault = measured.fault;
    add_rounds(measured, measured.seconds, group, with_baseline, ablation_);
    for (std::size_t i = 0; i < measured.inputs.size(); ++i)
      add_rounds(measured, measured.inputs[i], group, with_baseline, input(i));
    for (SetBack* back : wanted)
      if (!back->measured() && back->absent_because.empty())
        back->absent_because = measured.fault.empty() && !measured.seconds.empty()
                                   ? all_disturbed
                                   : "the measurement failed: " + measured.fault;
  }
  /// Until time is over; what was measured until then stands, also where the rest is cut.
  Rounds raced(const std::vector<SetBack*>& group, bool with_baseline) const {
    std::vector<Configuration> configurations{ablation_.best};
    if (with_baseline) configurations.push_back(ablation_.baseline);
    for (const SetBack* back : group) configurations.push_back(back->configuration);
    Rounds until_now;
    try {
      return evaluator_.race(configurations, rounds_, limits_.seed, [&](const Rounds& rounds) {
        until_now = rounds;
        return AfterRound{seconds_since(begin_) > limits_.seconds, {}};
      });
    } catch (const Interrupted&) {
      if (until_now.seconds.empty() || limits_.interrupted()) throw;
      return until_now;
    }
  }
  double known(const Configuration& configuration) const {
    const Trial* trial = history_.find(configuration);
    return trial && trial->ok() ? trial->measurement->seconds.value : 0;
  }
  /// Of one call in a round [s].
  double wall(const Configuration& configuration) const {
    const Trial* trial = history_.find(configuration);
    return trial && trial->ok() ? wall_of_round(*trial) : 0;
  }
  /// Of building this one, where it was not tried, and of entering a race [s].
  double entering(const Configuration& configuration) const {
    const Trial* trial = history_.find(configuration);
    if (trial && trial->ok()) return wall_of_entering(*trial);
    const Trial* best = history_.find(ablation_.best);
    return best ? (is_built(configuration) ? waiting_ : 0) + wall_of_entering(*best) : 0;
  }
  /// It is not the best's code.
  bool is_built(const Configuration& configuration) const {
    return std::ranges::any_of(space_.knobs(), [&](const Knob& knob) {
      return knob.kind == Knob::Kind::compile &&
             !(configuration.at(knob.name) == ablation_.best.at(knob.name));
    });
  }
  /// For a build, as trials waited [s].
  double waiting() const {
    double seconds = 0, builds = 0;
    for (const Trial& trial : history_.trials()) {
      seconds += trial.cost.waiting;
      builds += trial.cost.build > 0 ? 1 : 0;
    }
    return builds > 0 ? seconds / builds : 0;
  }
  /// Of one in a group: it enters and is timed in all rounds [s].
  double whole(const Configuration& configuration) const {
    const double own = wall(configuration);
    return entering(configuration) + rounds_ * (own > 0 ? own : wall(ablation_.best));
  }
  /// As many of these set-backs, the first ones, as there is time for.
  std::size_t affordable(const std::vector<SetBack*>& group, bool first) const {
    double seconds =
        whole(ablation_.best) + (first && has_baseline_ ? whole(ablation_.baseline) : 0);
    const double left = std::max(limits_.seconds - seconds_since(begin_), first ? brief : 0);
    std::size_t count = 0;
    for (const SetBack* back : group)
      if ((seconds += whole(back->configuration)) <= left) ++count;
    return count;
  }
  /// The set-backs to measure, without those that failed; the last ones as one of the first group
  /// where there is no time for each.
  std::vector<SetBack*> to_measure() {
    std::vector<SetBack*> all;
    for (SetBack& back : ablation_.knobs)
      if (back.absent_because.empty() && !failed_before(back)) all.push_back(&back);
    double seconds = has_baseline_ ? whole(ablation_.baseline) : 0;
    std::size_t alone = 0;
    for (; alone < all.size(); ++alone) {
      if (alone % group_size == 0) seconds += whole(ablation_.best);
      if ((seconds += whole(all[alone]->configuration)) > limits_.seconds) break;
    }
    // Its last place is that of the rest.
    if (alone < 2 || alone == all.size()) return all;
    const auto place = all.begin() + static_cast<std::ptrdiff_t>(alone) - 1;
    Configuration configuration = ablation_.best;
    const std::vector<SetBack*> joined = join({place, all.end()}, configuration);
    if (joined.size() < 2 || configuration == ablation_.baseline) return all;
    SetBack& first = *joined.front();
    first.along = moved_along(ablation_.best, configuration, first.knob);
    for (std::size_t i = 1; i < joined.size(); ++i) {
      std::erase(first.along, joined[i]->knob);
      first.together.push_back(joined[i]->knob);
      joined[i]->absent_because = "set back together with " + first.knob;
    }
    first.configuration = std::move(configuration);
    std::erase_if(all, [&](const SetBack* back) { return !back->absent_because.empty(); });
    std::erase(all, &first);
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(std::min(alone, group_size)) - 1, &first);
    return all;
  }
  /// Those of `open` that can be set back in one configuration with `to`, which becomes it.
  std::vector<SetBack*> join(std::vector<SetBack*> open, Configuration& to) const {
    std::vector<SetBack*> joined;
    const auto joins = [&](SetBack* back) {
      Configuration next = to;
      next.set(back->knob, back->from);
      next = space_.normalised(std::move(next));
      if (!space_.allowed(next)) return false;
      to = std::move(next);
      joined.push_back(back);
      return true;
    };
    // One that is not allowed yet may be beside later ones.
    while (std::erase_if(open, joins) > 0) {
    }
    return joined;
  }
  /// The ablation of one input; made at its first round.
  Ablation& input(std::size_t number) {
    while (ablation_.inputs.size() <= number) {
      Ablation fresh;
      fresh.baseline = ablation_.baseline;
      fresh.best = ablation_.best;
      fresh.knobs.resize(ablation_.knobs.size());
      ablation_.inputs.push_back(std::move(fresh));
    }
    return ablation_.inputs[number];
  }
  /// Those of the `measured` with neither sample disturbed, in the figures of `rounds`.
  void add_rounds(const Rounds& measured, const std::vector<std::vector<double>>& rounds,
                  const std::vector<SetBack*>& group, bool with_baseline, Ablation& to) const {
    const std::size_t first = with_baseline ? 2 : 1;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const auto& round = rounds[r];
      if (with_baseline && measured.clean(r, 0, 1))
        to.baseline_rounds.emplace_back(round[1], round[0]);
      for (std::size_t i = 0; i < group.size(); ++i)
        if (measured.clean(r, 0, first + i))
          to.knobs[static_cast<std::size_t>(group[i] - ablation_.knobs.data())].rounds.emplace_back(
              round[first + i], round[0]);
    }
  }

  const SearchSpace& space_;
  const History& history_;
  Evaluator& evaluator_;
  const AblationLimits& limits_;
  Ablation& ablation_;
  int rounds_ = many_rounds;
  const double waiting_ = waiting();
  bool has_baseline_ = true;  ///< beside the first group; not where it is dear: the race had it
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

std::vector<SetBack> set_backs(const SearchSpace& space, const History& history,
                               const Configuration& baseline, const Configuration& best) {
  std::vector<SetBack> result;
  for (const Knob& knob : space.knobs())
    if (!(baseline.at(knob.name) == best.at(knob.name)))
      result.push_back(set_back(space, baseline, best, knob));
  std::stable_sort(result.begin(), result.end(), [&](const SetBack& a, const SetBack& b) {
    const double first = importance(history, a, baseline, best);
    const double second = importance(history, b, baseline, best);
    return first == second ? a.along.size() > b.along.size() : first > second;
  });
  return result;
}

Ablation ablate(const SearchSpace& space, const History& history, const Configuration& baseline,
                const Configuration& best, Evaluator& evaluator, const AblationLimits& limits) {
  Ablation ablation;
  ablation.baseline = baseline;
  ablation.best = best;
  ablation.knobs = set_backs(space, history, baseline, best);
  AblationRun(space, history, evaluator, limits, ablation).run();
  return ablation;
}

namespace {

/// True when setting another measured knob back takes this one along.
bool part_of_another(const Ablation& ablation, std::size_t index) {
  const std::string& name = ablation.knobs[index].knob;
  return std::any_of(ablation.knobs.begin(), ablation.knobs.end(), [&](const SetBack& other) {
    return other.measured() && (std::ranges::find(other.along, name) != other.along.end() ||
                                std::ranges::find(other.together, name) != other.together.end());
  });
}

void compare(const Ablation& ablation, KnobEffects& result) {
  if (!result.total) return;
  Estimate product = Estimate::exact(1);
  for (std::size_t i = 0; i < ablation.knobs.size(); ++i) {
    if (part_of_another(ablation, i)) continue;
    const auto single = std::find_if(result.single.begin(), result.single.end(),
                                     [&](const KnobEffect& effect) { return effect.index == i; });
    if (single == result.single.end()) return;
    product.value *= single->factor.value;
    product.low *= single->factor.low;
    product.high *= single->factor.high;
  }
  result.product = product;
  result.interaction = Estimate{result.total->value / product.value,
                                result.total->low / product.high, result.total->high / product.low};
}

}  // namespace

KnobEffects effects(const Ablation& ablation) {
  KnobEffects result;
  double count = ablation.baseline_rounds.empty() ? 0 : 1;
  for (const SetBack& back : ablation.knobs) count += back.measured() ? 1 : 0;
  if (count == 0) return result;
  const double confidence = 1 - 0.05 / count;
  for (std::size_t i = 0; i < ablation.knobs.size(); ++i)
    if (ablation.knobs[i].measured())
      result.single.push_back({i, median_ratio(ratios(ablation.knobs[i].rounds), confidence)});
  if (!ablation.baseline_rounds.empty())
    result.total = median_ratio(ratios(ablation.baseline_rounds), confidence);
  compare(ablation, result);
  return result;
}

std::vector<KnobEffect> costly(const Ablation& ablation) {
  std::vector<KnobEffect> result = effects(ablation).single;
  std::erase_if(result, [](const KnobEffect& effect) { return effect.factor.high >= 1; });
  std::stable_sort(result.begin(), result.end(), [](const KnobEffect& a, const KnobEffect& b) {
    return a.factor.value < b.factor.value;
  });
  return result;
}

std::vector<double> ratios(const std::vector<PairedTime>& rounds) {
  std::vector<double> result;
  for (const auto& [first, second] : rounds) result.push_back(first / second);
  return result;
}

bool are_times(const std::vector<PairedTime>& rounds) {
  return std::all_of(rounds.begin(), rounds.end(),
                     [](const PairedTime& round) { return round.first > 0 && round.second > 0; });
}

std::vector<std::string> moved_along(const Configuration& before, const Configuration& after,
                                     const std::string& moved) {
  std::vector<std::string> along;
  for (const auto& [name, value] : after.values())
    if (name != moved && !(value == before.at(name))) along.push_back(name);
  return along;
}

}  // namespace rooftune::trial
