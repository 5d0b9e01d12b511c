// A driver without a card: the functions of libcuda.so.1 that Rooftune uses, over host memory.
// What kernels do is in another file (device_code.h); a launch "takes" 1 ns per thread. FAKE_CUDA
// says how it behaves: words such as "init=100 launch=701 wait=700 alloc=2 version=11000 count=2
// name=NVIDIA_H200 hang=1":
//   memory=N       bytes on the card
//   total=N        bytes that it says to have; 40 GiB otherwise
// $FAKE_CUDA_CALLS names a file that counts calls (fake_driver.h).
#include "support/fake_driver.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "support/device_code.h"
#include "support/fake_card.h"

namespace {

using rooftune::test::count;
using rooftune::test::FakeCall;
using namespace rooftune::test::fake_card;

/// CUfunction.
struct Kernel {
  std::string name;
  void* module;
  unsigned most_shared_bytes = 0;
};

struct Event {
  double at = 0;
};

thread_local void* current_context = nullptr;

/// Arrays "on the card", by their start.
std::map<unsigned long long, std::size_t> arrays;
/// Those filled whole with Rooftune's pattern: its guards are their first and last bytes.
std::set<unsigned long long> guarded;
constexpr unsigned char guard_pattern = 0xA6;
constexpr std::size_t guard_bytes = 512;
std::mutex arrays_mutex;
/// While Rooftune's own kernels look at arrays, their guards can be seen.
bool shows_guards = false;

/// The start of the array that holds this address; 0: none does.
unsigned long long array_of(unsigned long long address) {
  const std::lock_guard lock(arrays_mutex);
  const auto behind = arrays.upper_bound(address);
  if (behind == arrays.begin()) return 0;
  const auto& [start, bytes] = *std::prev(behind);
  return address - start < bytes ? start : 0;
}

/// Whether it is the memory of a variant.
bool is_guarded(unsigned long long address) {
  const unsigned long long start = array_of(address);
  const std::lock_guard lock(arrays_mutex);
  return guarded.count(start) != 0;
}

int run(const rooftune::test::CodeLaunch& launch) {
  void** const arguments = launch.arguments;
  if (launch.kernel.rfind(rooftune::test::own_kernels, 0) == 0) {
    shows_guards = true;
    const int result = rooftune::test::run_kernel(launch);
    shows_guards = false;
    if (launch.kernel == rooftune::test::comparing_kernel) rooftune::test::results_read();
    return result;
  }
  if (const int result = rooftune::test::run_kernel(launch); result != 0) return result;
  // "beside=1": writes one byte before the array that is the kernel's first argument.
  if (number("beside") != 0) *(*static_cast<unsigned char**>(arguments[0]) - 1) = 0;
  // "fill=N": N zero bytes are what the kernel writes to its first argument.
  if (number("fill") != 0)
    std::memset(*static_cast<unsigned char**>(arguments[0]), 0,
                static_cast<std::size_t>(number("fill")));
  return number("launch");
}

}  // namespace

rooftune::test::DeviceArray rooftune::test::device_array(std::uint64_t address) {
  const std::uint64_t start = array_of(address);
  const std::lock_guard lock(arrays_mutex);
  if (start == 0) return {};
  const std::size_t guard = guarded.count(start) && !shows_guards ? guard_bytes : 0;
  return {start + guard, arrays.at(start) - 2 * guard};
}

extern "C" {

int cuInit(unsigned) { return number("init"); }
int cuDriverGetVersion(int* version) {
  *version = number("version", "13000");
  return 0;
}
int cuGetErrorName(int result, const char** name) {
  *name = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OF_THE_FAKE";
  return 0;
}
int cuGetErrorString(int result, const char** words) {
  *words = rooftune::test::fault_of_code();
  if (!**words)
    *words = result == 700 ? "an illegal memory access was encountered" : "as FAKE_CUDA says";
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = number("count", "1");
  return 0;
}
int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}
int cuDeviceGetName(char* name, int size, int) {
  std::string text = said("name", "NVIDIA_A100-SXM4-40GB");
  std::replace(text.begin(), text.end(), '_', ' ');
  std::snprintf(name, static_cast<std::size_t>(size), "%s", text.c_str());
  return 0;
}
int cuDeviceGetUuid(unsigned char* uuid, int device) {
  std::memset(uuid, 0xa0 + device, 16);
  return 0;
}
/// Its slice differs in the last byte.
int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  cuDeviceGetUuid(uuid, device);
  if (said("name", "").find("_MIG_") != std::string::npos) uuid[15] = 0x51;
  return 0;
}
/// Attributes of an A100, by their numbers in CUdevice_attribute.
int cuDeviceGetAttribute(int* value, int attribute, int) {
  const std::map<int, int> known{{12, 65536},
                                 {16, number("multiprocessors", "108")},
                                 {38, number("l2", "41943040")},
                                 {39, 2048},
                                 {75, number("major", "8")},
                                 {81, 167936},
                                 {82, 65536},
                                 {97, 166912},
                                 {106, 32},
                                 {111, 1024}};
  const auto found = known.find(attribute);
  *value = found == known.end() ? 0 : found->second;
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  const int total = number("total");
  *bytes = total != 0 ? static_cast<std::size_t>(total) : std::size_t{40} << 30;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = &milliseconds;
  return number("context");
}
int cuCtxSetCurrent(void* context) {
  current_context = context;
  return 0;
}
int cuCtxGetCurrent(void** context) {
  *context = current_context;
  return 0;
}
int cuCtxGetDevice(int* device) {
  *device = 0;
  return 0;
}
int cuPointerGetAttribute(void* value, int attribute, unsigned long long address) {
  constexpr int memory_type = 2, on_card = 2, invalid = 1;
  if (attribute != memory_type || array_of(address) == 0) return invalid;
  *static_cast<unsigned*>(value) = on_card;
  return 0;
}
int cuMemGetAddressRange_v2(unsigned long long* start, std::size_t* bytes,
                            unsigned long long address) {
  *start = array_of(address);
  const std::lock_guard lock(arrays_mutex);
  if (*start != 0) *bytes = arrays.at(*start);
  return *start != 0 ? 0 : 1;
}
int cuCtxSynchronize() {
  while (number("hang") != 0) usleep(100000);
  return number("wait");
}
int cuModuleLoadData(void** module, const void* image) {
  const int result = rooftune::test::load_image(module, image);
  return result != 0 ? result : number("load");
}
int cuModuleUnload(void* module) {
  rooftune::test::unload_image(module);
  return 0;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  static std::list<Kernel> kernels;
  *function = &kernels.emplace_back(Kernel{name, module});
  const int result = rooftune::test::find_kernel(module, name);
  return result != 0 ? result : number("function");
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  constexpr int most_dynamic_shared = 8;
  if (attribute == most_dynamic_shared)
    static_cast<Kernel*>(function)->most_shared_bytes = static_cast<unsigned>(value);
  count(FakeCall::function_attribute);
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int, std::size_t) {
  count(FakeCall::occupancy);
  *blocks = 4;
  return 0;
}
int cuMemAlloc_v2(unsigned long long* start, std::size_t bytes) {
  // The first small allocation is the exercise before any variant.
  if (bytes > 256 && number("alloc") != 0) return number("alloc");
  if (number("memory") != 0) {
    const std::lock_guard lock(arrays_mutex);
    std::size_t used = bytes;
    for (const auto& [other, taken] : arrays) used += taken;
    if (used > static_cast<std::size_t>(number("memory"))) {
      count(FakeCall::out_of_memory);
      return 2;
    }
  }
  void* const memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  *start = reinterpret_cast<unsigned long long>(memory);
  const std::lock_guard lock(arrays_mutex);
  if (memory) arrays[*start] = bytes;
  return memory ? 0 : 2;
}
int cuMemFree_v2(unsigned long long start) {
  {
    const std::lock_guard lock(arrays_mutex);
    arrays.erase(start);
    guarded.erase(start);
  }
  std::free(reinterpret_cast<void*>(start));
  return 0;
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  count(FakeCall::upload);
  count(FakeCall::uploaded_bytes, bytes);
  rooftune::test::inputs_changed();
  return 0;
}
int cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  rooftune::test::inputs_changed();
  return 0;
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) {
  if (const auto array = rooftune::test::device_array(from);
      is_guarded(from) && from >= array.start && from < array.start + array.bytes)
    rooftune::test::results_read();
  count(FakeCall::downloaded_bytes, bytes);
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}
int cuMemsetD8_v2(unsigned long long start, unsigned char value, std::size_t bytes) {
  if (const std::lock_guard lock(arrays_mutex); value == guard_pattern &&
                                                bytes >= 2 * guard_bytes && arrays.count(start) &&
                                                arrays.at(start) == bytes)
    guarded.insert(start);
  std::memset(reinterpret_cast<void*>(start), value, bytes);
  return 0;
}
int cuMemcpyAsync(unsigned long long to, unsigned long long from, std::size_t bytes, void*) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return 0;
}
int cuMemsetD8Async(unsigned long long start, unsigned char value, std::size_t bytes, void*) {
  std::memset(reinterpret_cast<void*>(start), value, bytes);
  return 0;
}
int cuStreamSynchronize(void*) { return number("wait"); }
int cuStreamCreate(void** stream, unsigned) {
  *stream = &milliseconds;
  return 0;
}
int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared_bytes, void* stream, void** arguments, void**) {
  count(FakeCall::launch);
  const auto& kernel = *static_cast<Kernel*>(function);
  constexpr int invalid_handle = 400;
  if (kernel.name == "library_kernel" && stream != &milliseconds) return invalid_handle;
  const rooftune::test::CodeLaunch launch{kernel.name,  kernel.module, {gx, gy, gz},
                                          {bx, by, bz}, shared_bytes,  kernel.most_shared_bytes,
                                          arguments};
  const double threads = 1.0 * gx * gy * gz * bx * by * bz;
  milliseconds += 1e-6 * threads;
  return run(launch);
}

int cuEventCreate(void** event, unsigned) {
  static std::list<Event> events;  // until the process ends, as the engine keeps them
  *event = &events.emplace_back();
  return 0;
}
int cuEventRecord(void* event, void*) {
  static_cast<Event*>(event)->at = milliseconds;
  return 0;
}
int cuEventSynchronize(void*) { return number("wait"); }
int cuEventElapsedTime(float* elapsed, void* begin, void* end) {
  *elapsed = static_cast<float>(static_cast<Event*>(end)->at - static_cast<Event*>(begin)->at);
  return 0;
}

}  // extern "C"
