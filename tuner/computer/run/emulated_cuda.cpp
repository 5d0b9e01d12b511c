// Blocks one after the other, device memory between guard zones of its own.
#include "run/emulated_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "run/loaded_variant.h"
#include "run/sampler.h"

namespace rooftune::run {
namespace {

/// Fresh memory: a NaN as float and as double, to expose uses of unwritten data.
constexpr int fresh_byte = 0xFF;
/// Blocks of a persistent grid: enough to meet each other, few enough to walk on.
constexpr int most_resident = 2;

Slot device_slot(int number, std::int64_t bytes) {
  Slot slot;
  slot.argument.name = fmt::format("number {} on the device", number);
  slot.argument.type = Argument::Type::float64;
  slot.argument.pointer = true;
  slot.count = (bytes + 7) / 8;
  return slot;
}

}  // namespace

std::vector<std::size_t> emulated_order(std::size_t size, Rng* rng) {
  if (rng) return shuffled(size, Rng(rng->next(), 0));
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

EmulatedCuda::EmulatedCuda(const CudaProperties& properties, std::uint64_t seed)
    : properties_(properties), seed_(seed), block_(properties.warp) {
  // A persistent grid has to walk on also where the problem is a small one.
  properties_.multiprocessors = 1;
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
        Outcome::crashed,
        std::string(launch.kernel) +
            " cannot be emulated: its source is for cards only; tune it where a card is (--machine "
            "auto), or see what --dry-run tells of it"};
  shared_memory_.resize(static_cast<std::size_t>(launch.shared_bytes) / sizeof(std::max_align_t) +
                        1);
  shared = shared_memory_.data();
  place_.block_size = launch.block;
  place_.grid_size = launch.grid;
  const std::function<void()> body = [&] { launch.run_thread(launch.arguments); };
  const std::int64_t row = launch.grid.x, plane = row * launch.grid.y;
  Rng* const rng = random_ ? &rng_ : nullptr;
  for (const std::size_t each :
       emulated_order(static_cast<std::size_t>(launch.grid.volume()), rng)) {
    const auto block = static_cast<std::int64_t>(each);
    place_.block = CudaSize(block % row, block % plane / row, block / plane);
    block_.run(launch.block, place_, body, rng);
  }
}

int EmulatedCuda::resident_blocks(const char*, int threads, std::int64_t) {
  return std::clamp(properties_.threads_per_multiprocessor / std::max(threads, 1), 1,
                    most_resident);
}

double EmulatedCuda::seconds(const std::function<void()>& calls) {
  run_in_random_order(true);
  const double begin = raw_clock();
  calls();
  return raw_clock() - begin;
}

std::string EmulatedCuda::circumstances() const {
  return random_ ? fmt::format("with threads and blocks in the random order of seed {}: ", seed_)
                 : std::string();
}

std::string EmulatedCuda::damage() {
  for (const auto& [start, array] : memory_[user_])
    if (std::string found = array.damage(); !found.empty()) return found;
  return {};
}

}  // namespace rooftune::run
