#include "trial/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "trial/statistics.h"

namespace rooftune::trial {
namespace {

/// Two problems take turns after so many rounds: each turn starts a worker of its own.
constexpr int rounds_per_turn = 4;
/// A cheaper wall is not worth breaking.
constexpr double least_cost = 1.05;

using Clock = std::chrono::steady_clock;

bool holds(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// Moves the knob to the first value with an allowed configuration; gives a reason where none has.
void move(const SearchSpace& space, const std::vector<Value>& values, Experiment& experiment) {
  const Configuration& contender = experiment.contender;
  std::string reason;
  for (const Value& value : values) {
    Configuration other = contender;
    other.set(experiment.knob, value);
    other = space.normalised(std::move(other));
    if (!(other.at(experiment.knob) == value)) {
      reason = experiment.knob + " has no effect with the rest of the configuration";
      continue;
    }
    if (!space.allowed(other)) {
      reason = fmt::format("{} = {} is not allowed with the rest: {}", experiment.knob,
                           to_text(value), space.why_not(other));
      continue;
    }
    experiment.to = value;
    experiment.other = other;
    experiment.along = moved_along(contender, other, experiment.knob);
    return;
  }
  experiment.absent_because = reason;
}

void by_knob(const SearchSpace& space, const WallExperimentSpec& spec, Experiment& experiment) {
  const Knob* knob = space.knob(spec.knob);
  experiment.knob = spec.knob;
  experiment.from = experiment.contender.at(spec.knob);
  const bool with = holds(spec.with, experiment.from);
  if (!with && !holds(spec.without, experiment.from)) {
    experiment.absent_because =
        fmt::format("{} = {} is on neither side of the wall", spec.knob, to_text(experiment.from));
    return;
  }
  if (knob && !knob->collapsed.empty()) {
    experiment.absent_because =
        fmt::format("{} cannot change here: {}", spec.knob, knob->collapsed);
    return;
  }
  experiment.in_front = with;
  move(space, with ? spec.without : spec.with, experiment);
}

Experiment planned(const SearchSpace& space, const WallExperimentSpec& spec,
                   const std::string& subject, const Configuration& contender) {
  Experiment experiment;
  experiment.wall = spec.wall;
  experiment.subject = subject;
  experiment.contender = contender;
  experiment.absent_because = spec.none;
  if (!spec.knob.empty()) by_knob(space, spec, experiment);
  if (!spec.problem.empty()) {
    experiment.problem = spec.problem;
    experiment.per = spec.per;
    experiment.other = contender;
  }
  return experiment;
}

/// One measurement of experiments within its limits.
class ExperimentRun {
 public:
  ExperimentRun(const History& history, Evaluator& evaluator, const OpenElsewhere& elsewhere,
                const ExperimentLimits& limits)
      : history_(history), evaluator_(evaluator), elsewhere_(elsewhere), limits_(limits) {}
  void run(Experiment& experiment);

 private:
  void make(Experiment& experiment);
  double left() const {
    return limits_.seconds - std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  std::string over() const {
    return fmt::format("the {:.3g} s for experiments were over", limits_.seconds);
  }
  std::optional<double> time_of(const Configuration& configuration, Evaluator& evaluator,
                                Experiment& experiment);
  int rounds_of(double round_seconds, Experiment& experiment) const;
  void by_knob(Experiment& experiment);
  void by_size(Experiment& experiment);
  void turn(Experiment& experiment, const Elsewhere& there, int rounds, int number);

  const History& history_;
  Evaluator& evaluator_;
  const OpenElsewhere& elsewhere_;
  const ExperimentLimits& limits_;
  Clock::time_point begin_ = Clock::now();
  bool interrupted_ = false;
};

/// Known from the trials (of the study's own problem), or tried now; nullopt when it does not run.
std::optional<double> ExperimentRun::time_of(const Configuration& configuration,
                                             Evaluator& evaluator, Experiment& experiment) {
  const bool own = &evaluator == &evaluator_;
  const Trial* known = own ? history_.find(configuration) : nullptr;
  // A variant once unstable may be measured now; a wrong one stays wrong.
  const bool tried =
      known && known->outcome != Outcome::pruned && known->outcome != Outcome::unstable;
  const Trial trial = tried ? *known : evaluator.evaluate(configuration, std::nullopt);
  if (trial.ok()) return trial.measurement->seconds.value;
  experiment.absent_because = std::string(own ? "the other side" : "the problem that fits") +
                              " ends as " + to_text(trial.outcome);
  if (!trial.detail.empty()) experiment.absent_because += ": " + trial.detail;
  return std::nullopt;
}

int ExperimentRun::rounds_of(double round_seconds, Experiment& experiment) const {
  if (round_seconds * many_rounds <= left() / 2) return many_rounds;
  if (round_seconds * few_rounds <= left()) return few_rounds;
  experiment.absent_because =
      fmt::format("{} rounds of {:.2g} s do not fit into what is left of {:g} s", few_rounds,
                  round_seconds, limits_.seconds);
  return 0;
}

void ExperimentRun::by_knob(Experiment& experiment) {
  const auto here = time_of(experiment.contender, evaluator_, experiment);
  if (!here) return;
  const auto there = time_of(experiment.other, evaluator_, experiment);
  if (!there) return;
  const int rounds = rounds_of(*here + *there, experiment);
  if (rounds == 0) return;
  const Rounds raced =
      evaluator_.race({experiment.contender, experiment.other}, rounds, limits_.seed);
  for (std::size_t r = 0; r < raced.seconds.size(); ++r)
    if (raced.clean(r, 0, 1))
      experiment.rounds.emplace_back(raced.seconds[r][experiment.in_front ? 0 : 1],
                                     raced.seconds[r][experiment.in_front ? 1 : 0]);
  if (experiment.rounds.empty() && !raced.seconds.empty())
    experiment.absent_because = all_disturbed;
  if (raced.seconds.empty()) experiment.absent_because = "the measurement failed: " + raced.fault;
}

/// Some rounds here, as many there, paired in their order.
void ExperimentRun::turn(Experiment& experiment, const Elsewhere& there, int rounds, int number) {
  const std::uint64_t seed = limits_.seed + static_cast<std::uint64_t>(number);
  const std::vector<Configuration> one{experiment.contender};
  const bool here_first = number % 2 == 0;
  Rounds first = (here_first ? evaluator_ : *there.evaluator).race(one, rounds, seed);
  Rounds second = (here_first ? *there.evaluator : evaluator_).race(one, rounds, seed);
  if (!here_first) std::swap(first, second);
  const std::size_t pairs = std::min(first.seconds.size(), second.seconds.size());
  for (std::size_t r = 0; r < pairs; ++r)
    if (first.clean(r, 0, 0) && second.clean(r, 0, 0))
      experiment.rounds.emplace_back(first.seconds[r][0], second.seconds[r][0] * there.scale);
  const std::string fault = first.fault.empty() ? second.fault : first.fault;
  if (experiment.rounds.empty() && !fault.empty())
    experiment.absent_because = "the measurement failed: " + fault;
}

void ExperimentRun::by_size(Experiment& experiment) {
  const Elsewhere there = elsewhere_(experiment);
  experiment.absent_because = there.absent_because;
  if (!experiment.absent_because.empty() || !there.evaluator) return;
  if (there.scale <= 1) {
    experiment.absent_because = "the problem is no larger than the one that fits";
    return;
  }
  const auto here = time_of(experiment.contender, evaluator_, experiment);
  if (!here) return;
  const auto small = time_of(experiment.contender, *there.evaluator, experiment);
  if (!small) return;
  const int rounds = rounds_of(*here + *small, experiment);
  for (int number = 0; number * rounds_per_turn < rounds; ++number) {
    throw_if_interrupted(limits_.interrupted);
    if (experiment.absent_because.empty()) turn(experiment, there, rounds_per_turn, number);
  }
  if (experiment.rounds.empty() && experiment.absent_because.empty())
    experiment.absent_because = all_disturbed;
}

void ExperimentRun::make(Experiment& experiment) {
  if (left() <= 0) {
    experiment.absent_because = over();
    return;
  }
  limits_.before(experiment);
  if (experiment.knob.empty())
    by_size(experiment);
  else
    by_knob(experiment);
}

void ExperimentRun::run(Experiment& experiment) {
  if (experiment.measured() || !experiment.absent_because.empty()) return;
  interrupted_ = interrupted_ || limits_.interrupted();
  try {
    if (!interrupted_) make(experiment);
  } catch (const Interrupted&) {
    // The caller's clock began a little earlier.
    constexpr double moment = 0.01;
    interrupted_ = limits_.interrupted() || left() > moment;
    experiment.rounds.clear();
    experiment.absent_because = over();
  }
  if (!interrupted_) return;
  // All rounds or none: the next run repeats the experiment.
  experiment.rounds.clear();
  experiment.absent_because = "the run was interrupted";
}

WallVerdict verdict(const Experiment& experiment, const Estimate& cost) {
  if (cost.low > 1) return experiment.in_front ? WallVerdict::stands : WallVerdict::broken;
  return cost.high <= least_cost ? WallVerdict::costs_nothing : WallVerdict::cannot_tell;
}

/// The baseline pays for its size and the best, at the same step, does not.
void break_by_size(const std::vector<Experiment>& experiments, std::vector<WallConclusion>& all) {
  const auto stands = [&](const Experiment& best) {
    for (std::size_t i = 0; i < experiments.size(); ++i)
      if (experiments[i].subject == Experiment::of_baseline && experiments[i].wall == best.wall &&
          experiments[i].problem == best.problem && all[i].verdict == WallVerdict::stands)
        return true;
    return false;
  };
  for (std::size_t i = 0; i < experiments.size(); ++i)
    if (experiments[i].subject == Experiment::of_best && experiments[i].knob.empty() &&
        all[i].verdict == WallVerdict::costs_nothing && stands(experiments[i]))
      all[i].verdict = WallVerdict::broken;
}

}  // namespace

std::vector<Experiment> planned_experiments(const SearchSpace& space,
                                            const std::vector<WallExperimentSpec>& wall_experiments,
                                            const std::string& subject,
                                            const Configuration& contender) {
  std::vector<Experiment> all;
  for (const std::string& wall : experimental_walls()) {
    std::vector<Experiment> ready, absent;
    for (const WallExperimentSpec& spec : wall_experiments) {
      if (spec.wall != wall) continue;
      Experiment one = planned(space, spec, subject, contender);
      (one.absent_because.empty() ? ready : absent).push_back(std::move(one));
    }
    if (ready.empty() && absent.empty()) {
      Experiment none;
      none.wall = wall;
      none.subject = subject;
      none.contender = contender;
      none.absent_because = "the search space declares no experiment for it";
      absent.push_back(std::move(none));
    }
    const auto& chosen = ready.empty() ? absent : ready;
    all.insert(all.end(), chosen.begin(), chosen.end());
  }
  return all;
}

void measure(std::vector<Experiment>& experiments, const History& history, Evaluator& evaluator,
             const OpenElsewhere& elsewhere, const ExperimentLimits& limits) {
  ExperimentRun measuring(history, evaluator, elsewhere, limits);
  for (Experiment& experiment : experiments) measuring.run(experiment);
}

std::vector<WallConclusion> conclusions(const std::vector<Experiment>& experiments) {
  const auto measured = std::count_if(experiments.begin(), experiments.end(),
                                      [](const auto& e) { return e.measured(); });
  std::vector<WallConclusion> all(experiments.size());
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    if (!experiments[i].measured()) continue;
    all[i].cost =
        median_ratio(ratios(experiments[i].rounds), 1 - 0.05 / static_cast<double>(measured));
    all[i].verdict = verdict(experiments[i], all[i].cost);
  }
  break_by_size(experiments, all);
  return all;
}

}  // namespace rooftune::trial
