// NVIDIA GPUs for counting: driver, chip, right to profile; and the functions in CUDA's rows of the
// table of counter providers.
#pragma once
#include <string>
#include <vector>

#include "counters/provider.h"

namespace rooftune::counters {

/// Of the driver and its permissions; not of CUPTI.
Availability nvidia_availability();
/// CUPTI's range profiler, loaded at run time.
Availability cupti_availability();
/// Of the current CUDA context. Never run: no GPU was at hand.
std::unique_ptr<CallCounter> open_cupti(const CountingPlan& plan);
/// Whether /proc/driver/nvidia/params keeps counters for administrators; `text` is its content.
bool profiling_restricted(const std::string& text);

}  // namespace rooftune::counters
