// tune sweep: runs a plan's studies, unattended.
#include "night_commands/sweep_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/study_files.h"
#include "core/list.h"
#include "core/units.h"
#include "host/host_platform.h"
#include "night_commands/sweep_outputs.h"
#include "night_commands/worker_command.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/terminal.h"
#include "report/text_table.h"
#include "study/prepare.h"
#include "sweep/plan.h"
#include "sweep/sweep.h"

namespace rooftune::night_commands {
namespace {

/// A turn's settings: the plan's, and what the sweep adds.
StudySpec spec_of(const StudyTurn& turn, const Plan& plan, const SweepOptions& sweep,
                  const fs::path& results) {
  StudySpec spec = turn.study.spec;
  spec.fresh = turn.fresh;
  spec.wait = sweep.wait || plan.wait;
  spec.results = results;
  spec.command = {"tune", "sweep", sweep.plan, "#" + turn.study.name};
  return spec;
}

/// What a study shows: the sweep's log already has a line for its outcome; without a terminal the
/// rest is left out.
Shown shown_of_study(const SweepOptions& sweep) {
  if (sweep.quiet) return Shown::nothing;
  if (sweep.verbose) return Shown::all;
  return is_screen(2) ? Shown::line : Shown::waits;
}

std::string shown(const std::optional<double>& figure, const char* format) {
  return figure ? fmt::format(fmt::runtime(format), *figure) : "-";
}

std::string summary_text(const SweepSummary& summary, const TerminalStyle& style) {
  std::string text = fmt::format("sweep {}: {} studies\n", summary.plan, summary.studies.size());
  TextTable table(style.width, 0);
  table.head({"study", "state", "best", "speed-up", "gap", "against the baseline"});
  const auto mark = [](const Texts& doubts) { return doubts.empty() ? "" : " ?"; };
  for (const StudyOutcome& study : summary.studies) {
    const StudyFigures figures = study.result.value_or(StudyFigures{});
    const bool bad = study.state == StudyOutcome::State::failed ||
                     (study.verdict && study.verdict->finding == Standing::regressed);
    table.row(
        {{study.name, Ink::strong},
         {std::string(word(study.state)) + (study.earlier ? " *" : "")},
         {figures.seconds ? to_text(Seconds(figures.seconds->value)) : "-"},
         {shown(figures.speedup, "{:.2f}x") + mark(figures.doubts.speedup)},
         {shown(figures.gap, "{:.2f}") + mark(figures.doubts.gap)},
         {study.verdict ? word(study.verdict->finding) + ratio_of(*study.verdict) : study.message,
          bad ? Ink::yellow : Ink::none}});
  }
  text += table.str(style.colour);
  for (const StudyOutcome& study : summary.studies)
    if (study.result)
      for (const auto* doubts : {&study.result->doubts.speedup, &study.result->doubts.gap})
        for (const std::string& doubt : *doubts)
          text += paragraph(study.name + " ? ", doubt, style.width);
  for (const StudyOutcome& study : summary.studies)
    if (study.verdict && study.verdict->finding != Standing::none &&
        study.verdict->finding != Standing::first)
      text += paragraph(study.name + ": ", study.verdict->sentence, style.width);
  if (any_of(summary.studies, &StudyOutcome::earlier))
    text += "* finished before this run was resumed\n";
  const char* const end = !summary.complete() ? "interrupted; --continue goes on" : "summary";
  return text + fmt::format("{}: {}\n", end, summary.directory.string());
}

/// Throws Error with every fault in what the plan names; nothing is built or measured.
void check_all(const Plan& plan) {
  HostPlatform platform;
  Faults faults;
  for (const PlannedStudy& study : plan.studies) try {
      require_readable(study.spec, platform);
    } catch (const Error& error) {
      faults.add(study.name + ": " + error.where(), error.message(), error.hint());
    }
  faults.raise();
}

int show_plan(const Plan& plan, const fs::path& results, bool goes_on) {
  const auto root = runs_of(plan, results);
  const auto last = last_nights(root, plan);
  const auto open = goes_on ? unfinished_run(plan, results) : std::nullopt;
  const TerminalStyle style = style_of(1);
  TextTable table(style.width, 0);
  table.head({"study", "takes about", "gap", ""});
  double total = 0;
  for (const size_t i : in_order(plan, last)) {
    const PlannedStudy& study = plan.studies[i];
    const auto* const before = value_at(last, study.name);
    const auto seconds = expected_seconds(study, last);
    const bool done = open && outcome_of(study.name, *open);
    if (!done) total += seconds.value_or(0);
    table.row({{study.name, Ink::strong},
               {seconds ? duration_text(*seconds) : "-"},
               {before && before->gap ? significant(*before->gap, 3) : "-"},
               {done     ? "done in the run that would be continued"
                : before ? "measured last in " + before->run
                         : "never measured"}});
  }
  fmt::print("sweep {}: {} studies, in this order\n{}", plan.name, plan.studies.size(),
             table.str(style.colour));
  if (plan.total) total = std::min(total, *plan.total);
  fmt::print("about {} altogether\n", duration_text(total));
  return 0;
}

int exit_code(const SweepSummary& summary, const SweepOptions& options) {
  if (!summary.complete()) return int(ExitCode::interrupted);
  if (options.fail_on == FailOn::never) return 0;
  if (summary.has(Standing::regressed)) return int(ExitCode::failure);
  if (summary.failed()) return int(ExitCode::unavailable);
  constexpr int undecided = 4;
  return options.fail_on == FailOn::inconclusive && summary.has(Standing::inconclusive) ? undecided
                                                                                        : 0;
}

/// "nightly: regressed 1, none 7"; studies without a verdict show their state.
std::string subject_of(const SweepSummary& summary) {
  ByName<int> counts;
  for (const StudyOutcome& study : summary.studies)
    ++counts[study.verdict ? word(study.verdict->finding) : word(study.state)];
  Texts texts;
  for (const auto& [text, count] : counts) texts.push_back(fmt::format("{} {}", text, count));
  return summary.plan + ": " + joined(texts);
}

/// Runs the plan's commands; a failure is only reported. `why`: what ended the night early.
void notify(const Plan& plan, const SweepSummary& summary, const std::string& why) {
  for (const auto& words : plan.notify) {
    Command command;
    command.argv = words;
    command.environment["ROOFTUNE_SWEEP_STATE"] = word(summary.state());
    command.environment["ROOFTUNE_SWEEP_DIRECTORY"] = summary.directory.string();
    command.environment["ROOFTUNE_SWEEP_SUBJECT"] = subject_of(summary);
    constexpr int columns = 100;
    command.input = (why.empty() ? "" : why + "\n") + summary_text(summary, {.width = columns});
    command.limit = std::chrono::minutes(1);
    command.hands_over = true;  // An interrupted night is reported, too.
    try {
      if (const Finished finished = execute(command); !finished.status.ok())
        fmt::print(stderr, "warning: {} ended with {}\n", words.front(), finished.status.text());
    } catch (const Error& error) {
      fmt::print(stderr, "warning: {}\n", error.what());
    }
  }
}

/// Removes as `tune records gc` does; a fault is reported, and the night's state stays.
void remove_old(const Plan& plan, const fs::path& results, const SweepLog& log) try {
  OldRecords old = old_records(results, *plan.retention);
  remove(old);
  if (log) log("retention removed " + to_text(old));
} catch (const Error& error) {
  fmt::print(stderr, "warning: retention: {}\n", error.what());
}

/// Writes outputs and sends notifications, however the night ended; a fault in one does not keep
/// the others back.
void tell(const Plan& plan, const SweepSummary& summary, const SweepOutputs& outputs,
          const std::string& why) {
  NightList missing;
  for (const StudyOutcome& study : summary.studies) {
    if (study.state != StudyOutcome::State::interrupted) continue;
    Night& night = missing.emplace_back();
    night.run = summary.directory;
    night.plan = summary.plan;
    night.name = study.name;
    night.state = StudyOutcome::State::failed;
    night.message = "the night ended before it was measured";
  }
  std::exception_ptr fault;
  try {
    if (!outputs.empty()) write_sweep_outputs(outputs, summary.directory.parent_path(), missing);
  } catch (const Error&) {
    fault = std::current_exception();
  }
  notify(plan, summary, why);
  if (fault) std::rethrow_exception(fault);
}

}  // namespace

Plan allowed_plan(const SweepOptions& options) {
  Plan plan = read_plan(options.plan);
  const bool runs_commands =
      !plan.notify.empty() || any_of(plan.studies, [](const PlannedStudy& study) {
        return study.spec.program.has_value();
      });
  if (!runs_commands || options.allow_commands) return plan;
  // A link there, or on the way, may have changed since it was read.
  for (const auto& place : {fs::absolute(options.plan), fs::canonical(options.plan).parent_path(),
                            fs::absolute(options.plan).parent_path()})
    if (const std::string why = others_may_change(place); !why.empty())
      throw Error(why + ", and the plan's commands would run as you", place,
                  "read them, then --allow-commands; or keep the plan in a folder of your own");
  return plan;
}

SweepLog sweep_log(const SweepOptions& sweep) { return sweep.quiet ? SweepLog() : print_note; }

StudyRunner planned_runner(const Plan& plan, const SweepOptions& sweep, const fs::path& results) {
  return [&plan, &sweep, results](const StudyTurn& turn) {
    throw_if_interrupted();
    StudyOutcome outcome;
    const TunedStudy tuned = tune(spec_of(turn, plan, sweep, results), shown_of_study(sweep));
    outcome.result = figures_of(tuned.result);
    if (tuned.interrupted) {
      outcome.state = StudyOutcome::State::interrupted;
    } else if (!tuned.result.best) {
      outcome.state = StudyOutcome::State::failed;
      outcome.message = "no variant could be validated and measured";
    }
    // A program's build is not kept, so it cannot be raced.
    if (plan.watch && outcome.state == StudyOutcome::State::done && !turn.study.spec.program)
      outcome.verdict =
          held_against_baseline({results, runs_of(plan, results), plan.threshold, sweep_log(sweep)},
                                turn.study.name, tuned.record, tuned.result, *tuned.study);
    return outcome;
  };
}

int sweep_command(const SweepOptions& options) {
  if (options.plan.empty()) throw Error("no plan given", "command line", "tune sweep PLAN.json");
  const fs::path results = fs::absolute(results_directory(options.results));
  watch_interrupts();
  require_output(options.json);
  const auto outputs = sweep_outputs(options.outputs);
  const Plan plan = allowed_plan(options);
  if (options.check || options.dry_run) {
    check_all(plan);
    if (options.dry_run) return show_plan(plan, results, options.goes_on);
    fmt::print("{}: {} studies, nothing to complain of\n", options.plan, plan.studies.size());
    return 0;
  }
  SweepSummary summary;
  try {
    summary =
        options.launcher == Launcher::slurm
            ? sweep_on_slurm(plan, options, results)
            : run_sweep(
                  plan, results, planned_runner(plan, options, results),
                  {.wait = options.wait, .begin = options.begin(), .log = sweep_log(options)});
  } catch (const Error& error) {
    // On a full disk, say: reports what the night has, and what it lacks.
    if (const auto run = unfinished_run(plan, results); run && error.code() != ExitCode::busy)
      tell(plan, collected(plan, *run), outputs, error.what());
    throw;
  }
  write_output(options.json, json_text(to_json(summary), 2) + "\n");
  const auto to_stdout = [](const SweepOutput& output) { return is_stdout(output.file); };
  const bool takes_stdout = is_stdout(options.json) || any_of(outputs, to_stdout);
  if (!takes_stdout) fmt::print("{}", summary_text(summary, style_of(1)));
  if (summary.complete())
    tell(plan, summary, outputs, {});
  else
    tell(plan, collected(plan, summary.directory), outputs, "The night was interrupted.");
  if (plan.retention && summary.complete()) remove_old(plan, results, sweep_log(options));
  return exit_code(summary, options);
}

}  // namespace rooftune::night_commands
