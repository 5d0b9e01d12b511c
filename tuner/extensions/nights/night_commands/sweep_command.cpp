// tune sweep: the studies of a plan, unattended.
#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/export_choice.h"
#include "cli/study_files.h"
#include "core/units.h"
#include "host/host_platform.h"
#include "night_commands/options.h"
#include "night_commands/planned_study.h"
#include "night_commands/sweep_outputs.h"
#include "os/interruption.h"
#include "os/subprocess.h"
#include "report/answer.h"
#include "report/exporter.h"
#include "report/figures.h"
#include "report/result_json.h"
#include "report/terminal.h"
#include "report/text_table.h"
#include "study/prepare.h"
#include "sweep/schedule.h"
#include "sweep/sweep.h"

namespace rooftune::night_commands {
namespace {

/// The settings of a turn: the plan's, and the sweep's additions.
StudySpec spec_of(const StudyTurn& turn, const Plan& plan, const SweepOptions& sweep,
                  const std::filesystem::path& results) {
  StudySpec spec = turn.study.spec;
  if (turn.search_until) spec.budget = {.time = Seconds(*turn.search_until)};
  spec.only_search = turn.search_until.has_value();
  spec.fresh = turn.fresh;
  spec.wait = sweep.wait || plan.wait;
  spec.share_machine = sweep.share_machine;
  spec.results = results;
  spec.command = {"tune", "sweep", sweep.plan, "#" + turn.study.name};
  return spec;
}

/// Its log has a line for a study's outcome; without a terminal the rest is left out.
Shown shown_of_study(const SweepOptions& sweep) {
  if (sweep.quiet) return Shown::nothing;
  if (sweep.verbose) return Shown::all;
  return is_screen(2) ? Shown::line : Shown::waits;
}

}  // namespace

ExportWatch export_watch(const Plan& plan, const SweepOptions& sweep) {
  return {export_places(sweep.exports.places.empty() ? plan.exports : sweep.exports.places),
          sweep.exports.update || plan.update_exports, plan.threshold, sweep.share_machine,
          sweep_log(sweep)};
}

SweepLog sweep_log(const SweepOptions& sweep) {
  if (sweep.quiet) return {};
  return [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
}

StudyOutcome run_planned(const StudyTurn& turn, const Plan& plan, const SweepOptions& sweep,
                         const std::filesystem::path& results) {
  StudyOutcome outcome;
  const TunedStudy tuned = tune(spec_of(turn, plan, sweep, results), shown_of_study(sweep));
  outcome.result = figures_of(tuned.result);
  if (tuned.interrupted) {
    outcome.state = StudyOutcome::State::interrupted;
  } else if (!tuned.result.best) {
    outcome.state = StudyOutcome::State::failed;
    outcome.message = "no variant could be validated and measured";
  } else if (plan.watch && !turn.search_until) {
    outcome.verdict = held_against_baseline(
        {results, runs_of(plan, results), plan.threshold, sweep.share_machine, sweep_log(sweep)},
        turn.study.name, tuned.record, tuned.result, *tuned.study);
  }
  const ExportWatch exports = export_watch(plan, sweep);
  if (outcome.state == StudyOutcome::State::done && !turn.search_until && !exports.places.empty())
    outcome.exports = held_against_exports(exports, *tuned.study, tuned.result.best->configuration,
                                           json_export(exported_best(tuned.record, tuned.result)));
  return outcome;
}

namespace {

std::string shown(const std::optional<double>& figure, const char* format) {
  return figure ? fmt::format(fmt::runtime(format), *figure) : "-";
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
               own.back().failed    ? ", failed"
               : own.back().stopped ? fmt::format(", {}", word(*own.back().stopped))
                                    : "");
  }
}

void print_summary(const SweepSummary& summary) {
  const TerminalStyle style = style_of(1);
  fmt::print("sweep {}: {} studies\n", summary.plan, summary.studies.size());
  TextTable table(style.width, 0);
  table.row({{"study", Ink::faint},
             {"state", Ink::faint},
             {"best", Ink::faint},
             {"speed-up", Ink::faint},
             {"gap", Ink::faint},
             {"against the baseline", Ink::faint}});
  DoubtNotes notes;
  for (const StudyOutcome& study : summary.studies) {
    const StudyFigures figures = study.result.value_or(StudyFigures{});
    const bool bad = study.state == StudyOutcome::State::failed ||
                     (study.verdict && study.verdict->finding == Finding::regressed);
    table.row({{study.name, Ink::strong},
               {std::string(word(study.state)) + (study.earlier ? " *" : "")},
               {figures.seconds ? to_text(Seconds(figures.seconds->value)) : "-"},
               {shown(figures.speedup, "{:.2f}x") + notes.marks(figures.doubts.speedup)},
               {shown(figures.gap, "{:.2f}") + notes.marks(figures.doubts.gap)},
               {!study.verdict         ? study.message
                : study.verdict->ratio ? fmt::format("{} {}", word(study.verdict->finding),
                                                     ratio_interval(*study.verdict->ratio))
                                       : word(study.verdict->finding),
                bad ? Ink::yellow : Ink::none}});
  }
  fmt::print("{}{}", table.str(style.colour), notes.notes(style.width));
  for (const StudyOutcome& study : summary.studies)
    if (study.verdict && study.verdict->finding != Finding::none &&
        study.verdict->finding != Finding::first)
      fmt::print("{}", paragraph(study.name + ": ", study.verdict->sentence, style.width));
  for (const StudyOutcome& study : summary.studies)
    for (const ExportVerdict& one : study.exports)
      if (one.finding != ExportFinding::same)
        fmt::print("{}", paragraph(study.name + ": ", sentence_of(one), style.width));
  for (const RoofTonight& roof : summary.roofs)
    fmt::print("{}: {} gave {:.2f} of what the machine file says\n", roof.machine, roof.ceiling,
               roof.now / roof.then);
  print_slices(summary);
  for (const StudyOutcome& study : summary.studies)
    if (study.earlier) {
      fmt::print("* finished before this run was resumed\n");
      break;
    }
  if (!summary.complete())
    fmt::print("interrupted; run the same command to resume: {}\n", summary.directory.string());
  else
    fmt::print("{}: {}\n", summary.partial ? "the rest of the plan is left" : "summary",
               summary.directory.string());
}

/// Every fault of the plan's names; nothing is built or measured.
void check_all(const Plan& plan) {
  HostPlatform platform;
  Faults faults;
  const auto check = [&](const std::string& name, const auto& look) {
    try {
      look();
    } catch (const Error& error) {
      faults.add(name + ": " + error.where(), error.message(), error.hint());
    }
  };
  for (const PlannedStudy& study : plan.studies)
    check(study.name, [&] { require_readable(study.spec, platform); });
  check(plan.name, [&] { require_ceilings(plan); });
  faults.raise();
}

int show_plan(const Plan& plan, const std::filesystem::path& results) {
  const auto root = runs_of(plan, results);
  const auto last = last_nights(root);
  const auto open = unfinished_run(plan, results);
  const TerminalStyle style = style_of(1);
  TextTable table(style.width, 0);
  table.row(
      {{"study", Ink::faint}, {"takes about", Ink::faint}, {"gap", Ink::faint}, {"", Ink::faint}});
  double total = 0;
  for (const std::size_t i : in_order(plan, last)) {
    const PlannedStudy& study = plan.studies[i];
    const auto before = last.find(study.name);
    const auto seconds = expected_seconds(study, last);
    const bool done = open && outcome_of(study.name, *open);
    if (!done) total += seconds.value_or(0);
    const bool measured = before != last.end();
    table.row({{study.name, Ink::strong},
               {seconds ? duration_text(*seconds) : "-"},
               {measured && before->second.gap ? significant(*before->second.gap, 3) : "-"},
               {done       ? "done in the run that would be continued"
                : measured ? "measured last in " + before->second.run
                           : "never measured"}});
  }
  fmt::print("sweep {}: {} studies, in this order\n{}", plan.name, plan.studies.size(),
             table.str(style.colour));
  if (plan.budget) total = plan.budget->total;
  if (plan.total) total = std::min(total, *plan.total);
  fmt::print("about {} altogether{}\n", duration_text(total),
             plan.budget ? " of searching, divided by gap" : "");
  return 0;
}

/// Every plan's latest run under results/sweeps.
int show_status(const std::filesystem::path& results) {
  const auto roots = folders_in(results / "sweeps");
  if (roots.empty()) fmt::print("no sweep has run in {}\n", results.string());
  for (const auto& root : roots) {
    const RunStatus status = latest_run(root);
    fmt::print("{}: {}\n  {} ended{}{}\n  {}\n", root.filename().string(), status.state,
               status.ended, status.failed > 0 ? fmt::format(", {} failed", status.failed) : "",
               status.in_flight.empty()
                   ? ""
                   : fmt::format("; begun and not ended: {}", fmt::join(status.in_flight, ", ")),
               status.run.string());
  }
  return 0;
}

int exit_code(const SweepSummary& summary, const SweepOptions& options) {
  if (!summary.complete()) return static_cast<int>(ExitCode::interrupted);
  if (options.fail_on == "never") return 0;
  if (summary.has(Finding::regressed)) return static_cast<int>(ExitCode::failure);
  if (summary.failed()) return static_cast<int>(ExitCode::unavailable);
  constexpr int undecided = 4;
  return options.fail_on == "inconclusive" && summary.has(Finding::inconclusive) ? undecided : 0;
}

/// Commands of the plan; a failure is reported and nothing more.
void notify(const Plan& plan, const SweepSummary& summary) {
  for (const auto& words : plan.notify) {
    Command command;
    command.argv = words;
    command.environment["ROOFTUNE_SWEEP_STATE"] = word(summary.state());
    command.environment["ROOFTUNE_SWEEP_DIRECTORY"] = summary.directory.string();
    command.limit = std::chrono::minutes(1);
    try {
      if (const Finished finished = execute(command); !finished.status.ok())
        fmt::print(stderr, "warning: {} ended with {}\n", words.front(), finished.status.text());
    } catch (const Error& error) {
      fmt::print(stderr, "warning: {}\n", error.what());
    }
  }
}

}  // namespace

int sweep_command(const SweepOptions& options) {
  const std::filesystem::path results =
      std::filesystem::absolute(results_directory(options.results));
  if (options.plan == "status") return show_status(results);
  watch_interrupts();
  require_output(options.json);
  const auto outputs = sweep_outputs(options.outputs);
  const Plan plan = read_plan(options.plan);
  for (const std::string& fault : checked_exports(export_watch(plan, options)))
    fmt::print(stderr, "warning: {}\n", fault);
  if (options.check || options.dry_run) {
    check_all(plan);
    if (options.dry_run) return show_plan(plan, results);
    fmt::print("{}: {} studies, nothing to complain of\n", options.plan, plan.studies.size());
    return 0;
  }
  const auto runner = [&](const StudyTurn& turn) {
    if (interrupted()) throw Interrupted{};
    return run_planned(turn, plan, options, results);
  };
  const SweepSummary summary = options.launcher == "slurm"
                                   ? sweep_on_slurm(plan, options, results)
                                   : run_sweep(plan, results, runner,
                                               {.wait = options.wait,
                                                .only = options.only,
                                                .log = sweep_log(options),
                                                .share_machine = options.share_machine});
  write_output(options.json, json_text(to_json(summary), 2) + "\n");
  if (!outputs.empty() && summary.complete())
    write_sweep_outputs(outputs, summary.directory.parent_path());
  if (!is_stdout(options.json) && !takes_stdout(outputs)) print_summary(summary);
  if (summary.complete()) notify(plan, summary);
  return exit_code(summary, options);
}

}  // namespace rooftune::night_commands
