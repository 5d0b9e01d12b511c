// What NVIDIA's management library says of a card while it works: read, never set.
// The caller owes the card's UUID as nvidia-smi prints it.
#pragma once
#include <string>

#include "core/json.h"

namespace rooftune {

/// {"sm_mhz", "memory_mhz", "celsius", "watts", "throttled": bit mask of the library}, as far as it
/// tells; null without the library.
Json nvml_state(const std::string& uuid);

}  // namespace rooftune
