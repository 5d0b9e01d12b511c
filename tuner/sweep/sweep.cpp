#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/file.h"

namespace rooftune {
namespace {

constexpr const char* summary_file = "summary.json";
constexpr const char* started_suffix = ".started";

/// The newest run of this very plan that has no summary yet; else a new folder named by time.
std::filesystem::path run_directory(const Plan& plan, const std::filesystem::path& results) {
  const std::filesystem::path root = results / "sweeps" / plan.name;
  std::error_code code;
  std::filesystem::create_directories(root, code);
  if (code)
    throw Error("cannot create: " + code.message(), root.string(),
                "choose another --results directory");
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
  return json;
}

SweepSummary run_sweep(const Plan& plan, const std::filesystem::path& results,
                       const StudyRunner& runner) {
  SweepSummary summary;
  summary.plan = plan.name;
  summary.started = utc_now();
  summary.directory = run_directory(plan, results);
  for (const PlannedStudy& study : plan.studies) {
    const std::filesystem::path file = summary.directory / (study.name + ".json");
    if (auto earlier = finished_earlier(file, study.name)) {
      summary.studies.push_back(*earlier);
      continue;
    }
    // A study of a new run measures anew; one that a kill cut short continues its own records.
    const std::filesystem::path mark = summary.directory / (study.name + started_suffix);
    const bool fresh = !std::filesystem::exists(mark);
    write_atomically(mark, utc_now() + "\n");
    StudyOutcome outcome;
    try {
      outcome = runner(study, fresh);
    } catch (const Error& error) {
      outcome.state = StudyOutcome::State::failed;
      outcome.message = error.what();
    }
    outcome.name = study.name;
    summary.studies.push_back(outcome);
    if (outcome.state == StudyOutcome::State::interrupted) break;
    write_atomically(file, to_json(outcome).dump(2) + "\n");
  }
  summary.finished = utc_now();
  if (summary.complete())
    write_atomically(summary.directory / summary_file, to_json(summary).dump(2) + "\n");
  return summary;
}

}  // namespace rooftune
