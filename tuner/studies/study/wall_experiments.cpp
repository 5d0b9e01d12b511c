// Plan, measurement and record of experiments on walls.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "os/interruption.h"
#include "study/findings.h"
#include "study/stages.h"

namespace rooftune::study {
namespace {

/// Inputs of other sizes, each made ready once.
class OtherSizes {
 public:
  OtherSizes(StageContext& context, std::size_t input)
      : context_(context), here_(*context.study.inputs[input]) {}

  Elsewhere operator()(const Experiment& experiment) {
    if (!context_.study.kernel.warm)
      return {nullptr, 1, "caches are emptied before each call, so that no problem fits"};
    try {
      PreparedInput& step = ready(experiment.problem);
      if (!step.space->allowed(experiment.contender))
        return {nullptr, 1,
                "the problem that fits does not allow the configuration: " +
                    step.space->why_not(experiment.contender)};
      return {
          step.runner.get(),
          amount(experiment.per, here_.model.known()) / amount(experiment.per, step.model.known()),
          {}};
    } catch (const Error& error) {
      return {nullptr, 1, "the problem that fits cannot be made: " + error.message()};
    }
  }

 private:
  PreparedInput& ready(const Facts& problem) {
    InputSpec spec;
    spec.parameters = problem;
    spec.parameters.insert(here_.model.problem.begin(), here_.model.problem.end());
    auto& slot = ready_[spec.parameters];
    if (!slot) slot = prepare_input(context_.study, context_.platform, spec);
    return *slot;
  }

  StageContext& context_;
  const PreparedInput& here_;
  std::map<Facts, std::unique_ptr<PreparedInput>> ready_;
};

bool same(const Experiment& a, const Experiment& b) {
  return a.wall == b.wall && a.subject == b.subject && a.contender == b.contender &&
         a.knob == b.knob && a.other == b.other && a.problem == b.problem && a.per == b.per &&
         a.in_front == b.in_front;
}

void recall(std::vector<Experiment>& all, const std::vector<Experiment>& earlier) {
  for (Experiment& one : all)
    for (const Experiment& other : earlier)
      if (other.measured() && same(one, other)) one = other;
}

/// All experiments on one input, with those of an earlier run.
std::vector<Experiment> measured(StageContext& context, std::size_t input, double seconds) {
  const StudyRecord& record = context.recorder.record();
  PreparedInput& here = *context.study.inputs[input];
  std::vector<Experiment> all;
  const auto contenders = worth_counting(record, here.space->baseline());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    auto more = planned_experiments(*here.space, here.wall_experiments,
                                    i == 0 ? best_subject : baseline_subject, contenders[i]);
    all.insert(all.end(), more.begin(), more.end());
  }
  recall(all, record.experiments_of(input));
  OtherSizes sizes(context, input);
  ExperimentLimits limits;
  limits.seconds = seconds;
  limits.seed = context.study.spec.seed;
  const TimeLimit cut(context.schedule.is_limited() ? std::max(seconds, 0.0) : HUGE_VAL);
  limits.interrupted = [&] { return !cut.is_over() && interrupted(); };
  limits.before = [&](const Experiment& one) {
    std::string wall = one.wall;
    std::replace(wall.begin(), wall.end(), '_', ' ');
    context.say_of(input, fmt::format("experiment on {} of the {} by {}", wall, one.subject,
                                      one.knob.empty() ? "a step of size" : one.knob));
  };
  measure(all, record.history, *here.runner, std::ref(sizes), limits);
  return all;
}

/// Reason for a study without experiments: its spec, or too little time; empty for one with them.
std::string why_no_experiments(const StudySpec& spec) {
  if (spec.program) return "nothing is known of a program's walls";
  if (!spec.experiments) return "--no-experiments";
  return worth_checks(spec.budget) ? ""
                                   : "runs of less than 16 evaluations or 20 s make no experiments";
}

}  // namespace

void experiment(StageContext& context) {
  const std::size_t inputs = context.study.inputs.size();
  const std::string reason = why_no_experiments(context.study.spec);
  for (std::size_t i = 0; i < inputs; ++i) {
    const double seconds =
        context.schedule.left_for(Part::experiments) / static_cast<double>(inputs - i);
    if (reason.empty())
      context.recorder.append(InputExperiments{i, measured(context, i, seconds), {}});
    else if (context.recorder.record().experiments_of(i).empty())
      context.recorder.append(InputExperiments{i, {}, reason});
  }
}

std::vector<Configuration> other_sides(const std::vector<Experiment>& experiments) {
  std::vector<Configuration> sides;
  for (const Experiment& one : experiments)
    if (one.measured() && one.subject == best_subject && !one.knob.empty())
      sides.push_back(one.other);
  return sides;
}

}  // namespace rooftune::study
