#include "trial/transfer.h"

#include <fmt/format.h>

namespace rooftune::trial {

std::string to_text(const Transfer& transfer) {
  std::string text = transfer.proposals.empty() ? "nothing known elsewhere fits this space"
                                                : "started from the best known: ";
  for (std::size_t i = 0; i < transfer.sources.size(); ++i) {
    const TransferSource& source = transfer.sources[i];
    text += fmt::format("{}{} of {} on {} ({}{})", i == 0 ? "" : "; ", source.proposals.size(),
                        source.study, source.machine, source.problem,
                        source.trials == 0 ? "" : fmt::format(", {} trials", source.trials));
  }
  if (transfer.skipped > 0)
    text +=
        fmt::format("; {} shipped with knobs or values that this space has not", transfer.skipped);
  return text;
}

}  // namespace rooftune::trial
