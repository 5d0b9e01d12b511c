// Outcome of a sweep, as JSON.
#include <algorithm>

#include "core/fields.h"
#include "sweep/sweep.h"

namespace rooftune::sweep {

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

Standing SweepSummary::state() const {
  if (has(Finding::regressed)) return Standing::regressed;
  if (failed()) return Standing::failed;
  if (has(Finding::inconclusive)) return Standing::inconclusive;
  return has(Finding::improved) || beats_export() ? Standing::improved : Standing::none;
}

Json to_json(const SweepSummary& summary) {
  Json json{{"schema", "rooftune-sweep-summary-1"}, {"plan", summary.plan},
            {"started", summary.started},           {"finished", summary.finished},
            {"complete", summary.complete()},       {"failed", summary.failed()},
            {"state", word(summary.state())}};
  json["studies"] = encode(summary.studies);
  for (const RoofTonight& roof : summary.roofs) json["roofs"].push_back(to_json(roof));
  if (!summary.slices.empty()) json["slices"] = encode(summary.slices);
  return json;
}

}  // namespace rooftune::sweep
