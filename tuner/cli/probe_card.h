// Probe of a GPU from the command line. --gpu chooses it: an index, a UUID, or nothing for the
// first card.
#pragma once
#include <string>

#include "cli/options.h"

namespace rooftune::cli {

/// tune probe --gpu: measures the card and writes its machine file. Throws Error
/// (ExitCode::unavailable) with the reason when there is no card, driver or NVRTC.
int probe_card_command(const ProbeOptionsLine& options);

}  // namespace rooftune::cli
