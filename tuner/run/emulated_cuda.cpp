// Blocks in order, device memory between guard zones of its own.
#include "run/emulated_cuda.h"

#include <fmt/format.h>

#include <cstring>

#include "run/loaded_variant.h"

namespace rooftune {
namespace {

constexpr int kMostThreads = 1024;
/// What fresh memory holds: a NaN as float and as double, so that nobody relies on zeros.
constexpr int kFresh = 0xFF;

Slot device_slot(int number, std::int64_t bytes) {
  Slot slot;
  slot.argument.name = fmt::format("number {} on the device", number);
  slot.argument.type = Argument::Type::float64;
  slot.argument.pointer = true;
  slot.count = (bytes + 7) / 8;
  return slot;
}

}  // namespace

EmulatedCuda::EmulatedCuda(const CudaProperties& properties) : properties_(properties) {
  thread = &place_;
}

void* EmulatedCuda::allocate(std::int64_t bytes) {
  GuardedArray array(device_slot(++allocations_, bytes), 0, false);
  void* const start = array.data();
  std::memset(start, kFresh, array.bytes());
  memory_.emplace(start, std::move(array));
  return start;
}

void EmulatedCuda::release(void* start) noexcept { memory_.erase(start); }

void EmulatedCuda::upload(void* to, const void* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

void EmulatedCuda::download(void* to, const void* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

void EmulatedCuda::clear(void* start, std::int64_t bytes) {
  std::memset(start, 0, static_cast<std::size_t>(bytes));
}

void EmulatedCuda::launch(const CudaLaunch& launch) {
  check_launch(launch, properties_);
  shared_memory_.resize(static_cast<std::size_t>(launch.shared_bytes) / sizeof(std::max_align_t) +
                        1);
  shared = shared_memory_.data();
  place_.block_size = launch.block;
  place_.grid_size = launch.grid;
  const std::function<void()> body = [&] { launch.run_thread(launch.arguments); };
  for (unsigned z = 0; z < launch.grid.z; ++z)
    for (unsigned y = 0; y < launch.grid.y; ++y)
      for (unsigned x = 0; x < launch.grid.x; ++x) {
        place_.block = CudaSize(x, y, z);
        block_.run(launch.block, place_, body);
      }
}

int EmulatedCuda::resident_blocks(const char*, int threads, std::int64_t) {
  return threads > 0 ? std::max(1, properties_.threads_per_multiprocessor / threads) : 1;
}

std::string EmulatedCuda::damage() const {
  for (const auto& [start, array] : memory_)
    if (std::string found = array.damage(); !found.empty()) return found;
  return {};
}

void check_launch(const CudaLaunch& launch, const CudaProperties& properties) {
  const auto refuse = [&](const std::string& why) {
    throw VariantFault{"crashed", fmt::format("launch of {}: {}", launch.kernel, why)};
  };
  const CudaSize &grid = launch.grid, &block = launch.block;
  if (grid.volume() < 1 || grid.y > 65535 || grid.z > 65535 || grid.x > 0x7fffffffu)
    refuse(fmt::format("a grid of {} x {} x {} blocks is not possible", grid.x, grid.y, grid.z));
  if (block.volume() < 1 || block.volume() > kMostThreads || block.z > 64)
    refuse(
        fmt::format("a block of {} x {} x {} threads is not possible", block.x, block.y, block.z));
  if (launch.shared_bytes < 0 || launch.shared_bytes > properties.shared_per_block)
    refuse(fmt::format("{} bytes of shared memory, the card has {} per block", launch.shared_bytes,
                       properties.shared_per_block));
}

}  // namespace rooftune
