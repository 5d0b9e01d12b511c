// Whether an NVIDIA GPU is here to be counted on: its driver, its chip, and who may profile.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "counters/provider.h"

namespace rooftune::inline counters {

/// Of the driver and its permissions; says nothing of CUPTI or ncu.
Availability nvidia_availability();
/// ncu on PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin.
std::optional<std::filesystem::path> ncu_program();
/// Whether /proc/driver/nvidia/params keeps counters for administrators; `text` is its content.
bool profiling_restricted(const std::string& text);

}  // namespace rooftune::inline counters
