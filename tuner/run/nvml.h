// What NVIDIA's management library says of a card while it works: read, never set.
#pragma once
#include <optional>
#include <string>

#include "trial/trial.h"

namespace rooftune::inline run {

/// What the library says of the card with this UUID (as nvidia-smi prints it); nothing without the
/// library.
std::optional<CardState> nvml_state(const std::string& uuid);

}  // namespace rooftune::inline run
