// What compiles the kernels of a GPU runtime, with or without a GPU: from their text to an image
// that the runtime's driver loads. The visible table is in gpu_compiler.cpp; what a row names
// stands in build/<its runtime>/.
#pragma once
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "build/kernel_resources.h"

namespace rooftune::build {

struct GpuCompilerRow;

/// One that was chosen for a card and for what its driver loads.
struct GpuCompiler {
  const GpuCompilerRow* row = nullptr;
  std::filesystem::path library;
  std::string version;               ///< "13.0"
  std::string architecture;          ///< "sm_80"
  std::vector<std::string> options;  ///< for the architecture and the newest C++ that it knows
};

struct CompiledKernels {
  bool ok = false;
  std::string image;  ///< what the driver loads
  std::string log;
};

struct GpuCompilerRow {
  const char* runtime;  ///< also the name of its back end: "cuda"
  const char* name;     ///< "NVRTC"
  const char* key;      ///< in records and documents: "nvrtc"
  /// The newest here that compiles for `compute_capability` (80) what `driver` loads; 0: nothing
  /// has to be loaded. Throws Error (ExitCode::unavailable).
  GpuCompiler (*choose)(int compute_capability, int driver);
  /// `headers`: by the names under which the source includes them. Throws Error when `library`
  /// cannot be loaded.
  CompiledKernels (*compile)(const std::filesystem::path& library, const std::string& source,
                             const std::string& name,
                             const std::map<std::string, std::string>& headers,
                             const std::vector<std::string>& options);
  /// What the log of a compilation says of each kernel; empty when it says nothing.
  std::vector<KernelResources> (*resources)(const std::string& log);
};
std::span<const GpuCompilerRow> gpu_compilers();
/// Throws Error for a runtime that is not in the table.
const GpuCompilerRow& gpu_compiler_row(const std::string& runtime);

/// Every header that the source may include, under the name that its #include lines use.
std::map<std::string, std::string> headers_of_kernels(const std::filesystem::path& source);

/// `tune gpu-compile RUNTIME LIBRARY IMAGE LOG SOURCE [option ...]`: compiles SOURCE and its
/// headers in this process, which may be killed when it takes too long. Diagnostics go to standard
/// error; the exit code is 0 or 1.
int gpu_compile_main(const std::vector<std::string>& arguments);

}  // namespace rooftune::build
