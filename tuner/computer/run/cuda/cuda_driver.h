// NVIDIA's driver interface, opened at run time: the functions that Rooftune needs, through its own
// prototypes. One binary serves machines with and without a GPU. The caller checks every result.
#pragma once
#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include "os/dynamic_library.h"

namespace rooftune::run {

/// A CUresult, without names here: 0 is success.
using CudaResult = int;
using CudaAddress = unsigned long long;

struct CudaUuid {
  unsigned char bytes[16];
};

/// The driver's opaque handles.
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
  /// A slice has its own, where the driver tells it (CUDA 11.4); else its card's.
  CudaUuid uuid(int device) const;

 private:
  /// The address of a driver function, convertible to the type of its member.
  struct Address {
    void* value;
    template <class Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(value);
    }
  };
  Address function(const char* name) const;
  Address known(const char* name) const { return {library_.find(name)}; }

  DynamicLibrary library_;
  int version_ = 0;

 public:
  // Members carry the driver's names without "cu"; the versions are those that CUDA 11 to 13
  // export.
#define ROOFTUNE_DRIVER(Name, version, ...) \
  CudaResult (*Name)(__VA_ARGS__) = function("cu" #Name version);
  ROOFTUNE_DRIVER(Init, "", unsigned)
  ROOFTUNE_DRIVER(DriverGetVersion, "", int*)
  ROOFTUNE_DRIVER(GetErrorName, "", CudaResult, const char**)
  ROOFTUNE_DRIVER(GetErrorString, "", CudaResult, const char**)
  ROOFTUNE_DRIVER(DeviceGetCount, "", int*)
  ROOFTUNE_DRIVER(DeviceGet, "", int*, int)
  ROOFTUNE_DRIVER(DeviceGetName, "", char*, int, int)
  ROOFTUNE_DRIVER(DeviceGetUuid, "", CudaUuid*, int)
  ROOFTUNE_DRIVER(DeviceGetAttribute, "", int*, int, int)
  ROOFTUNE_DRIVER(DeviceTotalMem, "_v2", size_t*, int)
  ROOFTUNE_DRIVER(DevicePrimaryCtxRetain, "", CudaContext*, int)
  ROOFTUNE_DRIVER(CtxSetCurrent, "", CudaContext)
  ROOFTUNE_DRIVER(CtxSynchronize, "")
  ROOFTUNE_DRIVER(ModuleLoadData, "", CudaModule*, const void*)
  ROOFTUNE_DRIVER(ModuleUnload, "", CudaModule)
  ROOFTUNE_DRIVER(ModuleGetFunction, "", CudaFunction*, CudaModule, const char*)
  ROOFTUNE_DRIVER(FuncSetAttribute, "", CudaFunction, int, int)
  ROOFTUNE_DRIVER(OccupancyMaxActiveBlocksPerMultiprocessor, "", int*, CudaFunction, int, size_t)
  ROOFTUNE_DRIVER(MemAlloc, "_v2", CudaAddress*, size_t)
  ROOFTUNE_DRIVER(MemFree, "_v2", CudaAddress)
  ROOFTUNE_DRIVER(MemcpyHtoD, "_v2", CudaAddress, const void*, size_t)
  ROOFTUNE_DRIVER(MemcpyDtoH, "_v2", void*, CudaAddress, size_t)
  /// Null where a driver has none.
  CudaResult (*MemcpyDtoD)(CudaAddress, CudaAddress, size_t) = known("cuMemcpyDtoD_v2");
  ROOFTUNE_DRIVER(MemsetD8, "_v2", CudaAddress, unsigned char, size_t)
  ROOFTUNE_DRIVER(StreamCreate, "", CudaStream*, unsigned)
  ROOFTUNE_DRIVER(LaunchKernel, "", CudaFunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                  unsigned, unsigned, CudaStream, void**, void**)
  ROOFTUNE_DRIVER(EventCreate, "", CudaEvent*, unsigned)
  ROOFTUNE_DRIVER(EventRecord, "", CudaEvent, CudaStream)
  ROOFTUNE_DRIVER(EventSynchronize, "", CudaEvent)
  ROOFTUNE_DRIVER(EventElapsedTime, "", float*, CudaEvent, CudaEvent)
#undef ROOFTUNE_DRIVER
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
