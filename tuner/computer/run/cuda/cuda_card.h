// The NVIDIA cards of this machine, and one of them as the device of a worker: CUDA's row of the
// table of GPU runtimes.
#pragma once
#include "run/gpu_runtime.h"

namespace rooftune::run {

int cuda_driver_here();
std::string cuda_driver_text(int driver);
std::vector<InstalledCard> cuda_cards();
std::unique_ptr<GpuMachine> cuda_card(const InstalledCard& card);
std::string cuda_why_no_energy(const InstalledCard& card);

}  // namespace rooftune::run
