// The NVIDIA cards of this machine, and one of them as the device of a worker.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "run/cuda/l2_window.h"
#include "run/gpu_machine.h"

namespace rooftune::inline run {

/// What the driver says of a card.
struct InstalledCard {
  int index = 0;
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;  ///< "GPU-..." as nvidia-smi prints it
  CudaProperties properties;
  MultiprocessorLimits limits;
  L2Limits l2;
  int registers_per_block = 0;
  int driver = 0;         ///< 13000 for CUDA 13.0
  bool is_slice = false;  ///< a MIG instance: a part of a card
  int clock_khz = 0, memory_clock_khz = 0;
};

/// What the driver of this computer supports: 12040 is CUDA 12.4; 0: none starts.
int cuda_driver_here();
/// All visible cards. Throws Error (ExitCode::unavailable) when there is no driver or no card.
std::vector<InstalledCard> cuda_cards();
/// The card with this index or (beginning of a) UUID; empty: the first. Throws Error naming those
/// there are.
InstalledCard cuda_card_named(const std::string& index_or_uuid);
/// The card as a device. Throws Error as above, or when it does not pass a first small exercise.
std::unique_ptr<GpuMachine> cuda_card(const std::string& index_or_uuid);

}  // namespace rooftune::inline run
