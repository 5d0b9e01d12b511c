// Addresses without memory, launches without runs.
#include "run/planned_gpu.h"

#include <fmt/format.h>

#include "build/artefact.h"
#include "run/loaded_variant.h"

namespace rooftune::run {
namespace {

/// Allocations of a card start at multiples of this.
constexpr std::int64_t alignment_bytes = 256;

}  // namespace

PlannedGpu::PlannedGpu(const GpuSetup& setup)
    : runtime_(setup.runtime), properties_(properties_of(setup)), limits_(setup.limits) {}

void PlannedGpu::use(const Task& task) {
  launches_.clear();
  allocated_ = 0;
  resources_.clear();
  for (const KernelResources& one : kernel_resources(task.image, runtime_))
    resources_[one.kernel] = one;
}

void* PlannedGpu::allocate(std::int64_t bytes) {
  // Never zero, and different from each other, as comparing code expects.
  const std::int64_t start = alignment_bytes + allocated_;
  allocated_ += (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  if (properties_.memory_bytes > 0 && allocated_ > properties_.memory_bytes)
    throw VariantFault{Outcome::out_of_memory,
                       fmt::format("{} bytes of device memory, the card has {}", allocated_,
                                   properties_.memory_bytes)};
  return reinterpret_cast<void*>(start);
}

void PlannedGpu::launch(const CudaLaunch& launch) {
  check_launch(launch, properties_);
  PlannedLaunch planned{launch.kernel, launch.grid.volume(),
                        static_cast<int>(launch.block.volume()), launch.shared_bytes, 1};
  if (!launches_.empty() && launches_.back().same_as(planned))
    ++launches_.back().times;
  else
    launches_.push_back(planned);
}

int PlannedGpu::resident_blocks(const char* kernel, int threads, std::int64_t shared_bytes) {
  const auto found = resources_.find(kernel);
  if (found == resources_.end()) return 1;
  return occupancy(limits_, threads, found->second.registers,
                   found->second.shared_bytes + shared_bytes)
      .blocks;
}

}  // namespace rooftune::run
