// tune explain [TRIAL]: everything on record about a study or one of its trials.
#include <fmt/format.h>

#include "cli/console.h"
#include "cli/explain_trial.h"
#include "cli/options.h"
#include "study/analyse.h"
#include "study/find_study.h"

namespace rooftune::cli {
int explain_command(const ExplainOptions& options) {
  const StudyRecord study = find_study(
      std::filesystem::absolute(options.spec.results),
      {.kernel = options.spec.kernel, .id = options.study, .inputs = options.spec.inputs});
  const StudyResult report = analyse(study, options.input);
  if (options.trial.empty()) {
    fmt::print("study {} of {} on {}\n  what its id is made of:\n{}", report.identity.id,
               report.identity.kernel, report.roofline.machine.name,
               indented(study.header.explanation));
    print_answer(report, true);
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
