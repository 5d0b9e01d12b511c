// Whether an NVIDIA GPU is here to be counted on: its driver, its chip, and who may profile.
#pragma once
#include <string>

#include "counters/provider.h"

namespace rooftune {

/// Of the driver and its permissions; says nothing of CUPTI or ncu.
Availability nvidia_availability();
/// Whether /proc/driver/nvidia/params keeps counters for administrators; `text` is its content.
bool profiling_restricted(const std::string& text);

}  // namespace rooftune
