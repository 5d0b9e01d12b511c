// Measurement of a GPU's ceilings, recorded beside the published ones of its kind.
#pragma once
#include <optional>

#include "probe/probe.h"
#include "run/gpu_runtime.h"

namespace rooftune::probe {

/// `full`: more strides and chains, longer; `seconds` 0: 30, or 120 when full; `memory_bytes`: of
/// each array, 0: chosen from L2 and the card's memory.
struct GpuProbeOptions : ProbeOptions {
  GpuProbeOptions() { name = "gpu"; }
  /// The machine file whose "gpu" describes the card; its ceilings stay beside the measured ones.
  std::optional<Machine> published;
};

/// Throws Error when memory is short or `interrupted` says so, VariantFault for a fault of the
/// card.
Machine probe_gpu(GpuMachine& card, const InstalledCard& description,
                  const GpuProbeOptions& options);

/// Adds the published machine's ceilings to a measured one: under another name where theirs is
/// taken, and only shown where a stable measured ceiling covers the same precision or level. Tensor
/// cores from compute capability 9.0 on stay bound by the published figure, because only
/// instructions of whole warp groups reach it; the probe has none.
void add_published(Machine& measured, const Machine& published);

}  // namespace rooftune::probe
