// One CUDA compilation in a process of its own: a compiler that crashes or never ends costs a
// variant, not the study.
#include <cstdio>

#include "build/includes.h"
#include "build/nvrtc.h"
#include "core/error.h"
#include "core/file.h"
#include "os/paths.h"

namespace rooftune {
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

}  // namespace

int cuda_compile_main(const std::vector<std::string>& arguments) {
  if (arguments.size() < 4) {
    std::fputs("cuda-compile: expected LIBRARY IMAGE LOG SOURCE [option ...]\n", stderr);
    return 2;
  }
  try {
    const Nvrtc nvrtc(arguments[0]);
    const std::filesystem::path source = arguments[3];
    const Nvrtc::Compiled compiled =
        nvrtc.compile(read_text(source), source.string(), headers_of(source),
                      {arguments.begin() + 4, arguments.end()});
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

}  // namespace rooftune
