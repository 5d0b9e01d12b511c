#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "core/fields.h"
#include "core/file.h"
#include "core/list.h"
#include "core/seconds_since.h"
#include "core/units.h"
#include "os/file_lock.h"
#include "report/figures.h"

namespace rooftune::sweep {
namespace {

StudyOutcome without_result(const PlannedStudy& study, StudyOutcome::State state,
                            const std::string& message = {}) {
  return {{study.name, state, message}};
}

bool undecided(const StudyOutcome& outcome) {
  return outcome.verdict && outcome.verdict->raced &&
         outcome.verdict->finding == Standing::inconclusive;
}

/// Runs studies of a plan in the folder of a run.
struct PartOfRun {
  const Plan& plan;
  const fs::path& directory;
  const StudyRunner& runner;
  const SweepLog& log;

  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) const {
    if (log) log(fmt::format(format, std::forward<Args>(args)...));
  }

  /// Runs a turn; any fault becomes the study's outcome, and the others go on.
  StudyOutcome run_turn(const PlannedStudy& study) const {
    // A study in a new run measures anew; a study that a kill cut short continues its own records.
    const fs::path mark = directory / (study.name + started_suffix);
    const bool fresh = !fs::exists(mark);
    write_atomically(mark, utc_now() + "\n");
    StudyOutcome outcome;
    const auto begin = SteadyClock::now();
    try {
      outcome = runner({study, fresh});
    } catch (const Interrupted&) {
      outcome.state = StudyOutcome::State::interrupted;
    } catch (const std::exception& fault) {
      // If there is no space for records, no study can go on, and this one is not to blame.
      const auto* const known = dynamic_cast<const Error*>(&fault);
      if (known && known->code() == ExitCode::io) throw;
      const Error error = as_error(fault);
      const bool busy = error.code() == ExitCode::busy;
      outcome.state = busy ? StudyOutcome::State::left : StudyOutcome::State::failed;
      outcome.message = error.what();
    }
    outcome.name = study.name;
    outcome.seconds = seconds_since(begin);
    return outcome;
  }

  void keep(const StudyOutcome& outcome) const {
    write_atomically(outcome_file(outcome.name, directory), json_text(encode(outcome), 2) + "\n");
  }

  /// Runs one study, unless its outcome is there.
  StudyOutcome finish(const PlannedStudy& study) const {
    if (auto earlier = outcome_of(study.name, directory)) return *earlier;
    StudyOutcome outcome = without_result(study, StudyOutcome::State::interrupted);
    try {
      const FileLock lock =
          lock_or_wait(directory / (study.name + ".lock"), "study " + study.name, true, {});
      // A scheduler may have started us twice, and the other one was first.
      if (auto earlier = outcome_of(study.name, directory)) return *earlier;
      outcome = run_turn(study);
      if (outcome.state == StudyOutcome::State::done ||
          outcome.state == StudyOutcome::State::failed)
        keep(outcome);
    } catch (const Interrupted&) {
    }
    return outcome;
  }

  /// The machine may be in another state an hour later: the study answers from its records and is
  /// raced anew. A fault here changes nothing.
  void race_again(const PlannedStudy& study, StudyOutcome& outcome) const {
    const auto begin = SteadyClock::now();
    try {
      StudyOutcome again = runner({study, false});
      if (again.state != StudyOutcome::State::done || !again.verdict) return;
      again.name = study.name;
      again.seconds = outcome.seconds + seconds_since(begin);
      outcome = std::move(again);
      keep(outcome);
    } catch (const Interrupted&) {
    } catch (const Error&) {
    }
  }

  SweepSummary run(const Indices& positions) const {
    SweepSummary summary;
    summary.plan = plan.name;
    summary.started = utc_now();
    summary.directory = directory;
    double spent = 0;
    Indices to_go = filtered(
        positions, [&](size_t one) { return !outcome_of(plan.studies[one].name, directory); });
    for (const size_t position : positions) {
      const PlannedStudy& study = plan.studies[position];
      const bool is_new = !to_go.empty() && to_go.front() == position;
      const bool left = plan.total && spent >= *plan.total && is_new;
      if (left)
        say("{}: left for the next night: {} of {} are spent", study.name, duration_text(spent),
            duration_text(*plan.total));
      else if (is_new)
        say("== {}: {} of {} ==", study.name, positions.size() - to_go.size() + 1,
            positions.size());
      else
        say("{}: ended earlier in this run, kept", study.name);
      summary.studies.push_back(
          left ? without_result(study, StudyOutcome::State::left, "the plan's time is spent")
               : finish(study));
      if (is_new && !left) say("{}", ended_text(summary.studies.back()));
      if (is_new) to_go.erase(to_go.begin());
      spent += summary.studies.back().seconds;
      if (summary.studies.back().state == StudyOutcome::State::interrupted) break;
    }
    for (StudyOutcome& outcome : summary.studies) {
      if (!undecided(outcome) || outcome.earlier || !summary.complete() ||
          (plan.total && spent >= *plan.total))
        continue;
      const auto study = std::ranges::find(plan.studies, outcome.name, &PlannedStudy::name);
      const double before = outcome.seconds;
      say("{}: raced again, as the race before told nothing", outcome.name);
      race_again(*study, outcome);
      say("{}", ended_text(outcome));
      spent += outcome.seconds - before;
    }
    summary.finished = utc_now();
    return summary;
  }
};

}  // namespace

bool SweepSummary::has(StudyEnd::State state) const {
  return contains(studies, state, &StudyOutcome::state);
}

bool SweepSummary::has(Standing finding) const {
  return any_of(studies, [&](const StudyOutcome& study) {
    return study.verdict && study.verdict->finding == finding;
  });
}

Standing SweepSummary::state() const {
  if (has(Standing::regressed)) return Standing::regressed;
  if (failed() || !complete()) return Standing::failed;
  if (has(Standing::inconclusive)) return Standing::inconclusive;
  if (has(Standing::improved)) return Standing::improved;
  return has(Standing::better) ? Standing::better : Standing::none;
}

Json to_json(const SweepSummary& summary) {
  Json json{{"schema", "rooftune-sweep-summary-1"}, {"plan", summary.plan},
            {"started", summary.started},           {"finished", summary.finished},
            {"complete", summary.complete()},       {"failed", summary.failed()},
            {"state", word(summary.state())}};
  json["studies"] = encode(summary.studies);
  return json;
}

fs::path runs_of(const Plan& plan, const fs::path& results) {
  return results / "sweeps" / plan.name;
}

FileLock lock_sweep(const Plan& plan, const fs::path& results, bool wait) {
  return lock_or_wait(folder_below(results, runs_of(plan, {})) / "lock", "sweep " + plan.name, wait,
                      {});
}

std::optional<fs::path> unfinished_run(const Plan& plan, const fs::path& results) {
  std::optional<fs::path> newest;
  for (const auto& run : folders_in(runs_of(plan, results)))
    if (run.extension() == "." + plan.key) newest = run;
  if (newest && fs::exists(*newest / summary_file)) return std::nullopt;
  return newest;
}

fs::path open_run(const Plan& plan, const fs::path& results, Begin begin) {
  const fs::path root = folder_below(results, runs_of(plan, {}));
  const FileLock lock = lock_or_wait(root / "begin.lock", "sweep " + plan.name, true, {});
  if (const auto open = unfinished_run(plan, results); open && begin != Begin::anew)
    return folder_below(root, open->filename());
  if (begin == Begin::continued)
    throw Error("no night of this plan ended early", root,
                "leave out --continue, and a new one begins");
  std::string time = utc_now();
  std::ranges::replace(time, ':', '-');
  // Runs are ordered by name, even if the clock was set back since.
  const auto runs = folders_in(root);
  if (!runs.empty()) time = std::max(time, file_name(runs.back()).substr(0, time.size()));
  fs::path directory = root / (time + "." + plan.key);
  for (int n = 2; !runs.empty() && directory <= runs.back(); ++n)
    directory = root / fmt::format("{}_{:04}.{}", time, n, plan.key);
  return folder_below(root, directory.filename());
}

SweepSummary run_part(const Plan& plan, const fs::path& directory, const Indices& positions,
                      const StudyRunner& runner, const SweepLog& log) {
  return PartOfRun{plan, directory, runner, log}.run(positions);
}

SweepSummary collected(const Plan& plan, const fs::path& directory) {
  SweepSummary summary;
  summary.plan = plan.name;
  summary.directory = directory;
  summary.started = summary.finished = utc_now();
  for (const PlannedStudy& study : plan.studies) {
    auto finished = outcome_of(study.name, directory);
    summary.studies.push_back(finished ? std::move(*finished)
                                       : without_result(study, StudyOutcome::State::interrupted));
  }
  return summary;
}

void write_summary(const SweepSummary& summary) {
  if (!summary.complete()) return;
  write_atomically(summary.directory / summary_file, json_text(to_json(summary), 2) + "\n");
}

SweepSummary run_sweep(const Plan& plan, const fs::path& results, const StudyRunner& runner,
                       const SweepControl& control) {
  const FileLock lock = lock_sweep(plan, results, control.wait);
  const auto order = in_order(plan, last_nights(runs_of(plan, results), plan));
  const SweepSummary summary =
      run_part(plan, open_run(plan, results, control.begin), order, runner, control.log);
  write_summary(summary);
  return summary;
}

}  // namespace rooftune::sweep
