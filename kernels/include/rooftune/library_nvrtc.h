// NVIDIA's run-time compiler for an exported library: from the source that it carries to the code
// of the card that is there.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "rooftune/library_driver.h"

namespace rooftune_cuda_library {

/// NVRTC opens its builtins by their bare name: off the linker's path they must be there before.
inline void load_builtins(const std::string& library) {
  const std::string folder = library.substr(0, library.rfind('/'));
  DIR* const entries = opendir(folder.c_str());
  while (const dirent* const entry = entries ? readdir(entries) : nullptr)
    if (const std::string name = entry->d_name; name.rfind("libnvrtc-builtins.so", 0) == 0)
      dlopen((folder + "/" + name).c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (entries) closedir(entries);
}

/// One NVRTC, opened for as long as the process lives.
class Compiler {
 public:
  explicit Compiler(const std::string& library) {
    if (library.find('/') != std::string::npos) {
      load_builtins(library);
      // Beside a link, or where it leads.
      if (char* const resolved = realpath(library.c_str(), nullptr)) {
        load_builtins(resolved);
        std::free(resolved);
      }
    }
    handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  }

  /// 12040 for CUDA 12.4, as drivers count; 0: it cannot be used.
  int version() const {
    const auto ask = function<int (*)(int*, int*)>("nvrtcVersion");
    int major = 0, minor = 0;
    return ask && ask(&major, &minor) == 0 ? 1000 * major + 10 * minor : 0;
  }
  /// Compute capabilities that it compiles for (80, 90 ...); none: it cannot be used.
  std::vector<int> architectures() const {
    const auto count = function<int (*)(int*)>("nvrtcGetNumSupportedArchs");
    const auto list = function<int (*)(int*)>("nvrtcGetSupportedArchs");
    int number = 0;
    if (!count || !list || count(&number) != 0 || number < 1) return {};
    std::vector<int> all(static_cast<std::size_t>(number));
    return list(all.data()) == 0 ? all : std::vector<int>();
  }

  /// Code for `architecture` ("sm_80", or "compute_80": PTX). Throws Fault with what it said.
  std::string compiled(const char* source, std::vector<std::string> options,
                       const std::string& architecture) const {
    options.push_back("--gpu-architecture=" + architecture);
    options.push_back(version() < 12000 ? "--std=c++17" : "--std=c++20");
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    void* program = nullptr;
    const auto create = function<int (*)(void**, const char*, const char*, int, const char* const*,
                                         const char* const*)>("nvrtcCreateProgram");
    const auto compile = function<int (*)(void*, int, const char* const*)>("nvrtcCompileProgram");
    if (create(&program, source, "tuned.cu", 0, nullptr, nullptr) != 0)
      throw Fault{Fault::not_compiled, "NVRTC takes no program"};
    const bool ok = compile(program, static_cast<int>(words.size()), words.data()) == 0;
    const std::string log = text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
    std::string image = ok ? text(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN") : "";
    if (ok && image.empty()) image = text(program, "nvrtcGetPTXSize", "nvrtcGetPTX");
    function<int (*)(void**)>("nvrtcDestroyProgram")(&program);
    if (image.empty())
      throw Fault{Fault::not_compiled, "the kernels do not compile for " + architecture + ": " +
                                           log.substr(0, std::min<std::size_t>(log.size(), 2000))};
    return image;
  }

 private:
  template <class Function>
  Function function(const char* name) const {
    return handle_ ? reinterpret_cast<Function>(dlsym(handle_, name)) : nullptr;
  }
  std::string text(void* program, const char* size_name, const char* text_name) const {
    std::size_t size = 0;
    const auto measure = function<int (*)(void*, std::size_t*)>(size_name);
    const auto fetch = function<int (*)(void*, char*)>(text_name);
    if (!measure || !fetch || measure(program, &size) != 0 || size == 0) return {};
    std::string bytes(size, '\0');
    return fetch(program, bytes.data()) == 0 ? bytes : std::string();
  }

  void* handle_ = nullptr;
};

/// Folders of toolkits, the named ones first.
inline std::vector<std::string> toolkits() {
  std::vector<std::string> all;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const folder = std::getenv(variable); folder && *folder) all.push_back(folder);
  all.push_back("/usr/local/cuda");
  return all;
}

/// Where NVRTC may be, the newest first: $ROOFTUNE_NVRTC alone when it is set.
inline std::vector<std::string> compilers() {
  if (const char* const chosen = std::getenv("ROOFTUNE_NVRTC"); chosen && *chosen) return {chosen};
  std::vector<std::string> all;
  for (const std::string name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}) {
    all.push_back(name);
    for (const std::string& folder : toolkits())
      for (const char* const libraries : {"/lib64/", "/lib/"})
        all.push_back(folder + libraries + name);
  }
  return all;
}

/// Code of `source` for cards of this compute capability (80). The driver loads machine code of its
/// own major version and of earlier ones, PTX of its own version and of earlier ones. Throws Fault:
/// there is no NVRTC that knows the card and suits the driver, or the source does not compile.
inline std::string compiled_for(int capability, const char* source,
                                std::vector<std::string> options) {
  for (const std::string& folder : toolkits())
    if (access((folder + "/include").c_str(), R_OK) == 0)
      options.push_back("--include-path=" + folder + "/include");
  const int driver = Driver::get().version();
  bool any = false;
  for (const std::string& library : compilers()) {
    const Compiler compiler(library);
    const std::vector<int> known = compiler.architectures();
    if (known.empty()) continue;
    any = true;
    if (compiler.version() / 1000 > driver / 1000) continue;
    const int newest = *std::max_element(known.begin(), known.end());
    if (std::find(known.begin(), known.end(), capability) != known.end())
      return compiler.compiled(source, options, "sm_" + std::to_string(capability));
    if (capability > newest && compiler.version() <= driver)
      return compiler.compiled(source, options, "compute_" + std::to_string(newest));
  }
  if (any)
    throw Fault{Fault::not_compiled,
                "no NVRTC here compiles for compute capability " + std::to_string(capability / 10) +
                    "." + std::to_string(capability % 10) + " and a driver of CUDA " +
                    std::to_string(driver / 1000) + "; ROOFTUNE_NVRTC names another libnvrtc.so"};
  throw Fault{Fault::unavailable,
              "there is no NVRTC, which compiles the kernels: install it (the CUDA toolkit, or its "
              "nvrtc package alone), or name it: ROOFTUNE_NVRTC=<path of libnvrtc.so>"};
}

}  // namespace rooftune_cuda_library
