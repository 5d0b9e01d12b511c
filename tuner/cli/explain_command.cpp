// tune explain [TRIAL]: everything on record about a study or one of its trials.
#include <fmt/format.h>

#include "cli/explain_trial.h"
#include "cli/options.h"
#include "cli/study_files.h"
#include "core/units.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"

namespace rooftune::cli {
namespace {

void print_study(const StudyResult& report, const StudyRecord& study) {
  fmt::print("study {} of {} on {}\n  what its id is made of:\n{}", report.identity.id,
             report.identity.kernel, report.roofline.machine.name,
             indented(study.header.explanation));
  if (report.bound.known())
    fmt::print("  bound {} [{}, {}]: the slowest of\n", to_text(report.bound.time),
               to_text(report.bound.low), to_text(report.bound.high));
  else
    fmt::print("  {}\n", bound_sentence(report));
  for (const CeilingTime& part : report.bound.parts)
    fmt::print("    {:<6} {:>10}  {}{}\n", part.level, to_text(part.time), part.ceiling,
               part.ceiling == report.bound.ceiling ? "   <- binds" : "");
  for (const std::string& wall : wall_sentences(report)) fmt::print("  {}\n", wall);
  if (report.walls.empty())
    fmt::print("  no experiments on walls: {}\n", report.no_experiments_because);
  fmt::print("  stopped: {}\n  trials: {}\n", report.stop.sentence, report.trials.size());
  for (const std::string& sentence : promotion_sentences(report))
    fmt::print("  promoted: {}\n", sentence);
  for (const std::string& flag : report.flags) fmt::print("  FLAG: {}\n", flag);
}

}  // namespace

int explain_command(const ExplainOptions& options) {
  const FoundStudy found = found_study(
      std::filesystem::absolute(options.spec.results),
      {.kernel = options.spec.kernel, .id = options.study, .inputs = options.spec.inputs});
  const StudyRecord& study = found.record;
  const StudyResult report = found.result(options.input);
  if (options.trial.empty()) {
    print_study(report, study);
    return 0;
  }
  const Trial& trial = chosen_trial(report, options.trial);
  if (!options.source && !options.diff) {
    explain_trial(study, report, trial);
    return 0;
  }
  const VariantSource variants(study);
  if (const auto changed = variants.changed(); !changed.empty())
    fmt::print(stderr, "note: of today's files; changed since the study: {}\n",
               fmt::join(changed, ", "));
  fmt::print("{}",
             options.source ? variants.text(trial.configuration) : variants.difference(trial));
  return 0;
}

}  // namespace rooftune::cli
