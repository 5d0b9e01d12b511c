// Measurement of a GPU's ceilings, recorded beside the published ones of its kind.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "roofline/machine.h"
#include "run/gpu_runtime.h"

namespace rooftune::probe {

/// A card as its driver describes it.
struct GpuCard {
  std::string name, uuid, driver;      ///< "NVIDIA H200", "GPU-1f...", "CUDA 13.0"
  GpuFacts facts;                      ///< as the driver reports them
  double clock = 0, memory_clock = 0;  ///< the highest [Hz]; 0 unknown
};

struct GpuProbeOptions {
  std::string name = "gpu";  ///< of the machine
  bool full = false;         ///< more strides and chains, longer
  /// Called often with the phase and the share of the whole probe done, 0..1.
  std::function<void(const std::string& phase, double done)> progress;
  /// Asked often; true ends the probe with Error (code interrupted).
  std::function<bool()> interrupted;
  /// The machine file whose "gpu" describes the card; its ceilings stay beside the measured ones.
  std::optional<Machine> published;
  double seconds = 0;             ///< budget; 0: 30, or 120 when full
  std::int64_t memory_bytes = 0;  ///< of each array; 0: chosen from L2 and the card's memory
  double window_seconds = 1.5e-3;
};

/// Throws Error when memory is short or `interrupted` says so, VariantFault for a fault of the
/// card.
Machine probe_gpu(GpuMachine& card, const GpuCard& description, const GpuProbeOptions& options);

/// Adds the published machine's ceilings to a measured one: under another name where theirs is
/// taken, and only shown where a stable measured ceiling covers the same precision or level. Tensor
/// cores from compute capability 9.0 on stay bound by the published figure, because only
/// instructions of whole warp groups reach it; the probe has none.
void add_published(Machine& measured, const Machine& published);

}  // namespace rooftune::probe
