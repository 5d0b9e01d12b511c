// NVIDIA's run-time compiler, opened at run time: CUDA source to cubin, with or without a GPU; and
// CUDA's row of the table of GPU compilers. Headers are given by their names in the source's
// #include lines.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/gpu_compiler.h"
#include "os/dynamic_library.h"

namespace rooftune::build {

/// Calls NVRTC through prototypes of our own; the build needs no toolkit.
class Nvrtc {
 public:
  /// Throws Error (ExitCode::unavailable) when the library cannot be loaded or lacks a function.
  explicit Nvrtc(const fs::path& library);

  /// 13000 for CUDA 13.0, the form of drivers' versions.
  int version() const { return version_; }
  /// Compute capabilities it compiles for, 10 major + minor: 75, 80, 90 ...
  std::vector<int> architectures() const;

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

/// The newest NVRTC for `compute_capability` (80) with output loadable by `driver`: 12040 is a
/// driver of CUDA 12.4, 0 means no driver. Searched: $ROOFTUNE_NVRTC alone when it is set; else of
/// CUDA 13, 12 and 11 in this order the dynamic linker's choice, then lib64 and lib of
/// $CUDA_HOME, $CUDA_PATH and /usr/local/cuda*. A driver loads machine code of its own major
/// version and of earlier ones, PTX of its own version and of earlier ones (CUDA compatibility
/// guide, "Minor Version Compatibility"): the architecture is "sm_80"; for a card between those of
/// NVRTC the highest below it of its major number, whose code it runs; else "compute_120", the
/// highest below it. Throws Error (ExitCode::unavailable): none is installed, none knows
/// the architecture, or the driver is too old for the others.
GpuCompiler choose_nvrtc(int compute_capability, int driver = 0);
/// Compiles with the headers of an installed toolkit (cuda_fp16.h), for sources that include them;
/// ours need none.
CompiledKernels compile_with_nvrtc(const fs::path& library, const std::string& source,
                                   const std::string& name, const NamedTexts& headers,
                                   const Texts& options);
/// Kernels in the order of a log with --ptxas-options=-v; empty when it holds none (PTX, or not
/// verbose).
std::vector<KernelResources> resources_of_ptxas(const std::string& log);

/// "12.4" for 12040, the form of drivers' versions.
std::string cuda_version_text(int version);

}  // namespace rooftune::build
