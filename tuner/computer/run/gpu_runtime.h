// The supported GPU runtimes: one row each in the visible table of gpu_runtime.cpp. The parts of
// one runtime stand in folders of its name: run/cuda/ (driver and sensors), build/cuda/ (compiler),
// counters/cuda/, probe/cuda/ (micro-kernels). All other code asks here.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "build/gpu_compiler.h"
#include "counters/provider.h"
#include "run/gpu_machine.h"

namespace rooftune::run {

/// A driver's description of a card.
struct InstalledCard {
  std::string runtime;  ///< a row of gpu_runtimes()
  int index = 0;
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;  ///< "GPU-..." as the vendor's tools print it
  CudaProperties properties;
  MultiprocessorLimits limits;
  L2Limits l2;
  int registers_per_block = 0;
  int driver = 0;         ///< 13000 for CUDA 13.0
  bool is_slice = false;  ///< a MIG instance: a part of a card
  int clock_khz = 0, memory_clock_khz = 0;
};

struct GpuRuntime {
  const char* name;  ///< also of its back end and its compiler: "cuda"
  /// Version supported by the driver here: 12040 is CUDA 12.4; 0: none starts.
  int (*driver)();
  std::string (*driver_text)(int driver);  ///< "CUDA 12.4"
  /// All visible cards. Throws Error (ExitCode::unavailable) when there is no driver or no card.
  std::vector<InstalledCard> (*cards)();
  /// The card as a device. Throws Error when it does not pass a first small exercise.
  std::unique_ptr<GpuMachine> (*open)(const InstalledCard& card);
  /// Why the card's energy is unknown; empty where its sensors measure it.
  std::string (*why_no_energy)(const InstalledCard& card);

  const GpuCompilerRow& compiler() const { return gpu_compiler_row(name); }
  /// Of the first that counts on its cards.
  Availability counters() const;
};
using GpuRuntimes = std::span<const GpuRuntime>;
GpuRuntimes gpu_runtimes();
/// Throws Error for a name outside the table.
const GpuRuntime& gpu_runtime(const std::string& name);

/// The cards of the first runtime with any. Throws Error (ExitCode::unavailable) with the first
/// runtime's reason when none has a card.
std::vector<InstalledCard> installed_cards(GpuRuntimes runtimes = gpu_runtimes());
/// The one with this index or (beginning of a) UUID; empty: the first. Throws Error naming those
/// there are.
InstalledCard installed_card(const std::string& index_or_uuid,
                             GpuRuntimes runtimes = gpu_runtimes());

}  // namespace rooftune::run
