#include "build/gpu_compiler.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "build/cuda/nvrtc.h"
#include "build/includes.h"
#include "core/error.h"
#include "core/file.h"
#include "os/paths.h"

namespace rooftune::build {
namespace {

constexpr std::array<GpuCompilerRow, 1> table{
    {{"cuda", "NVRTC", "nvrtc", choose_nvrtc, compile_with_nvrtc, resources_of_ptxas}}};

}  // namespace

const GpuCompilerRow& gpu_compiler_row(const std::string& runtime) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& row) { return runtime == row.runtime; });
  if (found == table.end())
    throw Error("there is no compiler of a GPU runtime \"" + runtime + "\"");
  return *found;
}

std::map<std::string, std::string> headers_of_kernels(const std::filesystem::path& source) {
  const std::filesystem::path shared = variant_include_directory(), own = source.parent_path();
  std::map<std::string, std::string> headers;
  for (const auto& file : included_files(source, shared)) {
    const std::string beside = file.lexically_relative(own).generic_string();
    const bool is_own = !beside.empty() && !beside.starts_with("..");
    headers[is_own ? beside : file.lexically_relative(shared).generic_string()] = read_text(file);
  }
  return headers;
}

// The compiler's own process: a crash or a hang costs a variant, not the study.
int gpu_compile_main(const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) {
    std::fputs("gpu-compile: expected RUNTIME LIBRARY IMAGE LOG SOURCE [option ...]\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path source = arguments[4];
    const CompiledKernels compiled =
        gpu_compiler_row(arguments[0])
            .compile(arguments[1], read_text(source), source.string(), headers_of_kernels(source),
                     {arguments.begin() + 5, arguments.end()});
    write_atomically(arguments[3], compiled.log);
    if (!compiled.ok) {
      std::fprintf(stderr, "%s\n", compiled.log.c_str());
      return 1;
    }
    write_atomically(arguments[2], compiled.image);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace rooftune::build
