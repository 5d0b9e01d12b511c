// Opens the driver by dlopen, under the versioned names that it exports since CUDA 11.
#include "run/cuda/cuda_driver.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "core/error.h"
#include "counters/cuda/cupti.h"
#include "counters/cuda/nvidia.h"
#include "run/loaded_variant.h"

namespace rooftune::run {
namespace {

/// CUDA 11.2, the first driver interface with everything used here.
constexpr int oldest = 11020;

DynamicLibrary opened() {
  try {
    return cuda_library();
  } catch (const Error& error) {
    throw Unavailable(
        "there is no NVIDIA driver: " + error.message(), cuda_library_name(),
        "--dry-run works without one; to measure, run on a machine with the card and its "
        "driver, or name the library: ROOFTUNE_LIBCUDA=<path of libcuda.so.1>");
  }
}

/// What helps when cuInit refuses, by its result.
const std::map<CudaResult, const char*> cures{
    {34, "this is the toolkit's stub, meant for linking; the driver's own libcuda.so.1 is needed"},
    {35, "update the NVIDIA driver"},
    {46, "another process holds the card exclusively; wait for it or choose another card"},
    {100, "no card is visible: nvidia-smi -L lists them, CUDA_VISIBLE_DEVICES hides them"},
    {802, "the fabric manager or the persistence service of this machine has not started"},
    {803, "the kernel module and libcuda differ in version: reboot after a driver update"}};

Outcome outcome_of(CudaResult result) {
  switch (result) {
    case 2:  // no memory left
      return Outcome::out_of_memory;
    case 200:  // invalid image
    case 209:  // no binary for this card
    case 218:  // invalid PTX
    case 221:  // the driver has no PTX compiler
    case 222:  // PTX from a newer version than the driver's
    case 223:  // PTX is not to be compiled
    case 500:  // no such kernel
      return Outcome::build_failed;
    case 702:  // launch timeout
      return Outcome::timed_out;
    default:
      return Outcome::crashed;
  }
}

}  // namespace

CudaDriver::Address CudaDriver::function(const char* name) const {
  if (void* const address = library_.find(name)) return {address};
  throw Unavailable(
      fmt::format("the NVIDIA driver has no function {}: it is too old or no driver", name),
      cuda_library_name(), "CUDA 11.2 or later is needed: update the NVIDIA driver");
}

CudaDriver::CudaDriver() : library_(opened()) {
  const CudaResult result = Init(0);
  if (result != 0)
    throw Unavailable(
        "the NVIDIA driver does not start: " + text(result), cuda_library_name(),
        cures.contains(result) ? cures.at(result) : "nvidia-smi shows whether the card answers");
  DriverGetVersion(&version_);
  if (version_ < oldest)
    throw Unavailable(fmt::format("the NVIDIA driver supports CUDA {}.{} only", version_ / 1000,
                                  version_ % 1000 / 10),
                      cuda_library_name(),
                      "CUDA 11.2 or later is needed: update the NVIDIA driver");
}

std::string CudaDriver::text(CudaResult result) const {
  const char *name = nullptr, *words = nullptr;
  // The stub has no texts, and an old driver does not know new results.
  GetErrorName(result, &name);
  GetErrorString(result, &words);
  return fmt::format("{} ({}){}{}", name ? name : "CUDA error", result, words ? ": " : "",
                     words ? words : "");
}

CudaUuid CudaDriver::uuid(int device) const {
  void* const own = library_.find("cuDeviceGetUuid_v2");
  CudaUuid uuid{};
  (own ? reinterpret_cast<decltype(DeviceGetUuid)>(own) : DeviceGetUuid)(&uuid, device);
  return uuid;
}

void throw_fault(const CudaDriver& driver, CudaResult result, const std::string& what) {
  throw VariantFault{outcome_of(result), what + ": " + driver.text(result)};
}

}  // namespace rooftune::run
