// NVIDIA's run-time compiler, opened at run time: CUDA source to cubin, with or without a GPU; and
// CUDA's row in the GPU compiler table. Headers are given by their names in the source's #include
// lines.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/gpu_compiler.h"
#include "core/list.h"
#include "os/dynamic_library.h"

namespace rooftune::build {

/// Calls NVRTC through our own prototypes; the build needs no toolkit.
class Nvrtc {
 public:
  /// Throws Error (ExitCode::unavailable) when the library cannot be loaded or lacks a function.
  explicit Nvrtc(const fs::path& library);

  /// 13000 for CUDA 13.0, as drivers write versions.
  int version() const { return version_; }
  /// Compute capabilities it compiles for, 10 major + minor: 75, 80, 90 ...
  Integers architectures() const;

  /// `options` as on nvcc's command line ("--gpu-architecture=sm_80"); `headers`: name to text. The
  /// image is a cubin, or PTX where a virtual architecture was asked for.
  CompiledKernels compile(const std::string& source, const std::string& name,
                          const NamedTexts& headers, const Texts& options) const;

 private:
  template <class Function>
  Function function(const char* name) const;
  /// Throws Error with the name where it fails.
  template <class... Arguments>
  void call(const char* name, Arguments... arguments) const;

  DynamicLibrary library_;
  int version_ = 0;
};

/// The newest NVRTC for `compute_capability` (80) whose output `driver` loads: 12040 is a CUDA 12.4
/// driver, 0 means no driver. Searched: $ROOFTUNE_NVRTC alone when it is set; else, for CUDA 13, 12
/// and 11 in this order, the dynamic linker's choice, then lib64 and lib in $CUDA_HOME, $CUDA_PATH
/// and /usr/local/cuda*. A driver loads machine code from its own major version and earlier ones,
/// PTX from its own version and earlier ones (CUDA compatibility guide, "Minor Version
/// Compatibility"). The architecture is "sm_80". For a card between those that NVRTC knows it is
/// the highest below with the card's major number, whose code the card runs; else "compute_120",
/// the highest below. Throws Error (ExitCode::unavailable): none is installed, none knows the
/// architecture, or the driver is too old for the others.
GpuCompiler choose_nvrtc(int compute_capability, int driver = 0);
/// Compiles with an installed toolkit's headers (cuda_fp16.h), for sources that include them; ours
/// need none.
CompiledKernels compile_with_nvrtc(const fs::path& library, const std::string& source,
                                   const std::string& name, const NamedTexts& headers,
                                   const Texts& options);
/// The kernels in a compilation log with --ptxas-options=-v, in its order; empty when it names none
/// (PTX, or not verbose).
ResourceList resources_of_ptxas(const std::string& log);

/// "12.4" for 12040, a driver's version number.
std::string cuda_version_text(int version);

}  // namespace rooftune::build
