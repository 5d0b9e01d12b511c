// Blocks in order, device memory between guard zones of its own.
#include "run/emulated_cuda.h"

#include <fmt/format.h>

#include <cstring>

#include "run/loaded_variant.h"
#include "run/sampler.h"

namespace rooftune::inline run {
namespace {

/// What fresh memory holds: a NaN as float and as double, so that nobody relies on zeros.
constexpr int fresh_byte = 0xFF;

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
  std::memset(start, fresh_byte, array.bytes());
  memory_[user_].emplace(start, std::move(array));
  return start;
}

void EmulatedCuda::release(void* start) noexcept { memory_[user_].erase(start); }

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
  if (!launch.run_thread)
    throw VariantFault{
        "crashed",
        std::string(launch.kernel) +
            " cannot be emulated: its source is for cards only; tune it where a card is (--machine "
            "auto), or see what --dry-run tells of it"};
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

double EmulatedCuda::seconds(const std::function<void()>& calls) {
  const double begin = raw_clock();
  calls();
  return raw_clock() - begin;
}

std::string EmulatedCuda::damage() {
  for (const auto& [start, array] : memory_[user_])
    if (std::string found = array.damage(); !found.empty()) return found;
  return {};
}

}  // namespace rooftune::inline run
