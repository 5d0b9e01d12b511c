// One CUDA compilation in a process of its own: a compiler that crashes or never ends costs a
// variant, not the study.
#include <cstdio>
#include <cstdlib>

#include "build/cuda/nvrtc.h"
#include "build/includes.h"
#include "core/error.h"
#include "core/file.h"
#include "os/paths.h"

namespace rooftune::inline build {
namespace {

/// Every header that the source may include, under the name that its #include lines use.
std::map<std::string, std::string> headers_of(const std::filesystem::path& source) {
  const std::filesystem::path shared = variant_include_directory(), own = source.parent_path();
  std::map<std::string, std::string> headers;
  for (const auto& file : included_files(source, shared)) {
    const std::string beside = file.lexically_relative(own).generic_string();
    const bool is_own = !beside.empty() && !beside.starts_with("..");
    headers[is_own ? beside : file.lexically_relative(shared).generic_string()] = read_text(file);
  }
  return headers;
}

/// Headers of a toolkit (cuda_fp16.h), for sources that want them; ours need none.
void add_toolkit(std::vector<std::string>& options) {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(variable); folder && *folder)
      options.push_back(std::string("--include-path=") + folder + "/include");
  std::error_code ignored;
  if (std::filesystem::is_directory("/usr/local/cuda/include", ignored))
    options.emplace_back("--include-path=/usr/local/cuda/include");
}

}  // namespace

int cuda_compile_main(const std::vector<std::string>& arguments) {
  if (arguments.size() < 4) {
    std::fputs("cuda-compile: expected LIBRARY IMAGE LOG SOURCE [option ...]\n", stderr);
    return 2;
  }
  try {
    const Nvrtc nvrtc(arguments[0]);
    const std::filesystem::path source = arguments[3];
    std::vector<std::string> options(arguments.begin() + 4, arguments.end());
    add_toolkit(options);
    const Nvrtc::Compiled compiled =
        nvrtc.compile(read_text(source), source.string(), headers_of(source), options);
    write_atomically(arguments[2], compiled.log);
    if (!compiled.ok) {
      std::fprintf(stderr, "%s\n", compiled.log.c_str());
      return 1;
    }
    write_atomically(arguments[1], compiled.image);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace rooftune::inline build
