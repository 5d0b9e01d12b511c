// NVIDIA's driver interface, opened at run time: the functions Rooftune needs, by prototypes of its
// own. One binary serves machines with and without a GPU. The caller checks every result.
#pragma once
#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include "os/dynamic_library.h"

namespace rooftune::run {

/// A CUresult, without names of ours: 0 is success.
using CudaResult = int;
using CudaAddress = unsigned long long;

struct CudaUuid {
  unsigned char bytes[16];
};

/// Opaque handles of the driver.
using CudaContext = struct OpaqueCudaContext*;
using CudaModule = struct OpaqueCudaModule*;
using CudaFunction = struct OpaqueCudaFunction*;
using CudaStream = struct OpaqueCudaStream*;
using CudaEvent = struct OpaqueCudaEvent*;

class CudaDriver {
 public:
  /// Opens $ROOFTUNE_LIBCUDA, else libcuda.so.1, and initialises it. Throws Error
  /// (ExitCode::unavailable) with the reason: no driver, a stub, too old, no card, a card without
  /// an answer.
  CudaDriver();

  /// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered".
  std::string text(CudaResult result) const;
  int version() const { return version_; }  ///< 13000 for CUDA 13.0

 private:
  /// A function of the driver, of the type of its member.
  struct Address {
    void* value;
    template <class Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(value);
    }
  };
  Address function(const char* name) const;

  DynamicLibrary library_;
  int version_ = 0;

 public:
  // Members named as the driver's functions without "cu"; in the versions exported by CUDA 11 to
  // 13.
  CudaResult (*Init)(unsigned) = function("cuInit");
  CudaResult (*DriverGetVersion)(int*) = function("cuDriverGetVersion");
  CudaResult (*GetErrorName)(CudaResult, const char**) = function("cuGetErrorName");
  CudaResult (*GetErrorString)(CudaResult, const char**) = function("cuGetErrorString");
  CudaResult (*DeviceGetCount)(int*) = function("cuDeviceGetCount");
  CudaResult (*DeviceGet)(int*, int) = function("cuDeviceGet");
  CudaResult (*DeviceGetName)(char*, int, int) = function("cuDeviceGetName");
  CudaResult (*DeviceGetUuid)(CudaUuid*, int) = function("cuDeviceGetUuid");
  CudaResult (*DeviceGetAttribute)(int*, int, int) = function("cuDeviceGetAttribute");
  CudaResult (*DeviceTotalMem)(size_t*, int) = function("cuDeviceTotalMem_v2");
  CudaResult (*DevicePrimaryCtxRetain)(CudaContext*, int) = function("cuDevicePrimaryCtxRetain");
  CudaResult (*CtxSetCurrent)(CudaContext) = function("cuCtxSetCurrent");
  CudaResult (*CtxSynchronize)() = function("cuCtxSynchronize");
  CudaResult (*ModuleLoadData)(CudaModule*, const void*) = function("cuModuleLoadData");
  CudaResult (*ModuleUnload)(CudaModule) = function("cuModuleUnload");
  CudaResult (*ModuleGetFunction)(CudaFunction*, CudaModule,
                                  const char*) = function("cuModuleGetFunction");
  CudaResult (*FuncSetAttribute)(CudaFunction, int, int) = function("cuFuncSetAttribute");
  CudaResult (*OccupancyMaxActiveBlocksPerMultiprocessor)(int*, CudaFunction, int, size_t) =
      function("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  CudaResult (*MemAlloc)(CudaAddress*, size_t) = function("cuMemAlloc_v2");
  CudaResult (*MemFree)(CudaAddress) = function("cuMemFree_v2");
  CudaResult (*MemcpyHtoD)(CudaAddress, const void*, size_t) = function("cuMemcpyHtoD_v2");
  CudaResult (*MemcpyDtoH)(void*, CudaAddress, size_t) = function("cuMemcpyDtoH_v2");
  CudaResult (*MemsetD8)(CudaAddress, unsigned char, size_t) = function("cuMemsetD8_v2");
  CudaResult (*StreamCreate)(CudaStream*, unsigned) = function("cuStreamCreate");
  CudaResult (*LaunchKernel)(CudaFunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, unsigned, CudaStream, void**,
                             void**) = function("cuLaunchKernel");
  CudaResult (*EventCreate)(CudaEvent*, unsigned) = function("cuEventCreate");
  CudaResult (*EventRecord)(CudaEvent, CudaStream) = function("cuEventRecord");
  CudaResult (*EventSynchronize)(CudaEvent) = function("cuEventSynchronize");
  CudaResult (*EventElapsedTime)(float*, CudaEvent, CudaEvent) = function("cuEventElapsedTime");
};

/// Throws VariantFault with the failure's outcome; success costs no text.
[[noreturn]] void throw_fault(const CudaDriver& driver, CudaResult result, const std::string& what);

inline void check(const CudaDriver& driver, CudaResult result, const char* what) {
  if (result != 0) throw_fault(driver, result, what);
}
/// Calls `what` for the text, only after a failure.
template <std::invocable What>
void check(const CudaDriver& driver, CudaResult result, const What& what) {
  if (result != 0) throw_fault(driver, result, what());
}

}  // namespace rooftune::run
