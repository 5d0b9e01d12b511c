// NVIDIA's counters as a provider: whether they count here, and the libraries that do.
#pragma once
#include <memory>
#include <string>

#include "counters/provider.h"

namespace rooftune::counters {

/// CUPTI's range profiler, loaded at run time.
Availability cupti_availability();
/// A counter in the current CUDA context.
std::unique_ptr<CallCounter> open_cupti(const CountingPlan& plan);
/// $ROOFTUNE_LIBCUDA, else libcuda.so.1.
std::string cuda_library_name();
/// The driver's library; it stays loaded. Throws Error where it cannot be loaded.
DynamicLibrary cuda_library();
/// Whether the driver keeps counters for administrators, by the `text` in
/// /proc/driver/nvidia/params.
bool profiling_restricted(const std::string& text);

}  // namespace rooftune::counters
