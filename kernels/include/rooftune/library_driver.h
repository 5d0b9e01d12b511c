// NVIDIA's driver for an exported library: opened while the application runs, by prototypes of our
// own, so that the library links to neither driver nor toolkit.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <string>

#include "rooftune/library_fault.h"

namespace rooftune_cuda_library {

using rooftune_library::Fault;
using rooftune_library::guarded;
using rooftune_library::last_fault;

/// The functions of libcuda that a library needs, named as the driver's without "cu".
class Driver {
 public:
  using Address = unsigned long long;

  /// Opens $ROOFTUNE_LIBCUDA, else libcuda.so.1, once. Throws Fault where there is none.
  static const Driver& get() {
    static const Driver driver;
    return driver;
  }

  void check(int result, const std::string& what) const {
    if (result == 0) return;
    const char *name = nullptr, *words = nullptr;
    GetErrorName(result, &name);
    GetErrorString(result, &words);
    // A stub and an old driver have no texts.
    throw Fault{result, what + ": " + (name ? name : "CUDA error") + " (" + std::to_string(result) +
                            ")" + (words ? std::string(": ") + words : "")};
  }
  /// 12040: it supports CUDA 12.4.
  int version() const {
    int value = 0;
    check(DriverGetVersion(&value), "the version of the NVIDIA driver");
    return value;
  }
  int attribute(int which, int device) const {
    int value = 0;
    check(DeviceGetAttribute(&value, which, device), "an attribute of the card");
    return value;
  }

 private:
  Driver() {
    const char* const chosen = std::getenv("ROOFTUNE_LIBCUDA");
    const char* const name = chosen && *chosen ? chosen : "libcuda.so.1";
    handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw Fault{Fault::unavailable, std::string("no NVIDIA driver: ") + dlerror()};
    bind(Init, "cuInit");
    bind(DriverGetVersion, "cuDriverGetVersion");
    bind(GetErrorName, "cuGetErrorName");
    bind(GetErrorString, "cuGetErrorString");
    bind(DeviceGet, "cuDeviceGet");
    bind(DeviceGetAttribute, "cuDeviceGetAttribute");
    bind(DeviceTotalMem, "cuDeviceTotalMem_v2");
    bind(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    bind(CtxGetCurrent, "cuCtxGetCurrent");
    bind(CtxSetCurrent, "cuCtxSetCurrent");
    bind(CtxGetDevice, "cuCtxGetDevice");
    bind(ModuleLoadData, "cuModuleLoadData");
    bind(ModuleGetFunction, "cuModuleGetFunction");
    bind(FuncSetAttribute, "cuFuncSetAttribute");
    bind(OccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    bind(PointerGetAttribute, "cuPointerGetAttribute");
    bind(MemGetAddressRange, "cuMemGetAddressRange_v2");
    bind(MemAlloc, "cuMemAlloc_v2");
    bind(MemFree, "cuMemFree_v2");
    bind(MemcpyAsync, "cuMemcpyAsync");
    bind(MemsetD8Async, "cuMemsetD8Async");
    bind(StreamSynchronize, "cuStreamSynchronize");
    bind(LaunchKernel, "cuLaunchKernel");
    // Of CUDA 12; without it a context is known by its address alone.
    CtxGetId = reinterpret_cast<decltype(CtxGetId)>(dlsym(handle_, "cuCtxGetId"));
    check(Init(0), "the NVIDIA driver does not start");
  }
  template <class Function>
  void bind(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (!function)
      throw Fault{Fault::unavailable,
                  std::string("this NVIDIA driver has no ") + name + "; CUDA 11.2 is needed"};
  }

  void* handle_ = nullptr;

 public:
  int (*Init)(unsigned);
  int (*DriverGetVersion)(int*);
  int (*GetErrorName)(int, const char**);
  int (*GetErrorString)(int, const char**);
  int (*DeviceGet)(int*, int);
  int (*DeviceGetAttribute)(int*, int, int);
  int (*DeviceTotalMem)(std::size_t*, int);
  int (*DevicePrimaryCtxRetain)(void**, int);
  int (*CtxGetCurrent)(void**);
  int (*CtxSetCurrent)(void*);
  int (*CtxGetDevice)(int*);
  int (*CtxGetId)(void*, unsigned long long*);
  int (*ModuleLoadData)(void**, const void*);
  int (*ModuleGetFunction)(void**, void*, const char*);
  int (*FuncSetAttribute)(void*, int, int);
  int (*OccupancyMaxActiveBlocksPerMultiprocessor)(int*, void*, int, std::size_t);
  int (*PointerGetAttribute)(void*, int, Address);
  int (*MemGetAddressRange)(Address*, std::size_t*, Address);
  int (*MemAlloc)(Address*, std::size_t);
  int (*MemFree)(Address);
  int (*MemcpyAsync)(Address, Address, std::size_t, void*);
  int (*MemsetD8Async)(Address, unsigned char, std::size_t, void*);
  int (*StreamSynchronize)(void*);
  int (*LaunchKernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      void*, void**, void**);
};

inline Driver::Address address(const void* pointer) {
  return reinterpret_cast<Driver::Address>(pointer);
}

/// Whether the array lies in memory of a card (managed memory counts).
inline bool is_on_card(const void* array) {
  constexpr int memory_type = 2, device = 2;
  unsigned type = 0;
  return array && Driver::get().PointerGetAttribute(&type, memory_type, address(array)) == 0 &&
         type == device;
}

/// That of the calling thread's context; where it has none, card 0 with its primary context, as
/// the runtime API takes it.
struct Card {
  void* context = nullptr;
  unsigned long long id = 0;  ///< of the context: addresses are used again
  int device = 0;
  int capability = 0;  ///< 10 major + minor
  int multiprocessors = 0;
};

inline Card current_card() {
  const Driver& cuda = Driver::get();
  Card card;
  cuda.check(cuda.CtxGetCurrent(&card.context), "no context can be asked for");
  if (!card.context) {
    cuda.check(cuda.DeviceGet(&card.device, 0), "there is no card");
    cuda.check(cuda.DevicePrimaryCtxRetain(&card.context, card.device), "no context can be made");
    cuda.check(cuda.CtxSetCurrent(card.context), "the context cannot be used");
  }
  cuda.check(cuda.CtxGetDevice(&card.device), "the card of the context");
  if (cuda.CtxGetId) cuda.CtxGetId(card.context, &card.id);
  card.capability = 10 * cuda.attribute(75, card.device) + cuda.attribute(76, card.device);
  card.multiprocessors = cuda.attribute(16, card.device);
  return card;
}

}  // namespace rooftune_cuda_library
