#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/fields.h"
#include "core/file.h"
#include "core/interrupted.h"
#include "core/seconds_since.h"
#include "os/file_lock.h"
#include "sweep/schedule.h"

namespace rooftune::inline sweep {
namespace {

/// Reasons to stop searching that more time changes.
constexpr const char* out_of_budget = "budget";

/// A new folder, named by time.
std::filesystem::path new_run(const Plan& plan, const std::filesystem::path& root) {
  std::string time = utc_now();
  std::replace(time.begin(), time.end(), ':', '-');
  std::filesystem::path directory = root / (time + "." + plan.key);
  for (int n = 2; std::filesystem::exists(directory); ++n)
    directory = root / fmt::format("{}_{}.{}", time, n, plan.key);
  std::filesystem::create_directories(directory);
  return directory;
}

Json to_json(const StudyOutcome& outcome) {
  return Json{{"name", outcome.name},       {"state", to_text(outcome.state)},
              {"message", outcome.message}, {"result", outcome.result},
              {"seconds", outcome.seconds}, {"verdict", encode(outcome.verdict)}};
}

/// Runs a turn; a fault of any kind is an outcome of the study, and the others go on.
StudyOutcome run_turn(const std::filesystem::path& directory, const StudyRunner& runner,
                      const PlannedStudy& study, std::optional<double> search_until) {
  // A study of a new run measures anew; one that a kill cut short continues its own records.
  const std::filesystem::path mark = directory / (study.name + started_suffix);
  const bool fresh = !std::filesystem::exists(mark);
  write_atomically(mark, utc_now() + "\n");
  StudyOutcome outcome;
  const auto begin = std::chrono::steady_clock::now();
  try {
    outcome = runner({study, fresh, search_until});
  } catch (const Interrupted&) {
    outcome.state = StudyOutcome::State::interrupted;
  } catch (const std::exception& fault) {
    outcome.state = StudyOutcome::State::failed;
    outcome.message = as_error(fault).what();
  }
  outcome.name = study.name;
  outcome.seconds = seconds_since(begin);
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
  slice.gap = gap_of(outcome.result);
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
    case StudyOutcome::State::left:
      return "left";
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

bool SweepSummary::has(Finding finding) const {
  return std::any_of(studies.begin(), studies.end(), [&](const StudyOutcome& study) {
    return study.verdict && study.verdict->finding == finding;
  });
}

const char* SweepSummary::state() const {
  if (has(Finding::regressed)) return "regressed";
  if (failed()) return "failed";
  if (has(Finding::inconclusive)) return "inconclusive";
  return has(Finding::improved) ? "improved" : "none";
}

std::optional<double> gap_of(const Json& result) {
  const auto all = figure(result, "/inputs/gap/value");
  return all ? all : figure(result, "/best/gap/total");
}

Json to_json(const SweepSummary& summary) {
  Json json{{"schema", "rooftune-sweep-summary-1"},
            {"plan", summary.plan},
            {"started", summary.started},
            {"finished", summary.finished},
            {"complete", summary.complete()},
            {"failed", summary.failed()},
            {"state", summary.state()}};
  json["studies"] = Json::array();
  for (const auto& study : summary.studies) json["studies"].push_back(to_json(study));
  if (!summary.slices.empty()) json["slices"] = to_json(summary.slices);
  return json;
}

std::filesystem::path runs_of(const Plan& plan, const std::filesystem::path& results) {
  return results / "sweeps" / plan.name;
}

std::optional<std::filesystem::path> open_run(const Plan& plan,
                                              const std::filesystem::path& results) {
  std::vector<std::filesystem::path> open;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(runs_of(plan, results), none))
    if (entry.path().extension() == "." + plan.key &&
        !std::filesystem::exists(entry.path() / summary_file))
      open.push_back(entry.path());
  if (open.empty()) return std::nullopt;
  return *std::max_element(open.begin(), open.end());
}

std::optional<StudyOutcome> outcome_on_file(const std::filesystem::path& run,
                                            const std::string& study) {
  const std::filesystem::path file = run / (study + ".json");
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    const Json json = read_json(file);
    StudyOutcome outcome;
    outcome.name = json.at("name").get<std::string>();
    outcome.state =
        json.at("state") == "done" ? StudyOutcome::State::done : StudyOutcome::State::failed;
    outcome.message = json.at("message").get<std::string>();
    outcome.result = json.at("result");
    outcome.seconds = json.value("seconds", 0.0);
    if (json.contains("verdict"))
      outcome.verdict = decoded<std::optional<SeriesVerdict>>(json.at("verdict"), file.string());
    outcome.earlier = true;
    return outcome;
  } catch (const std::exception&) {
    return std::nullopt;  // An unreadable file is measured again, from its records.
  }
}

namespace {

bool is_asked_for(const SweepControl& control, const std::string& study) {
  return control.only.empty() ||
         std::find(control.only.begin(), control.only.end(), study) != control.only.end();
}

void require_names(const Plan& plan, const SweepControl& control) {
  if (plan.budget && !control.only.empty())
    throw Error("the plan's budget is divided among all its studies", "--only",
                "leave it out, or give the studies budgets of their own");
  for (const std::string& name : control.only)
    if (std::none_of(plan.studies.begin(), plan.studies.end(),
                     [&](const PlannedStudy& study) { return study.name == name; }))
      throw Error(fmt::format("the plan has no study \"{}\"", name), "--only",
                  "tune sweep PLAN --dry-run lists them");
}

/// Each study once, in order; false when the user interrupted it.
bool run_studies(const Plan& plan, const std::vector<std::size_t>& order, const StudyRunner& runner,
                 const SweepControl& control, SweepSummary& summary) {
  const auto begin = std::chrono::steady_clock::now();
  double spent = 0;  // in earlier, killed runs of this sweep
  for (const std::size_t i : order) {
    const PlannedStudy& study = plan.studies[i];
    if (auto earlier = outcome_on_file(summary.directory, study.name)) {
      spent += earlier->seconds;
      summary.studies.push_back(*earlier);
      continue;
    }
    if (!is_asked_for(control, study.name)) {
      summary.partial = true;
      continue;
    }
    if (plan.total && spent + seconds_since(begin) >= *plan.total) {
      StudyOutcome& left = summary.studies.emplace_back();
      left.name = study.name;
      left.state = StudyOutcome::State::left;
      left.message = "the plan's time is spent";
      continue;
    }
    summary.studies.push_back(run_turn(summary.directory, runner, study, std::nullopt));
    const StudyOutcome& outcome = summary.studies.back();
    if (outcome.state == StudyOutcome::State::interrupted) return false;
    write_atomically(summary.directory / (study.name + ".json"),
                     json_text(to_json(outcome), 2) + "\n");
  }
  return true;
}

}  // namespace

SweepSummary run_sweep(const Plan& given, const std::filesystem::path& results,
                       const StudyRunner& runner, const SweepControl& control) {
  require_names(given, control);
  SweepSummary summary;
  summary.plan = given.name;
  summary.started = utc_now();
  const std::filesystem::path root = runs_of(given, results);
  make_folders(root);
  const FileLock lock = lock_or_wait(root / "lock", "sweep " + given.name, control.wait, {});
  // What was measured last tells who comes first, also when the run began before that.
  const std::vector<std::size_t> order = in_order(given, last_nights(root));
  const auto open = open_run(given, results);
  summary.directory = open ? *open : new_run(given, root);
  if (!given.budget || search_by_gap(given, summary.directory, runner, summary))
    run_studies(with_used_budgets(given, summary.slices), order, runner, control, summary);
  summary.finished = utc_now();
  if (summary.complete() && !summary.partial)
    write_atomically(summary.directory / summary_file, json_text(to_json(summary), 2) + "\n");
  return summary;
}

}  // namespace rooftune::inline sweep
