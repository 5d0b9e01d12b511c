// Every call of the driver is checked; what fails becomes the outcome of the trial.
#include "run/driven_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "run/flush_kernel.h"
#include "run/loaded_variant.h"
#include "run/nvml.h"

namespace rooftune::inline run {
namespace {

constexpr CudaResult invalid_value = 1, out_of_memory_result = 2, invalid_image = 200,
                     no_binary = 209, invalid_ptx = 218, not_found = 500, out_of_resources = 701,
                     launch_timeout = 702;
/// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES; needed above 48 KiB.
constexpr int most_dynamic_shared = 8;
constexpr std::int64_t shared_without_asking = 48 << 10;
/// CU_LIMIT_PERSISTING_L2_CACHE_SIZE and CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW.
constexpr int persisting_l2 = 6, access_policy = 1;
/// Bytes of known pattern on both sides of an allocation; keeps the driver's alignment.
constexpr std::int64_t canary_bytes = 512;
constexpr unsigned char device_canary = 0xA6, unwritten_byte = 0xFF;

/// CUaccessPolicyWindow, padded to the size of CUlaunchAttributeValue.
struct AccessPolicy {
  void* base = nullptr;
  std::size_t bytes = 0;
  float hit_ratio = 1;
  int hit = 0, miss = 0;
  unsigned char padding[32] = {};
};
static_assert(sizeof(AccessPolicy) == 64);

std::size_t size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

CudaAddress address(const void* pointer) { return reinterpret_cast<CudaAddress>(pointer); }

const char* outcome_of(CudaResult result) {
  switch (result) {
    case out_of_memory_result:
      return "out_of_memory";
    case invalid_image:
    case no_binary:
    case invalid_ptx:
    case not_found:
      return "build_failed";
    case launch_timeout:
      return "timed_out";
    default:
      return "crashed";
  }
}

}  // namespace

DrivenCuda::DrivenCuda(std::unique_ptr<CudaDriver> driver, CudaCard card)
    : driver_(std::move(driver)), card_(std::move(card)) {
  const auto need = [&](CudaResult result, const char* what) {
    if (result != 0)
      throw Error(
          fmt::format("{} ({}): {}: {}", card_.name, card_.uuid, what, driver_->text(result)),
          "--gpu", "nvidia-smi shows its state and who uses it", ExitCode::unavailable);
  };
  int device = 0;
  CudaContext context = nullptr;
  need(driver_->DeviceGet(&device, card_.index), "it does not answer");
  need(driver_->DevicePrimaryCtxRetain(&context, device), "no context can be made");
  need(driver_->CtxSetCurrent(context), "its context cannot be used");
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
    throw Error(fmt::format("{} returns other bytes than were written", card_.name), "--gpu",
                "nvidia-smi -q shows memory errors", ExitCode::unavailable);
}

void DrivenCuda::check(CudaResult result, const std::string& what) const {
  if (result != 0) throw VariantFault{outcome_of(result), what + ": " + driver_->text(result)};
}

void DrivenCuda::use(const Task& task) {
  Variant& variant = variants_[task.library];
  current_ = &variant;
  if (variant.module) return;
  const std::string image = read_text(task.image);
  check(driver_->ModuleLoadData(&variant.module, image.c_str()), "the kernels cannot be loaded");
}

void DrivenCuda::release_all(Variant& variant) {
  if (variant.keeps_in_l2) keep_in_l2(nullptr, 0);
  for (const auto& [start, bytes] : variant.memory) driver_->MemFree(start - canary_bytes);
  if (variant.module) driver_->ModuleUnload(variant.module);
}

void DrivenCuda::drop(const Task& task) {
  const auto found = variants_.find(task.library);
  if (found == variants_.end()) return;
  current_ = &found->second;
  release_all(found->second);
  current_ = nullptr;
  variants_.erase(found);
}

void* DrivenCuda::allocate(std::int64_t bytes) {
  CudaAddress start = 0;
  check(driver_->MemAlloc(&start, size(bytes + 2 * canary_bytes)),
        fmt::format("{} bytes of device memory", bytes));
  current_->memory[start + canary_bytes] = bytes;
  check(driver_->MemsetD8(start, device_canary, size(bytes + 2 * canary_bytes)), "memset");
  // NaN as float and as double: nobody may rely on zeros.
  if (bytes > 0)
    check(driver_->MemsetD8(start + canary_bytes, unwritten_byte, size(bytes)), "memset");
  return reinterpret_cast<void*>(start + canary_bytes);
}

void DrivenCuda::release(void* start) noexcept {
  if (current_->memory.erase(address(start)) > 0) driver_->MemFree(address(start) - canary_bytes);
}

void DrivenCuda::upload(void* to, const void* from, std::int64_t bytes) {
  check(driver_->MemcpyHtoD(address(to), from, size(bytes)), "copy to the device");
}

void DrivenCuda::download(void* to, const void* from, std::int64_t bytes) {
  check(driver_->MemcpyDtoH(to, address(from), size(bytes)), "copy from the device");
}

void DrivenCuda::clear(void* start, std::int64_t bytes) {
  check(driver_->MemsetD8(address(start), 0, size(bytes)), "memset");
}

CudaFunction DrivenCuda::function(const char* kernel) {
  CudaFunction& function = current_->functions[kernel];
  if (!function)
    check(driver_->ModuleGetFunction(&function, current_->module, kernel),
          fmt::format("kernel {} in the image", kernel));
  return function;
}

void DrivenCuda::launch(const CudaLaunch& launch) {
  const CudaFunction kernel = function(launch.kernel);
  const auto dynamic_bytes = static_cast<unsigned>(launch.shared_bytes);
  if (launch.shared_bytes > shared_without_asking)
    check(driver_->FuncSetAttribute(kernel, most_dynamic_shared, static_cast<int>(dynamic_bytes)),
          fmt::format("{} bytes of shared memory for {}", dynamic_bytes, launch.kernel));
  const CudaSize &grid = launch.grid, &block = launch.block;
  const CudaResult result =
      driver_->LaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                            dynamic_bytes, stream_, launch.arguments, nullptr);
  if (result == invalid_value || result == out_of_resources)
    check(result, fmt::format("{} cannot be launched with {} x {} x {} blocks of {} x {} x {} "
                              "threads and {} bytes of shared memory",
                              launch.kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                              dynamic_bytes));
  check(result, fmt::format("launch of {}", launch.kernel));
}

int DrivenCuda::resident_blocks(const char* kernel, int threads, std::int64_t shared_bytes) {
  const CudaFunction one = function(kernel);
  if (shared_bytes > shared_without_asking)
    check(driver_->FuncSetAttribute(one, most_dynamic_shared, static_cast<int>(shared_bytes)),
          fmt::format("{} bytes of shared memory for {}", shared_bytes, kernel));
  int blocks = 0;
  check(
      driver_->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, one, threads, size(shared_bytes)),
      fmt::format("occupancy of {}", kernel));
  return blocks;
}

void DrivenCuda::keep_in_l2(const void* start, std::int64_t bytes) {
  if (current_) current_->keeps_in_l2 = bytes > 0;
  AccessPolicy policy;
  policy.base = const_cast<void*>(start);
  policy.bytes = size(bytes);
  policy.hit = bytes > 0 ? 2 : 0;  // CU_ACCESS_PROPERTY_PERSISTING, else NORMAL
  // A wish only: cards before compute capability 8.0 refuse both.
  driver_->CtxSetLimit(persisting_l2, size(std::min(bytes, card_.properties.l2_bytes)));
  driver_->StreamSetAttribute(stream_, access_policy, &policy);
}

void DrivenCuda::wait() { check(driver_->CtxSynchronize(), "while its kernels ran"); }

double DrivenCuda::seconds(const std::function<void()>& calls) {
  check(driver_->EventRecord(begin_, stream_), "event");
  calls();
  check(driver_->EventRecord(end_, stream_), "event");
  check(driver_->EventSynchronize(end_), "while its kernels ran");
  float milliseconds = 0;
  check(driver_->EventElapsedTime(&milliseconds, begin_, end_), "event");
  return 1e-3 * static_cast<double>(milliseconds);
}

void DrivenCuda::flush() {
  const char* const what = "flush of the L2 cache";
  std::uint64_t bytes = 2 * size(card_.properties.l2_bytes) / 16 * 16;
  if (flushed_ == 0) {
    check(driver_->MemAlloc(&flushed_, bytes), "memory to flush the L2 cache");
    // A card may answer reads of memory that was never written without fetching it.
    check(driver_->MemsetD8(flushed_, 1, bytes), what);
    CudaModule module = nullptr;
    // Small containers lack the driver's assembler.
    if (driver_->ModuleLoadData(&module, flush_kernel_ptx) == 0)
      check(driver_->ModuleGetFunction(&flush_kernel_, module, flush_kernel_name), what);
  }
  if (!flush_kernel_) return check(driver_->MemsetD8(flushed_, 1, bytes), what);
  constexpr unsigned threads = 256, blocks_each = 4;
  const auto blocks = blocks_each * static_cast<unsigned>(card_.properties.multiprocessors);
  void* arguments[] = {&flushed_, &bytes};
  // What follows in the stream waits for it; the host need not.
  check(driver_->LaunchKernel(flush_kernel_, blocks, 1, 1, threads, 1, 1, 0, stream_, arguments,
                              nullptr),
        what);
}

std::string DrivenCuda::damage() {
  if (!current_) return {};
  std::vector<unsigned char> zone(size(canary_bytes));
  for (const auto& [start, bytes] : current_->memory)
    for (const bool behind : {false, true}) {
      const CudaAddress from =
          behind ? start + static_cast<CudaAddress>(bytes) : start - canary_bytes;
      check(driver_->MemcpyDtoH(zone.data(), from, zone.size()), "canary");
      const auto changed = std::find_if(zone.begin(), zone.end(),
                                        [](unsigned char c) { return c != device_canary; });
      if (changed != zone.end())
        return fmt::format("device memory was written {} an array of {} bytes",
                           behind ? "behind" : "before", bytes);
    }
  return {};
}

std::optional<CardState> DrivenCuda::state() { return nvml_state(card_.uuid); }

}  // namespace rooftune::inline run
