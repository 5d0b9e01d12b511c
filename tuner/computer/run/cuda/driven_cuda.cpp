// Checked driver calls; a failure becomes the trial's outcome.
#include "run/cuda/driven_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "build/cuda/nvrtc.h"
#include "core/callback.h"
#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "run/cuda/card_arrays.h"
#include "run/loaded_variant.h"
#include "trial/statistics.h"

namespace rooftune::run {
namespace {

constexpr CudaResult invalid_value = 1, out_of_memory_result = 2, out_of_resources = 701;
/// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES; needed where static and dynamic shared memory
/// exceed 48 KiB.
constexpr int most_dynamic_shared = 8;
/// CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT.
constexpr int preferred_carveout = 9;
/// Bytes with a known pattern on both sides of an allocation; keeps the driver's alignment.
constexpr int64_t canary_bytes = 512;
constexpr unsigned char device_canary = 0xA6, unwritten_byte = 0xFF;

CudaAddress address(const void* pointer) { return reinterpret_cast<CudaAddress>(pointer); }

/// "GPU-" or "MIG-", then groups with 8, 4, 4, 4 and 12 digits.
std::string uuid_text(std::string text, const CudaUuid& uuid) {
  for (int i = 0; i < 16; ++i)
    text +=
        fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid.bytes[i]);
  return text;
}

InstalledCard card(const CudaDriver& driver, int index) {
  InstalledCard result;
  result.runtime = "cuda";
  result.index = index;
  result.driver = driver.version();
  int device = 0;
  const CudaResult found = driver.DeviceGet(&device, index);
  if (found != 0)
    throw Unavailable(fmt::format("card {} does not answer: {}", index, driver.text(found)), {},
                      "nvidia-smi shows its state");
  char name[128] = "";
  driver.DeviceGetName(name, int(sizeof name) - 1, device);
  result.name = name;
  result.uuid = uuid_text(contains(result.name, " MIG ") ? "MIG-" : "GPU-", driver.uuid(device));
  // By its number as a CUdevice_attribute; one unknown to an old driver stays 0.
  const auto attribute = [&](int which) {
    int value = 0;
    driver.DeviceGetAttribute(&value, which, device);
    return value;
  };
  size_t bytes = 0;
  driver.DeviceTotalMem(&bytes, device);
  GpuFacts& facts = result.facts;
  facts.devices = {result.name};
  facts.compute_capability = 10 * attribute(75) + attribute(76);
  facts.warp = std::max(attribute(10), facts.warp);
  facts.multiprocessors = attribute(16);
  facts.threads_per_multiprocessor = attribute(39);
  facts.blocks_per_multiprocessor = attribute(106);
  facts.registers_per_multiprocessor = attribute(82);
  facts.registers_per_block = attribute(12);
  facts.shared_per_multiprocessor = attribute(81);
  facts.shared_per_block = attribute(97);
  facts.shared_reserved = attribute(111);
  facts.l2 = attribute(38);
  facts.memory = bytes;
  return result;
}

std::vector<InstalledCard> listed(const CudaDriver& driver) {
  int count = 0;
  const CudaResult result = driver.DeviceGetCount(&count);
  if (result != 0 || count < 1)
    throw Unavailable(result != 0 ? "the cards cannot be counted: " + driver.text(result)
                                  : std::string("the driver shows no card"),
                      {}, "nvidia-smi -L lists cards, CUDA_VISIBLE_DEVICES hides them");
  std::vector<InstalledCard> cards;
  for (int index = 0; index < count; ++index) cards.push_back(card(driver, index));
  return cards;
}

/// A card behind NVIDIA's driver: memory between canaries, kernels from cubins, time from events.
class DrivenCuda final : public GpuMachine {
 public:
  DrivenCuda(std::unique_ptr<CudaDriver> driver, InstalledCard card)
      : driver_(std::move(driver)), card_(std::move(card)) {
    const auto need = [&](CudaResult result, const char* what) {
      if (result != 0)
        throw Unavailable(
            fmt::format("{} ({}): {}: {}", card_.name, card_.uuid, what, driver_->text(result)),
            "--gpu", "nvidia-smi shows its state and who uses it");
    };
    int device = 0;
    need(driver_->DeviceGet(&device, card_.index), "it does not answer");
    need(driver_->DevicePrimaryCtxRetain(&context_, device), "no context can be made");
    need(driver_->CtxSetCurrent(context_), "its context cannot be used");
    need(driver_->StreamCreate(&stream_, 0), "no stream can be made");
    need(driver_->EventCreate(&begin_, 0), "no event can be made");
    need(driver_->EventCreate(&end_, 0), "no event can be made");
    CudaAddress probe = 0;
    unsigned char back = 0;
    need(driver_->MemAlloc(&probe, 256), "it gives no memory");
    need(driver_->MemsetD8(probe, device_canary, 256), "its memory cannot be written");
    need(driver_->MemcpyDtoH(&back, probe, 1), "its memory cannot be read");
    need(driver_->MemFree(probe), "its memory cannot be given back");
    if (back != device_canary)
      throw Unavailable(fmt::format("{} returns other bytes than were written", card_.name),
                        "--gpu", "nvidia-smi -q shows memory errors");
    checks_.emplace(*driver_, stream_, properties_.multiprocessors);
    // Half the card is always left to variants.
    arrays_.emplace(*driver_, context_, *checks_, size_t(properties_.memory_bytes) / 2);
  }

  const CudaProperties& properties() const override { return properties_; }
  /// On a full card, frees other variants' memory, the longest unused first: they must prepare
  /// again before their next call, as `lifetime` shows in use().
  void* allocate(int64_t bytes) override {
    const CudaAddress start = reserved(bytes + 2 * canary_bytes);
    current_->memory[start + canary_bytes] = bytes;
    check(driver_->MemsetD8(start, device_canary, bytes + 2 * canary_bytes), "memset");
    // NaN as float and as double: zeros would hide missing writes.
    if (bytes > 0) check(driver_->MemsetD8(start + canary_bytes, unwritten_byte, bytes), "memset");
    return reinterpret_cast<void*>(start + canary_bytes);
  }
  void release(void* start) noexcept override {
    arrays_->come_home();
    if (current_->memory.erase(address(start)) > 0) driver_->MemFree(address(start) - canary_bytes);
  }
  void upload(void* to, const void* from, int64_t bytes) override {
    arrays_->come_home();
    if (const CudaAddress kept = arrays_->copy_of(from, bytes); kept != 0)
      return check(driver_->MemcpyDtoD(address(to), kept, bytes), "copy on the device");
    check(driver_->MemcpyHtoD(address(to), from, bytes), "copy to the device");
  }
  void download(void* to, const void* from, int64_t bytes) override {
    if (arrays_->stays(to, address(from), bytes)) return;
    check(driver_->MemcpyDtoH(to, address(from), bytes), "copy from the device");
  }
  void clear(void* start, int64_t bytes) override {
    arrays_->come_home();
    check(driver_->MemsetD8(address(start), 0, bytes), "memset");
  }
  void launch(const CudaLaunch& launch) override {
    arrays_->come_home();
    const CudaFunction handle = kernel(launch.kernel, launch.shared_bytes).handle;
    const CudaSize &grid = launch.grid, &block = launch.block;
    const CudaResult result =
        driver_->LaunchKernel(handle, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                              unsigned(launch.shared_bytes), stream_, launch.arguments, nullptr);
    check(result, [&] {
      if (result != invalid_value && result != out_of_resources)
        return fmt::format("launch of {}", launch.kernel);
      return fmt::format(
          "{} cannot be launched with {} x {} x {} blocks of {} x {} x {} threads and {} bytes of "
          "shared memory",
          launch.kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, launch.shared_bytes);
    });
  }
  int resident_blocks(const char* name, int threads, int64_t shared_bytes) override {
    Kernel& one = kernel(name, shared_bytes);
    const auto known = one.residencies.find({threads, shared_bytes});
    if (known != one.residencies.end()) return known->second;
    int blocks = 0;
    check(driver_->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, one.handle, threads,
                                                             shared_bytes),
          [&] { return fmt::format("occupancy of {}", name); });
    return one.residencies[{threads, shared_bytes}] = blocks;
  }
  void* stream() override {
    // A library may write to arrays that stayed on the card.
    arrays_->come_home();
    return stream_;
  }
  void prefer_shared(int per_cent) override { current_->carveout = per_cent; }

  void use(const Task& task) override {
    Variant& variant = variants_[task.library];
    current_ = &variant;
    variant.last_use = ++uses_;
    // A variant that only calls a library has no kernels.
    if (!variant.module && !task.image.empty()) {
      const std::string image = read_text(task.image);
      check(driver_->ModuleLoadData(&variant.module, image.c_str()),
            "the kernels cannot be loaded");
    }
    if (variant.lifetime == 0) variant.lifetime = ++lifetimes_;
    lifetime = variant.lifetime;
  }
  void serve(ArraySet* arrays) override { arrays_->serve(arrays); }
  void spare_copies(bool on) override { arrays_->spare_copies(on); }
  double keeping_seconds() const override { return arrays_->seconds(); }
  void drop(const Task& task) override {
    const auto found = variants_.find(task.library);
    if (found == variants_.end()) return;
    free_memory(found->second);
    if (found->second.module) driver_->ModuleUnload(found->second.module);
    current_ = nullptr;
    variants_.erase(found);
  }
  void wait() override { check(driver_->CtxSynchronize(), "while its kernels ran"); }
  double seconds(const Callback& calls) override {
    check(driver_->EventRecord(begin_, stream_), "event");
    calls();
    check(driver_->EventRecord(end_, stream_), "event");
    check(driver_->EventSynchronize(end_), "while its kernels ran");
    float milliseconds = 0;
    check(driver_->EventElapsedTime(&milliseconds, begin_, end_), "event");
    return 1e-3 * double(milliseconds);
  }
  void flush() override {
    const char* const what = "flush of the L2 cache";
    uint64_t bytes = 2 * properties_.l2_bytes / 16 * 16;
    if (flushed_ == 0) {
      flushed_ = reserved(bytes);
      // A card may answer reads from unwritten memory without fetching it.
      check(driver_->MemsetD8(flushed_, 1, bytes), what);
      CudaModule module = nullptr;
      // Small containers lack the driver's assembler.
      if (driver_->ModuleLoadData(&module, flush_kernel_ptx) == 0)
        check(driver_->ModuleGetFunction(&flush_kernel_, module, flush_kernel_name), what);
    }
    if (!flush_kernel_) return check(driver_->MemsetD8(flushed_, 1, bytes), what);
    constexpr unsigned threads = 256, blocks_each = 4;
    const auto blocks = blocks_each * unsigned(properties_.multiprocessors);
    void* arguments[] = {&flushed_, &bytes};
    // Later work in the stream waits for it; the host need not.
    check(driver_->LaunchKernel(flush_kernel_, blocks, 1, 1, threads, 1, 1, 0, stream_, arguments,
                                nullptr),
          what);
  }
  std::string damage() override {
    if (!current_ || are_guards_whole()) return {};
    std::vector<unsigned char> zone(canary_bytes);
    for (const auto& [start, bytes] : current_->memory)
      for (const bool behind : {false, true}) {
        const CudaAddress from =
            behind ? start + static_cast<CudaAddress>(bytes) : start - canary_bytes;
        check(driver_->MemcpyDtoH(zone.data(), from, zone.size()), "canary");
        if (std::ranges::any_of(zone, [](unsigned char c) { return c != device_canary; }))
          return fmt::format("device memory was written {} an array of {} bytes",
                             behind ? "behind" : "before", bytes);
      }
    return {};
  }

 private:
  /// `what` as for the driver's check().
  template <class What>
  void check(CudaResult result, const What& what) const {
    run::check(*driver_, result, what);
  }
  /// Checked on the card; false: damaged, or they cannot be looked at there.
  bool are_guards_whole() {
    if (!checks_->are_ready()) return false;
    std::vector<CardChecks::Guards> guards;
    for (const auto& [start, bytes] : current_->memory)
      guards.push_back({start - canary_bytes, start + static_cast<CudaAddress>(bytes)});
    return checks_->are_whole(guards, canary_bytes, device_canary);
  }
  /// The driver's answers about a kernel, each asked for once.
  struct Kernel {
    std::string name;
    CudaFunction handle = nullptr;
    int64_t shared_bytes = 0;  ///< allowed to launches, dynamic
    int carveout = -1;
    std::map<std::pair<int, int64_t>, int> residencies;  ///< by threads and shared bytes
  };
  /// Everything held by one variant.
  struct Variant {
    CudaModule module = nullptr;
    std::vector<Kernel> kernels;
    std::map<CudaAddress, int64_t> memory;  ///< given to the variant, with its bytes
    int carveout = -1;                      ///< per cent for shared memory; -1: the driver's choice
    unsigned lifetime = 0;                  ///< its memory's
    uint64_t last_use = 0;                  ///< counts uses by all variants
  };

  /// The kernel with so much dynamic shared memory allowed, and the variant's carveout.
  Kernel& kernel(const char* name, int64_t shared_bytes) {
    auto& kernels = current_->kernels;
    auto found = std::ranges::find(kernels, name, &Kernel::name);
    if (found == kernels.end()) {
      Kernel fresh;
      fresh.name = name;
      check(driver_->ModuleGetFunction(&fresh.handle, current_->module, name),
            [&] { return fmt::format("kernel {} in the image", name); });
      found = kernels.insert(kernels.end(), std::move(fresh));
    }
    if (shared_bytes > found->shared_bytes) {
      check(driver_->FuncSetAttribute(found->handle, most_dynamic_shared, int(shared_bytes)),
            [&] { return fmt::format("{} bytes of shared memory for {}", shared_bytes, name); });
      found->shared_bytes = shared_bytes;
    }
    if (current_->carveout != found->carveout) {
      found->carveout = current_->carveout;
      found->residencies.clear();
      check(driver_->FuncSetAttribute(found->handle, preferred_carveout, found->carveout),
            [&] { return fmt::format("{} % of shared memory for {}", found->carveout, name); });
    }
    return *found;
  }
  /// Memory on the card, if need be taken from other variants; see allocate().
  CudaAddress reserved(size_t bytes) {
    CudaAddress start = 0;
    CudaResult result = 0;
    do result = driver_->MemAlloc(&start, bytes);
    while (result == out_of_memory_result && make_room());
    check(result, [&] { return fmt::format("{} bytes of device memory", bytes); });
    return start;
  }
  void free_memory(Variant& variant) {
    for (const auto& [start, bytes] : variant.memory) driver_->MemFree(start - canary_bytes);
    variant.memory.clear();
    variant.lifetime = ++lifetimes_;
  }
  /// Frees the kept copies, then the memory that the longest unused variant holds; false when there
  /// is none.
  bool make_room() {
    if (arrays_->give_way()) return true;
    Variant* idle = nullptr;
    for (auto& [library, variant] : variants_)
      if (&variant != current_ && !variant.memory.empty() &&
          (!idle || variant.last_use < idle->last_use))
        idle = &variant;
    if (idle) free_memory(*idle);
    return idle != nullptr;
  }

  std::unique_ptr<CudaDriver> driver_;
  InstalledCard card_;
  CudaProperties properties_ = properties_of(card_.facts);
  CudaContext context_ = nullptr;
  CudaStream stream_ = nullptr;
  CudaEvent begin_ = nullptr, end_ = nullptr;
  CudaFunction flush_kernel_ = nullptr;  ///< null: the driver cannot assemble it
  CudaAddress flushed_ = 0;
  std::map<fs::path, Variant> variants_;
  Variant* current_ = nullptr;
  uint64_t uses_ = 0;
  unsigned lifetimes_ = 0;
  // Both need the stream; never absent.
  std::optional<CardChecks> checks_;
  std::optional<CardArrays> arrays_;
};

}  // namespace

int cuda_driver_here() {
  try {
    return CudaDriver().version();
  } catch (const Error&) {
    return 0;
  }
}

std::string cuda_driver_text(int driver) { return "CUDA " + cuda_version_text(driver); }

std::vector<InstalledCard> cuda_cards() { return listed(CudaDriver()); }

std::unique_ptr<GpuMachine> cuda_card(const InstalledCard& card) {
  return std::make_unique<DrivenCuda>(std::make_unique<CudaDriver>(), card);
}

}  // namespace rooftune::run
