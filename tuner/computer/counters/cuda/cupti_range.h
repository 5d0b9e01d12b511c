// Counting launches on an NVIDIA GPU with CUPTI's range profiler: the same launch is repeated until
// every pass is taken. Written after the documented interface and NEVER RUN: no GPU was at hand.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "counters/cuda/cupti_library.h"
#include "counters/hardware_count.h"

namespace rooftune::counters {

/// The chip of a device, as CUPTI names it ("GH100"). Needs the driver.
std::string chip_name(const CuptiLibrary& library, std::size_t device);

/// Values of `metrics` over one launch. `context`: the current CUcontext of the device. `launch`
/// starts the kernel and waits for its end; it is called once per pass and must do the same work
/// each time. `settle`, before every pass and not counted, brings the caches to the study's state.
/// Clocks are not touched. Throws Error: missing privileges, MIG, a metric missing on the chip, a
/// dropped range.
std::vector<double> count_range(const std::shared_ptr<const CuptiLibrary>& library,
                                const std::string& chip, cupti::Context context,
                                const std::vector<std::string>& metrics,
                                const std::function<void()>& settle,
                                const std::function<void()>& launch);

/// Counts metrics, in the order given, over one launch.
using MetricSource = std::function<std::vector<double>(const std::vector<std::string>& metrics)>;
/// The quantities of a chip's event set from `source`: first the metrics without a `when`, then
/// those with their `when` seen; the others are 0. Nonsense of a metric (not finite, negative)
/// makes its quantities missing.
HardwareCounts count_metrics(const EventSet& set, const MetricSource& source);

}  // namespace rooftune::counters
