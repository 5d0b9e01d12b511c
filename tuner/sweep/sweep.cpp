#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/file.h"
#include "core/interrupted.h"
#include "os/file_lock.h"

namespace rooftune::inline sweep {
namespace {

constexpr const char* started_suffix = ".started";
/// Reasons to stop searching that more time changes.
constexpr const char* out_of_budget = "budget";

std::filesystem::path made_root(const Plan& plan, const std::filesystem::path& results) {
  std::filesystem::path root = results / "sweeps" / plan.name;
  std::error_code code;
  std::filesystem::create_directories(root, code);
  if (code)
    throw Error("cannot create: " + code.message(), root.string(),
                "choose another --results directory", ExitCode::io);
  return root;
}

/// The newest run of this very plan that has no summary yet; else a new folder named by time.
std::filesystem::path run_directory(const Plan& plan, const std::filesystem::path& root) {
  std::vector<std::filesystem::path> open;
  for (const auto& entry : std::filesystem::directory_iterator(root))
    if (entry.path().extension() == "." + plan.key &&
        !std::filesystem::exists(entry.path() / summary_file))
      open.push_back(entry.path());
  if (!open.empty()) return *std::max_element(open.begin(), open.end());
  std::string time = utc_now();
  std::replace(time.begin(), time.end(), ':', '-');
  std::filesystem::path directory = root / (time + "." + plan.key);
  for (int n = 2; std::filesystem::exists(directory); ++n)
    directory = root / fmt::format("{}_{}.{}", time, n, plan.key);
  std::filesystem::create_directories(directory);
  return directory;
}

Json to_json(const StudyOutcome& outcome) {
  return Json{{"name", outcome.name},
              {"state", to_text(outcome.state)},
              {"message", outcome.message},
              {"result", outcome.result}};
}

std::optional<StudyOutcome> finished_earlier(const std::filesystem::path& file,
                                             const std::string& name) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    const Json json = read_json(file);
    StudyOutcome outcome;
    outcome.name = name;
    outcome.state =
        json.at("state") == "done" ? StudyOutcome::State::done : StudyOutcome::State::failed;
    outcome.message = json.at("message").get<std::string>();
    outcome.result = json.at("result");
    outcome.earlier = true;
    return outcome;
  } catch (const std::exception&) {
    return std::nullopt;  // An unreadable file is measured again, from its records.
  }
}

/// Runs a turn; a fault of any kind is an outcome of the study, and the others go on.
StudyOutcome run_turn(const std::filesystem::path& directory, const StudyRunner& runner,
                      const PlannedStudy& study, std::optional<double> search_until) {
  // A study of a new run measures anew; one that a kill cut short continues its own records.
  const std::filesystem::path mark = directory / (study.name + started_suffix);
  const bool fresh = !std::filesystem::exists(mark);
  write_atomically(mark, utc_now() + "\n");
  StudyOutcome outcome;
  try {
    outcome = runner({study, fresh, search_until});
  } catch (const Interrupted&) {
    outcome.state = StudyOutcome::State::interrupted;
  } catch (const std::exception& fault) {
    outcome.state = StudyOutcome::State::failed;
    outcome.message = as_error(fault).what();
  }
  outcome.name = study.name;
  return outcome;
}

std::optional<double> figure(const Json& result, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!result.is_object() || !result.contains(place) || !result.at(place).is_number())
    return std::nullopt;
  return result.at(place).get<double>();
}

/// The study after a turn; one that still could use time is charged at least the turn, so that
/// every sweep ends.
Slice slice_of(const StudyOutcome& outcome, const Turn& turn) {
  Slice slice;
  slice.study = outcome.name;
  slice.searched = figure(outcome.result, "/cost/total").value_or(0);
  slice.gap = figure(outcome.result, "/inputs/gap/value");
  if (!slice.gap) slice.gap = figure(outcome.result, "/best/gap/total");
  const Json::json_pointer reason("/stop/reason");
  if (outcome.state == StudyOutcome::State::failed)
    slice.ended = "failed";
  else if (outcome.result.is_object() && outcome.result.contains(reason) &&
           outcome.result.at(reason) != out_of_budget)
    slice.ended = outcome.result.at(reason).get<std::string>();
  const double used = std::max(0.0, slice.searched - (turn.until - turn.length));
  slice.seconds = slice.ended.empty() ? std::max(turn.length, used) : used;
  return slice;
}

std::vector<Slice> earlier_slices(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  try {
    return slices_from_json(read_json(file), file.string());
  } catch (const Error&) {
    // Studies go on from their records, and their next slice is charged for all that these hold.
    return {};
  }
}

/// Searches slice by slice; false when the user interrupted it.
bool search_by_gap(const Plan& plan, const std::filesystem::path& directory,
                   const StudyRunner& runner, SweepSummary& summary) {
  const std::filesystem::path file = directory / slices_file;
  summary.slices = earlier_slices(file);
  while (const auto turn = next_turn(plan, summary.slices)) {
    const StudyOutcome outcome =
        run_turn(directory, runner, plan.studies[turn->study], turn->until);
    if (outcome.state == StudyOutcome::State::interrupted) {
      summary.studies.push_back(outcome);
      return false;
    }
    summary.slices.push_back(slice_of(outcome, *turn));
    write_atomically(file, json_text(to_json(summary.slices), 2) + "\n");
  }
  return true;
}

/// What a study has used of the shared budget becomes its own: its end searches no further.
Plan with_used_budgets(Plan plan, const std::vector<Slice>& slices) {
  for (PlannedStudy& study : plan.studies) {
    const auto own = slices_of(slices, study.name);
    // A little less, so that no rounding leaves room for one more trial.
    if (!own.empty())
      study.spec.budget = {.time = Seconds(std::max(1e-3, 0.999 * own.back().searched))};
  }
  return plan;
}

}  // namespace

const char* to_text(StudyOutcome::State state) {
  switch (state) {
    case StudyOutcome::State::done:
      return "done";
    case StudyOutcome::State::failed:
      return "failed";
    case StudyOutcome::State::interrupted:
      return "interrupted";
  }
  return "";
}

bool SweepSummary::complete() const {
  return std::none_of(studies.begin(), studies.end(), [](const StudyOutcome& study) {
    return study.state == StudyOutcome::State::interrupted;
  });
}

bool SweepSummary::failed() const {
  return std::any_of(studies.begin(), studies.end(), [](const StudyOutcome& study) {
    return study.state == StudyOutcome::State::failed;
  });
}

Json to_json(const SweepSummary& summary) {
  Json json{{"schema", "rooftune-sweep-summary-1"}, {"plan", summary.plan},
            {"started", summary.started},           {"finished", summary.finished},
            {"complete", summary.complete()},       {"failed", summary.failed()}};
  json["studies"] = Json::array();
  for (const auto& study : summary.studies) json["studies"].push_back(to_json(study));
  if (!summary.slices.empty()) json["slices"] = to_json(summary.slices);
  return json;
}

SweepSummary run_sweep(const Plan& given, const std::filesystem::path& results,
                       const StudyRunner& runner, bool wait) {
  SweepSummary summary;
  summary.plan = given.name;
  summary.started = utc_now();
  const std::filesystem::path root = made_root(given, results);
  const FileLock lock = lock_or_wait(root / "lock", "sweep " + given.name, wait, {});
  summary.directory = run_directory(given, root);
  bool going_on = !given.budget || search_by_gap(given, summary.directory, runner, summary);
  const Plan plan = with_used_budgets(given, summary.slices);
  for (const PlannedStudy& study : plan.studies) {
    if (!going_on) break;
    const std::filesystem::path file = summary.directory / (study.name + ".json");
    if (auto earlier = finished_earlier(file, study.name)) {
      summary.studies.push_back(*earlier);
      continue;
    }
    summary.studies.push_back(run_turn(summary.directory, runner, study, std::nullopt));
    const StudyOutcome& outcome = summary.studies.back();
    going_on = outcome.state != StudyOutcome::State::interrupted;
    if (going_on) write_atomically(file, json_text(to_json(outcome), 2) + "\n");
  }
  summary.finished = utc_now();
  if (summary.complete())
    write_atomically(summary.directory / summary_file, json_text(to_json(summary), 2) + "\n");
  return summary;
}

}  // namespace rooftune::inline sweep
