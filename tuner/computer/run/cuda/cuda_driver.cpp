// The driver by dlopen, under the versioned names of its exports since CUDA 11.
#include "run/cuda/cuda_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/error.h"

namespace rooftune::run {
namespace {

constexpr int stub_library = 34, old_driver = 35, unavailable_result = 46, no_device = 100,
              not_ready = 802, mismatch = 803;
/// CUDA 11.2, the first driver interface with everything used here.
constexpr int oldest = 11020;

std::string library_name() {
  const char* chosen = std::getenv("ROOFTUNE_LIBCUDA");
  return chosen && *chosen ? chosen : "libcuda.so.1";
}

DynamicLibrary opened() {
  const std::string name = library_name();
  try {
    return DynamicLibrary(name);
  } catch (const Error& error) {
    throw Error("there is no NVIDIA driver: " + error.message(), name,
                "--dry-run works without one; to measure, run on a machine with the card and its "
                "driver, or name the library: ROOFTUNE_LIBCUDA=<path of libcuda.so.1>",
                ExitCode::unavailable);
  }
}

/// Remedies for a refusal of cuInit.
std::string cure(CudaResult result) {
  switch (result) {
    case stub_library:
      return "this is the toolkit's stub, meant for linking; the driver's own libcuda.so.1 is "
             "needed";
    case old_driver:
      return "update the NVIDIA driver";
    case unavailable_result:
      return "another process holds the card exclusively; wait for it or choose another card";
    case no_device:
      return "no card is visible: nvidia-smi -L lists them, CUDA_VISIBLE_DEVICES hides them";
    case not_ready:
      return "the fabric manager or the persistence service of this machine has not started";
    case mismatch:
      return "the kernel module and libcuda differ in version: reboot after a driver update";
    default:
      return "nvidia-smi shows whether the card answers";
  }
}

}  // namespace

CudaDriver::CudaDriver() : library_(opened()) {
  // Its threads and exit handlers outlive any use here.
  library_.stay();
  const auto bind = [&](auto& member, const char* name) {
    void* const address = library_.find(name);
    if (!address)
      throw Error(
          fmt::format("the NVIDIA driver has no function {}: it is too old or no driver", name),
          library_name(), "CUDA 11.2 or later is needed: update the NVIDIA driver",
          ExitCode::unavailable);
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(address);
  };
  bind(Init, "cuInit");
  bind(DriverGetVersion, "cuDriverGetVersion");
  bind(GetErrorName, "cuGetErrorName");
  bind(GetErrorString, "cuGetErrorString");
  bind(DeviceGetCount, "cuDeviceGetCount");
  bind(DeviceGet, "cuDeviceGet");
  bind(DeviceGetName, "cuDeviceGetName");
  bind(DeviceGetUuid, "cuDeviceGetUuid");
  bind(DeviceGetAttribute, "cuDeviceGetAttribute");
  bind(DeviceTotalMem, "cuDeviceTotalMem_v2");
  bind(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  bind(CtxSetCurrent, "cuCtxSetCurrent");
  bind(CtxSynchronize, "cuCtxSynchronize");
  bind(CtxSetLimit, "cuCtxSetLimit");
  bind(CtxResetPersistingL2Cache, "cuCtxResetPersistingL2Cache");
  bind(ModuleLoadData, "cuModuleLoadData");
  bind(ModuleUnload, "cuModuleUnload");
  bind(ModuleGetFunction, "cuModuleGetFunction");
  bind(FuncSetAttribute, "cuFuncSetAttribute");
  bind(OccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  bind(MemAlloc, "cuMemAlloc_v2");
  bind(MemFree, "cuMemFree_v2");
  bind(MemcpyHtoD, "cuMemcpyHtoD_v2");
  bind(MemcpyDtoH, "cuMemcpyDtoH_v2");
  bind(MemsetD8, "cuMemsetD8_v2");
  bind(StreamCreate, "cuStreamCreate");
  bind(StreamSetAttribute, "cuStreamSetAttribute");
  bind(LaunchKernel, "cuLaunchKernel");
  bind(EventCreate, "cuEventCreate");
  bind(EventRecord, "cuEventRecord");
  bind(EventSynchronize, "cuEventSynchronize");
  bind(EventElapsedTime, "cuEventElapsedTime");
  if (library_.find("cuGraphInstantiateWithFlags")) {
    bind(StreamBeginCapture, "cuStreamBeginCapture_v2");
    bind(StreamEndCapture, "cuStreamEndCapture");
    bind(GraphGetNodes, "cuGraphGetNodes");
    bind(GraphNodeGetType, "cuGraphNodeGetType");
    bind(GraphKernelNodeSetAttribute, "cuGraphKernelNodeSetAttribute");
    bind(GraphInstantiate, "cuGraphInstantiateWithFlags");
    bind(GraphLaunch, "cuGraphLaunch");
    bind(GraphExecDestroy, "cuGraphExecDestroy");
    bind(GraphDestroy, "cuGraphDestroy");
  }
  const CudaResult result = Init(0);
  if (result != 0)
    throw Error("the NVIDIA driver does not start: " + text(result), library_name(), cure(result),
                ExitCode::unavailable);
  DriverGetVersion(&version_);
  if (version_ < oldest)
    throw Error(fmt::format("the NVIDIA driver supports CUDA {}.{} only", version_ / 1000,
                            version_ % 1000 / 10),
                library_name(), "CUDA 11.2 or later is needed: update the NVIDIA driver",
                ExitCode::unavailable);
}

std::string CudaDriver::text(CudaResult result) const {
  const char *name = nullptr, *words = nullptr;
  // The stub has no texts, and an old driver does not know new results.
  if (GetErrorName) GetErrorName(result, &name);
  if (GetErrorString) GetErrorString(result, &words);
  return fmt::format("{} ({}){}{}", name ? name : "CUDA error", result, words ? ": " : "",
                     words ? words : "");
}

CudaResult CudaDriver::profile(bool begins) const {
  return reinterpret_cast<CudaResult (*)()>(
      library_.symbol(begins ? "cuProfilerStart" : "cuProfilerStop"))();
}

}  // namespace rooftune::run
