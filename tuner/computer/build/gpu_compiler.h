// Compilers for a GPU runtime's kernels, with or without a GPU: from their text to an image for the
// runtime's driver. The visible table is in gpu_compiler.cpp; a row's functions stand in build/<its
// runtime>/.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "roofline/machine.h"

namespace rooftune::build {

/// One kernel in an image, as its compiler reports it.
struct KernelResources {
  std::string kernel;
  int registers = 0;                          ///< per thread
  int64_t shared_bytes = 0;                   ///< static, per block
  int64_t stack_bytes = 0;                    ///< per thread
  int64_t spill_stores = 0, spill_loads = 0;  ///< bytes per thread, static count
};
using ResourceList = std::vector<KernelResources>;

/// Why a kernel is not worth a launch in any shape: "k spills 2880 bytes per thread (32
/// registers)"; empty without a reason.
std::string excessive_spill_reason(const ResourceList& kernels);

struct Occupancy {
  int blocks = 0;          ///< resident per multiprocessor; 0: it cannot be launched
  double share = 0;        ///< resident warps over the most that a multiprocessor holds, in [0, 1]
  std::string limited_by;  ///< "registers", "shared memory", "threads", "blocks"
};

/// `threads` per block; `shared_bytes`: static and dynamic.
Occupancy occupancy(const GpuFacts& gpu, int threads, int registers, int64_t shared_bytes);

struct GpuCompilerRow;

/// A compiler chosen for a card and its driver.
struct GpuCompiler {
  const GpuCompilerRow* row = nullptr;
  fs::path library;
  std::string version;       ///< "13.0"
  std::string architecture;  ///< "sm_80"
  Texts options;             ///< for the architecture and the newest C++ known
};

struct CompiledKernels {
  bool ok = false;
  std::string image;  ///< the form loaded by the driver
  std::string code;   ///< the text it was assembled from: PTX
  std::string log;
};

struct GpuCompilerRow {
  const char* runtime;  ///< also its back end's name: "cuda"
  const char* name;     ///< "NVRTC"
  const char* key;      ///< in records and documents: "nvrtc"
  /// The newest compiler here for `compute_capability` (80) whose output `driver` loads; 0: no
  /// driver. Throws Error (ExitCode::unavailable).
  GpuCompiler (*choose)(int compute_capability, int driver);
  /// `headers`: by their names in the source's #include lines. Throws Error when `library` cannot
  /// be loaded.
  CompiledKernels (*compile)(const fs::path& library, const std::string& source,
                             const std::string& name, const NamedTexts& headers,
                             const Texts& options);
  /// Reads each kernel's figures from a compilation log; empty without any.
  ResourceList (*resources)(const std::string& log);
};
/// Throws Error for a runtime outside the table.
const GpuCompilerRow& gpu_compiler_row(const std::string& runtime);

/// The file with CompiledKernels::code beside an image; earlier versions wrote none.
fs::path code_beside(fs::path image);

/// What the compiler says about one line that every GPU compiler takes; empty: it compiles that
/// line.
std::string why_nothing_compiles(const GpuCompiler& compiler);

/// Every header allowed in the source, under its name in #include lines.
NamedTexts headers_of_kernels(const fs::path& source);

/// `tune gpu-compile RUNTIME LIBRARY IMAGE LOG SOURCE [option ...]`: compiles SOURCE and its
/// headers in this process; the parent may kill it after a limit. Diagnostics go to standard error;
/// the exit code is 0 or 1.
int gpu_compile_main(const Texts& arguments);

}  // namespace rooftune::build
