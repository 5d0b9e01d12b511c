// Outcome of a sweep and its studies, as JSON and in words.
#include <fmt/format.h>

#include <algorithm>

#include "core/fields.h"
#include "report/figures.h"
#include "sweep/sweep.h"

namespace rooftune::sweep {

Json to_json(const StudyOutcome& outcome) {
  return Json{{"name", outcome.name},
              {"state", to_text(outcome.state)},
              {"message", outcome.message},
              {"result", outcome.result},
              {"seconds", outcome.seconds},
              {"verdict", encode(outcome.verdict)},
              {"exports", encode(outcome.exports)}};
}

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

bool SweepSummary::beats_export() const {
  for (const StudyOutcome& study : studies)
    for (const ExportVerdict& one : study.exports)
      if (one.finding == ExportFinding::better) return true;
  return false;
}

const char* SweepSummary::state() const {
  if (has(Finding::regressed)) return "regressed";
  if (failed()) return "failed";
  if (has(Finding::inconclusive)) return "inconclusive";
  return has(Finding::improved) || beats_export() ? "improved" : "none";
}

std::optional<double> figure(const Json& result, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!result.is_object() || !result.contains(place) || !result.at(place).is_number())
    return std::nullopt;
  return result.at(place).get<double>();
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
  for (const RoofTonight& roof : summary.roofs) json["roofs"].push_back(to_json(roof));
  if (!summary.slices.empty()) json["slices"] = to_json(summary.slices);
  return json;
}

std::string ended_text(const StudyOutcome& outcome) {
  std::string text = fmt::format("{}: {} after {}", outcome.name, to_text(outcome.state),
                                 duration_text(outcome.seconds));
  if (const auto gap = gap_of(outcome.result)) text += ", gap " + significant(*gap, 3);
  if (outcome.verdict)
    text += fmt::format(", {}: {}", word(outcome.verdict->finding), outcome.verdict->sentence);
  for (const ExportVerdict& one : outcome.exports) text += "; " + sentence_of(one);
  if (!outcome.message.empty())
    text += ": " + outcome.message.substr(0, outcome.message.find('\n'));
  return text;
}

}  // namespace rooftune::sweep
