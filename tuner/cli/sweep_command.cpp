// tune sweep: the studies of a plan, unattended.
#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/planned_study.h"
#include "cli/study_files.h"
#include "core/units.h"
#include "os/interruption.h"
#include "report/result_json.h"
#include "report/terminal.h"
#include "sweep/sweep.h"

namespace rooftune::inline cli {
namespace {

/// The spec of a turn: the plan's, and what the sweep adds.
StudySpec spec_of(const StudyTurn& turn, const SweepOptions& sweep,
                  const std::filesystem::path& results) {
  StudySpec spec = turn.study.spec;
  if (turn.search_until) spec.budget = {.time = Seconds(*turn.search_until)};
  spec.only_search = turn.search_until.has_value();
  spec.fresh = turn.fresh;
  spec.wait = sweep.wait;
  spec.results = results;
  spec.command = {"tune", "sweep", sweep.plan, "#" + turn.study.name};
  return spec;
}

}  // namespace

StudyOutcome run_planned(const StudyTurn& turn, const SweepOptions& sweep,
                         const std::filesystem::path& results) {
  StudyOutcome outcome;
  const std::string& name = turn.study.name;
  if (!sweep.quiet && turn.search_until)
    fmt::print(stderr, "== {}: search up to {} ==\n", name, to_text(Seconds(*turn.search_until)));
  else if (!sweep.quiet)
    fmt::print(stderr, "== {} ==\n", name);
  const TunedStudy tuned = tune(spec_of(turn, sweep, results), sweep.quiet);
  outcome.result = to_json(tuned.result);
  if (tuned.interrupted) {
    outcome.state = StudyOutcome::State::interrupted;
  } else if (!tuned.result.best) {
    outcome.state = StudyOutcome::State::failed;
    outcome.message = "no variant could be validated and measured";
  }
  return outcome;
}

namespace {

std::string number(const Json& result, const char* pointer, const char* format) {
  const Json::json_pointer place(pointer);
  if (!result.is_object() || !result.contains(place) || !result.at(place).is_number()) return "-";
  return fmt::format(fmt::runtime(format), result.at(place).get<double>());
}

/// How a shared budget was divided, and the gap after each slice.
void print_slices(const SweepSummary& summary) {
  std::vector<std::string> names;
  for (const Slice& slice : summary.slices)
    if (std::find(names.begin(), names.end(), slice.study) == names.end())
      names.push_back(slice.study);
  if (!names.empty())
    fmt::print("time by gap ({} searched):\n", to_text(Seconds(charged(summary.slices))));
  for (const std::string& name : names) {
    const auto own = slices_of(summary.slices, name);
    std::string gaps;
    for (const Slice& slice : own)
      gaps += (gaps.empty() ? "" : " > ") + (slice.gap ? fmt::format("{:.2f}", *slice.gap) : "-");
    fmt::print("  {:<22} {:>3} slices {:>10}  gap {}{}\n", name, own.size(),
               to_text(Seconds(charged(own))), gaps,
               own.back().ended.empty() ? "" : ", " + own.back().ended);
  }
}

/// A figure of all inputs where the study has several.
std::string of_inputs_or_best(const Json& result, const char* inputs, const char* best,
                              const char* format) {
  const std::string all = number(result, inputs, format);
  return all == "-" ? number(result, best, format) : all;
}

void print_summary(const SweepSummary& summary) {
  fmt::print("sweep {}: {} studies\n{:<24} {:<12} {:>12} {:>9} {:>8}  {}\n", summary.plan,
             summary.studies.size(), "study", "state", "best", "speed-up", "gap",
             "stopped because");
  for (const StudyOutcome& study : summary.studies) {
    const Json::json_pointer best("/best/seconds/value"), reason("/stop/reason");
    const auto has = [&](const Json::json_pointer& place) {
      return study.result.is_object() && study.result.contains(place);
    };
    const bool measured = has(best) && study.result.at(best).is_number();
    fmt::print(
        "{:<24} {:<12} {:>12} {:>9} {:>8}  {}\n", study.name,
        std::string(to_text(study.state)) + (study.earlier ? " *" : ""),
        measured ? to_text(Seconds(study.result.at(best).get<double>())) : "-",
        of_inputs_or_best(study.result, "/inputs/speedup/value", "/speedup/value", "{:.2f}x"),
        of_inputs_or_best(study.result, "/inputs/gap/value", "/best/gap/total", "{:.2f}"),
        study.state == StudyOutcome::State::failed ? study.message
        : has(reason) && study.result.at(reason).is_string()
            ? study.result.at(reason).get<std::string>()
            : "");
  }
  print_slices(summary);
  for (const StudyOutcome& study : summary.studies)
    if (study.earlier) {
      fmt::print("* finished before this run was resumed\n");
      break;
    }
  fmt::print("{}: {}\n",
             summary.complete() ? "summary" : "interrupted; run the same command to resume",
             summary.directory.string());
}

}  // namespace

int sweep_command(const SweepOptions& options) {
  watch_interrupts();
  require_output(options.json);
  const Plan plan = read_plan(options.plan);
  const std::filesystem::path results =
      std::filesystem::absolute(results_directory(options.results));
  const auto runner = [&](const StudyTurn& turn) {
    if (interrupted()) throw Interrupted{};
    return run_planned(turn, options, results);
  };
  const SweepSummary summary = options.launcher.name == "slurm"
                                   ? sweep_on_slurm(plan, options, results)
                                   : run_sweep(plan, results, runner, options.wait);
  write_output(options.json, json_text(to_json(summary), 2) + "\n");
  if (!is_stdout(options.json)) print_summary(summary);
  if (!summary.complete()) return static_cast<int>(ExitCode::interrupted);
  return static_cast<int>(summary.failed() ? ExitCode::failure : ExitCode::ok);
}

}  // namespace rooftune::inline cli
