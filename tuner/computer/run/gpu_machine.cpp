// Choice of the device; rules shared by every card.
#include "run/gpu_machine.h"

#include <fmt/format.h>

#include "run/emulated_cuda.h"
#include "run/gpu_runtime.h"
#include "run/loaded_variant.h"
#include "run/planned_gpu.h"

namespace rooftune::run {
namespace {

/// Largest sizes of a launch, the same since compute capability 3.0 (CUDA C programming guide).
constexpr unsigned most_threads = 1024, most_threads_z = 64, most_blocks_yz = 65535;

}  // namespace

CudaProperties properties_of(const GpuSetup& setup) {
  CudaProperties properties;
  properties.compute_capability = setup.limits.compute_capability;
  properties.warp = setup.limits.warp;
  properties.multiprocessors = setup.multiprocessors;
  properties.threads_per_multiprocessor = setup.limits.threads;
  properties.shared_per_multiprocessor = setup.limits.shared_bytes;
  properties.shared_per_block = setup.shared_per_block;
  properties.l2_bytes = setup.l2_bytes;
  properties.memory_bytes = setup.memory_bytes;
  return properties;
}

void check_launch(const CudaLaunch& launch, const CudaProperties& properties) {
  const auto refuse = [&](const std::string& why) {
    throw VariantFault{Outcome::crashed, fmt::format("launch of {}: {}", launch.kernel, why)};
  };
  const CudaSize &grid = launch.grid, &block = launch.block;
  if (grid.volume() < 1 || grid.y > most_blocks_yz || grid.z > most_blocks_yz ||
      grid.x > 0x7fffffffu)
    refuse(fmt::format("a grid of {} x {} x {} blocks is not possible", grid.x, grid.y, grid.z));
  if (block.volume() < 1 || block.volume() > most_threads || block.z > most_threads_z)
    refuse(
        fmt::format("a block of {} x {} x {} threads is not possible", block.x, block.y, block.z));
  if (launch.shared_bytes < 0 || launch.shared_bytes > properties.shared_per_block)
    refuse(fmt::format("{} bytes of shared memory, the card has {} per block", launch.shared_bytes,
                       properties.shared_per_block));
}

std::unique_ptr<GpuMachine> gpu_machine(const GpuSetup& setup) {
  if (setup.mode == GpuSetup::Mode::emulated)
    return std::make_unique<EmulatedCuda>(properties_of(setup), setup.seed);
  if (setup.mode == GpuSetup::Mode::planned) return std::make_unique<PlannedGpu>(setup);
  const GpuRuntime& runtime = gpu_runtime(setup.runtime);
  return runtime.open(installed_card(setup.card, {&runtime, 1}));
}

}  // namespace rooftune::run
