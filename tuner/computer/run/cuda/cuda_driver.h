// NVIDIA's driver interface, opened at run time: the functions Rooftune needs, by prototypes of its
// own. One binary serves machines with and without a GPU. The caller checks every result.
#pragma once
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
using CudaGraph = struct OpaqueCudaGraph*;
using CudaGraphExec = struct OpaqueCudaGraphExec*;
using CudaGraphNode = struct OpaqueCudaGraphNode*;

class CudaDriver {
 public:
  /// Opens $ROOFTUNE_LIBCUDA, else libcuda.so.1, and initialises it. Throws Error
  /// (ExitCode::unavailable) with the reason: no driver, a stub, too old, no card, a card without
  /// an answer.
  CudaDriver();

  /// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered".
  std::string text(CudaResult result) const;
  int version() const { return version_; }  ///< 13000 for CUDA 13.0
  /// Those before CUDA 11.4 have another interface to graphs.
  bool has_graphs() const { return GraphInstantiate != nullptr; }
  /// Begins or ends the range of a profiler.
  CudaResult profile(bool begins) const;

 private:
  DynamicLibrary library_;
  int version_ = 0;

 public:
  // Members named as the driver's functions without "cu"; in the versions exported by CUDA 11 to
  // 13.
  CudaResult (*Init)(unsigned) = nullptr;
  CudaResult (*DriverGetVersion)(int*) = nullptr;
  CudaResult (*GetErrorName)(CudaResult, const char**) = nullptr;
  CudaResult (*GetErrorString)(CudaResult, const char**) = nullptr;
  CudaResult (*DeviceGetCount)(int*) = nullptr;
  CudaResult (*DeviceGet)(int*, int) = nullptr;
  CudaResult (*DeviceGetName)(char*, int, int) = nullptr;
  CudaResult (*DeviceGetUuid)(CudaUuid*, int) = nullptr;
  CudaResult (*DeviceGetAttribute)(int*, int, int) = nullptr;
  CudaResult (*DeviceTotalMem)(std::size_t*, int) = nullptr;
  CudaResult (*DevicePrimaryCtxRetain)(CudaContext*, int) = nullptr;
  CudaResult (*CtxSetCurrent)(CudaContext) = nullptr;
  CudaResult (*CtxSynchronize)() = nullptr;
  CudaResult (*CtxSetLimit)(int, std::size_t) = nullptr;
  CudaResult (*CtxResetPersistingL2Cache)() = nullptr;
  CudaResult (*ModuleLoadData)(CudaModule*, const void*) = nullptr;
  CudaResult (*ModuleUnload)(CudaModule) = nullptr;
  CudaResult (*ModuleGetFunction)(CudaFunction*, CudaModule, const char*) = nullptr;
  CudaResult (*FuncSetAttribute)(CudaFunction, int, int) = nullptr;
  CudaResult (*OccupancyMaxActiveBlocksPerMultiprocessor)(int*, CudaFunction, int,
                                                          std::size_t) = nullptr;
  CudaResult (*MemAlloc)(CudaAddress*, std::size_t) = nullptr;
  CudaResult (*MemFree)(CudaAddress) = nullptr;
  CudaResult (*MemcpyHtoD)(CudaAddress, const void*, std::size_t) = nullptr;
  CudaResult (*MemcpyDtoH)(void*, CudaAddress, std::size_t) = nullptr;
  CudaResult (*MemsetD8)(CudaAddress, unsigned char, std::size_t) = nullptr;
  CudaResult (*StreamCreate)(CudaStream*, unsigned) = nullptr;
  CudaResult (*StreamSetAttribute)(CudaStream, int, const void*) = nullptr;
  CudaResult (*LaunchKernel)(CudaFunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                             unsigned, unsigned, CudaStream, void**, void**) = nullptr;
  // Graphs; all of them or none (null), see has_graphs().
  CudaResult (*StreamBeginCapture)(CudaStream, int) = nullptr;
  CudaResult (*StreamEndCapture)(CudaStream, CudaGraph*) = nullptr;
  CudaResult (*GraphGetNodes)(CudaGraph, CudaGraphNode*, std::size_t*) = nullptr;
  CudaResult (*GraphNodeGetType)(CudaGraphNode, int*) = nullptr;
  CudaResult (*GraphKernelNodeSetAttribute)(CudaGraphNode, int, const void*) = nullptr;
  CudaResult (*GraphInstantiate)(CudaGraphExec*, CudaGraph, unsigned long long) = nullptr;
  CudaResult (*GraphLaunch)(CudaGraphExec, CudaStream) = nullptr;
  CudaResult (*GraphExecDestroy)(CudaGraphExec) = nullptr;
  CudaResult (*GraphDestroy)(CudaGraph) = nullptr;
  CudaResult (*EventCreate)(CudaEvent*, unsigned) = nullptr;
  CudaResult (*EventRecord)(CudaEvent, CudaStream) = nullptr;
  CudaResult (*EventSynchronize)(CudaEvent) = nullptr;
  CudaResult (*EventElapsedTime)(float*, CudaEvent, CudaEvent) = nullptr;
};

}  // namespace rooftune::run
