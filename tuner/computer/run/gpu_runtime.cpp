#include "run/gpu_runtime.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "build/artefact.h"
#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "run/cuda/driven_cuda.h"
#include "run/cuda/nvml.h"
#include "run/cuda/ptx_walk.h"
#include "run/emulated_cuda.h"
#include "run/loaded_variant.h"

namespace rooftune::run {
namespace {

/// The largest launch sizes, the same since compute capability 3.0 (CUDA C programming guide).
constexpr unsigned most_threads = 1024, most_threads_z = 64, most_blocks_yz = 65535;

/// A card's allocations start at multiples of this.
constexpr int64_t alignment_bytes = 256;

constexpr std::array<GpuRuntime, 1> table{{{.name = "cuda",
                                            .driver = cuda_driver_here,
                                            .driver_text = cuda_driver_text,
                                            .cards = cuda_cards,
                                            .open = cuda_card,
                                            .watch = watch_cuda_card}}};

size_t whole_pages(size_t bytes) {
  const size_t page = sysconf(_SC_PAGESIZE);
  return bytes / page * page;
}

}  // namespace

CudaProperties properties_of(const GpuFacts& facts) {
  CudaProperties properties;
  properties.compute_capability = facts.compute_capability;
  properties.warp = facts.warp;
  properties.multiprocessors = facts.multiprocessors;
  properties.threads_per_multiprocessor = facts.threads_per_multiprocessor;
  properties.shared_per_multiprocessor = facts.shared_per_multiprocessor;
  properties.shared_per_block = facts.shared_per_block;
  properties.l2_bytes = facts.l2;
  properties.memory_bytes = facts.memory;
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
    return std::make_unique<EmulatedCuda>(properties_of(setup.facts), setup.seed);
  if (setup.mode == GpuSetup::Mode::planned) return std::make_unique<PlannedGpu>(setup);
  const GpuRuntime& runtime = gpu_runtime(setup.runtime);
  return runtime.open(installed_card(setup.card, {&runtime, 1}));
}

PlannedGpu::PlannedGpu(const GpuSetup& setup)
    : runtime_(setup.runtime), facts_(setup.facts), properties_(properties_of(facts_)) {}

void PlannedGpu::use(const Task& task) {
  launches_.clear();
  carveout_ = -1;
  in_call_ = false;
  allocated_ = 0;
  resources_.clear();
  walk_.reset();
  not_followed_ = "its build kept no PTX";
  for (const KernelResources& one : kernel_resources(task.image, runtime_))
    resources_[one.kernel] = one;
  const auto code = code_beside(task.image);
  if (task.image.empty() || !fs::exists(code)) return;
  try {
    walk_ = std::make_shared<PtxWalk>(read_text(code));
    not_followed_.clear();
  } catch (const Error& error) {
    not_followed_ = error.message();
  }
}

void PlannedGpu::upload(void* to, const void* from, int64_t bytes) {
  const auto start = reinterpret_cast<uint64_t>(to);
  if (unsigned char* const known = arrays_.at(start, bytes)) std::memcpy(known, from, bytes);
}

void* PlannedGpu::allocate(int64_t bytes) {
  allocated_ += (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  if (properties_.memory_bytes > 0 && allocated_ > properties_.memory_bytes)
    throw VariantFault{Outcome::out_of_memory,
                       fmt::format("{} bytes of device memory, the card has {}", allocated_,
                                   properties_.memory_bytes)};
  return arrays_.allocate(bytes);
}

TextSet PlannedGpu::guessed() const { return walk_ ? walk_->unknown() : TextSet{}; }

/// What shared memory leaves of a multiprocessor's L1. Both lie in one memory, of which shared
/// memory can have all but 28 KiB (compute capability 8.0, 8.6, 9.0; CUDA C++ Programming Guide).
double PlannedGpu::l1_bytes(const CudaLaunch& launch, int blocks) {
  constexpr double rest = 28 << 10;
  const auto most = double(facts_.shared_per_multiprocessor);
  const auto each = double(resources_[launch.kernel].shared_bytes + launch.shared_bytes);
  return most + rest - std::clamp(blocks * each, std::max(carveout_, 0) / 100.0 * most, most);
}

/// What its threads do, where they can be followed to their end.
std::optional<roofline::ThreadWork> PlannedGpu::followed(const CudaLaunch& launch) {
  if (!walk_) return {};
  const auto threads = int(launch.block.volume());
  const int blocks = std::max(resident_blocks(launch.kernel, threads, launch.shared_bytes), 1);
  const double grid = double(launch.grid.volume()), all = properties_.multiprocessors;
  const double busy = std::min<double>(blocks, std::ceil(grid / all));
  try {
    ptx::CacheShares shares;
    shares.l1 = l1_bytes(launch, blocks) / (busy * threads);
    if (facts_.l2 > 0) shares.l2 = double(facts_.l2) / (std::min(grid, blocks * all) * threads);
    return walk_->work(launch, shares, [this](uint64_t address, size_t bytes) {
      return arrays_.place(address, bytes);
    });
  } catch (const Error& error) {
    not_followed_ = error.message();
    walk_.reset();
    return {};
  }
}

void PlannedGpu::launch(const CudaLaunch& launch) {
  check_launch(launch, properties_);
  PlannedLaunch planned{launch.kernel, launch.grid.volume(), int(launch.block.volume()),
                        launch.shared_bytes, 1};
  if (!launches_.empty() && launches_.back().same_as(planned)) {
    ++launches_.back().times;
  } else {
    if (in_call_) planned.work = followed(launch);
    launches_.push_back(planned);
  }
}

int PlannedGpu::resident_blocks(const char* kernel, int threads, int64_t shared_bytes) {
  auto* found = value_at(resources_, kernel);
  if (!found) return 1;
  return occupancy(facts_, threads, found->registers, found->shared_bytes + shared_bytes).blocks;
}

GpuRuntimes gpu_runtimes() { return table; }

const GpuRuntime& gpu_runtime(const std::string& name) {
  const auto* const found = first_with(table, &GpuRuntime::name, name);
  if (!found) throw Error("there is no GPU runtime \"" + name + "\"");
  return *found;
}

Availability GpuRuntime::counters() const {
  for (const CounterProviderRow& row : counter_providers())
    if (row.on_card() && name == std::string_view(row.runtime)) return row.availability();
  return {false, fmt::format("nothing counts on cards of {}", name), {}};
}

std::vector<InstalledCard> installed_cards(GpuRuntimes runtimes) {
  std::optional<Error> first;
  for (const GpuRuntime& runtime : runtimes) try {
      return runtime.cards();
    } catch (const Error& error) {
      if (!first) first = error;
    }
  throw *first;
}

InstalledCard installed_card(const std::string& index_or_uuid, GpuRuntimes runtimes) {
  std::string known;
  for (const InstalledCard& one : installed_cards(runtimes)) {
    if (index_or_uuid.empty() || index_or_uuid == std::to_string(one.index)) return one;
    if (index_or_uuid.size() > 4 && one.uuid.starts_with(index_or_uuid)) return one;
    join(known, fmt::format("{}: {} {}", one.index, one.name, one.uuid));
  }
  throw Unavailable(fmt::format("there is no card \"{}\"", index_or_uuid), "--gpu",
                    "there are " + known);
}

DeviceArrays::~DeviceArrays() {
  for (const auto& [start, bytes] : bytes_) munmap(reinterpret_cast<void*>(start), bytes);
}

void* DeviceArrays::allocate(int64_t bytes) {
  const auto size = size_t(std::max<int64_t>(bytes, 1));
  void* const start = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start != MAP_FAILED) {
    bytes_[reinterpret_cast<uint64_t>(start)] = size;
    return start;
  }
  // Never zero, and different from each other, as comparing code expects.
  constexpr uint64_t alignment = 256;
  const uint64_t refused = alignment + refused_;
  refused_ += (size + alignment - 1) / alignment * alignment;
  return reinterpret_cast<void*>(refused);
}

void DeviceArrays::release(void* start) noexcept {
  const auto found = bytes_.find(reinterpret_cast<uint64_t>(start));
  if (found == bytes_.end()) return;
  munmap(start, found->second);
  bytes_.erase(found);
}

void DeviceArrays::clear(void* start, int64_t bytes) {
  unsigned char* const from = at(reinterpret_cast<uint64_t>(start), bytes);
  if (!from) return;
  // Whole pages are given back: a large array takes no room.
  size_t pages = bytes_.contains(reinterpret_cast<uint64_t>(start)) ? whole_pages(bytes) : 0;
  if (pages > 0 && madvise(from, pages, MADV_DONTNEED) != 0) pages = 0;
  std::memset(from + pages, 0, bytes - pages);
}

DevicePlace DeviceArrays::place(uint64_t address, size_t bytes) const {
  auto found = bytes_.upper_bound(address);
  if (found == bytes_.begin()) return {};
  --found;
  if (address + bytes > found->first + found->second) return {};
  return {reinterpret_cast<unsigned char*>(address), found->first, double(found->second)};
}

}  // namespace rooftune::run
