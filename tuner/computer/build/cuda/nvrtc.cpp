// NVRTC by dlopen. Its functions keep their names and parameters from CUDA 11 to 13.
#include "build/cuda/nvrtc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/split.h"
#include "core/text.h"
#include "os/paths.h"

namespace rooftune::build {
namespace {

/// NVRTC never frees what it allocates at loading and at its first compilation, and the leak check
/// may crash in its threads at the end: the check is off once NVRTC is loaded.
bool holds_nvrtc = false;

using Program = struct OpaqueProgram*;  ///< nvrtcProgram
using Result = int;                     ///< nvrtcResult; 0 is success

constexpr const char* install_hint =
    "install NVRTC (the CUDA toolkit, or its nvrtc package alone), or name the library: "
    "ROOFTUNE_NVRTC=<path of libnvrtc.so>";

/// Compute capabilities of cards on a chip with cores (Jetson, Thor): code for these runs on no
/// other card.
constexpr int integrated[] = {53, 62, 72, 87, 88, 101, 110};

DynamicLibrary opened(const fs::path& library) {
  holds_nvrtc = true;
  load_beside(library, "libnvrtc-builtins.so");
  try {
    return DynamicLibrary(library);
  } catch (const Error& error) {
    throw Unavailable("NVRTC cannot be loaded: " + error.message(), library, install_hint);
  }
}

/// CUDA toolkit folders that the user's environment names.
Paths toolkits() {
  Paths folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const fs::path folder = environment_text(variable); !folder.empty())
      folders.push_back(folder);
  return folders;
}

Paths nvrtc_candidates() {
  if (const fs::path chosen = environment_text("ROOFTUNE_NVRTC"); !chosen.empty()) return {chosen};
  Paths folders = toolkits();
  folders.emplace_back("/usr/local/cuda");
  for (const fs::path& entry : entries_of("/usr/local"))
    if (file_name(entry).starts_with("cuda-")) folders.push_back(entry);
  Paths result;
  std::error_code ignored;
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}) {
    // A name without a folder is for the dynamic linker.
    result.emplace_back(name);
    for (const auto& folder : folders)
      // NVIDIA's own and Spack's; conda's and pip's wheels.
      for (const char* libraries : {"lib64", "lib"})
        if (const auto file = folder / libraries / name; fs::exists(file, ignored))
          result.push_back(file);
  }
  return result;
}

GpuCompiler chosen(const fs::path& library, int version, const std::string& architecture) {
  return {&gpu_compiler_row("cuda"),
          library,
          cuda_version_text(version),
          architecture,
          {"--gpu-architecture=" + architecture, version < 12000 ? "--std=c++17" : "--std=c++20",
           "--ptxas-options=-v",
           // constexpr functions and other unmarked ones are device code here.
           "--device-as-default-execution-space"}};
}

/// The number before `words`, or 0.
int64_t number_before(const std::string& line, const std::string& words) {
  const auto match = Pattern("(\\d+) " + words).search(line);
  return match ? std::stoll((*match)[1]) : 0;
}

}  // namespace

template <class Function>
Function Nvrtc::function(const char* name) const {
  void* const address = library_.find(name);
  if (!address)
    throw Unavailable(fmt::format("this NVRTC has no function {}", name), {},
                      "CUDA 11.2 or later is needed");
  return reinterpret_cast<Function>(address);
}

template <class... Arguments>
void Nvrtc::call(const char* name, Arguments... arguments) const {
  const Result result = function<Result (*)(Arguments...)>(name)(arguments...);
  if (result != 0) throw Error(fmt::format("{} failed with NVRTC's error {}", name, result));
}

Nvrtc::Nvrtc(const fs::path& library) : library_(opened(library)) {
  int major = 0, minor = 0;
  call("nvrtcVersion", &major, &minor);
  version_ = 1000 * major + 10 * minor;
}

Integers Nvrtc::architectures() const {
  int count = 0;
  call("nvrtcGetNumSupportedArchs", &count);
  Integers result(size_t(std::max(count, 0)));
  call("nvrtcGetSupportedArchs", result.data());
  return result;
}

CompiledKernels Nvrtc::compile(const std::string& source, const std::string& name,
                               const NamedTexts& headers, const Texts& options) const {
  std::vector<const char*> texts, names, words;
  for (const auto& [header, text] : headers) {
    names.push_back(header.c_str());
    texts.push_back(text.c_str());
  }
  for (const std::string& option : options) words.push_back(option.c_str());
  Program program = nullptr;
  call<Program*, const char*, const char*, int, const char* const*, const char* const*>(
      "nvrtcCreateProgram", &program, source.c_str(), name.c_str(), int(names.size()), texts.data(),
      names.data());
  const Result result = function<Result (*)(Program, int, const char* const*)>(
      "nvrtcCompileProgram")(program, int(words.size()), words.data());
  const auto text = [&](const char* size_name, const char* text_name) {
    size_t size = 0;
    if (function<Result (*)(Program, size_t*)>(size_name)(program, &size) != 0)
      return std::string();
    std::string bytes(size, '\0');
    if (function<Result (*)(Program, char*)>(text_name)(program, bytes.data()) != 0) bytes.clear();
    return bytes;
  };
  CompiledKernels compiled;
  compiled.log = text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
  compiled.log.resize(std::min(compiled.log.size(), compiled.log.find('\0')));
  // When the assembler refuses (too much static shared memory), the log has no line for it.
  if (result != 0 && !contains(compiled.log, "error"))
    compiled.log += fmt::format("error: {}; the assembler's report above tells what it needs\n",
                                function<const char* (*)(Result)>("nvrtcGetErrorString")(result));
  if (result == 0) {
    compiled.image = text("nvrtcGetCUBINSize", "nvrtcGetCUBIN");
    compiled.code = text("nvrtcGetPTXSize", "nvrtcGetPTX");
    if (compiled.image.empty()) compiled.image = compiled.code;
    compiled.code.resize(std::min(compiled.code.size(), compiled.code.find('\0')));
  }
  compiled.ok = result == 0 && !compiled.image.empty();
  function<Result (*)(Program*)>("nvrtcDestroyProgram")(&program);
  return compiled;
}

GpuCompiler choose_nvrtc(int compute_capability, int driver) {
  TextSet refused;
  std::optional<GpuCompiler> kindred, virtual_one;
  for (const auto& candidate : nvrtc_candidates()) {
    std::optional<Nvrtc> nvrtc;
    Integers architectures;
    try {
      nvrtc.emplace(candidate);
      architectures = nvrtc->architectures();
    } catch (const Error&) {
      continue;
    }
    if (architectures.empty()) continue;
    const int version = nvrtc->version();
    const auto [lowest, highest] = std::minmax_element(architectures.begin(), architectures.end());
    // One library is found under several names: one message for all.
    if (driver > 0 && version / 1000 > driver / 1000) {
      refused.insert(fmt::format("the driver supports CUDA {} and loads nothing of CUDA {}",
                                 cuda_version_text(driver), cuda_version_text(version)));
      continue;
    }
    if (contains(architectures, compute_capability))
      return chosen(candidate, version, fmt::format("sm_{}", compute_capability));
    const auto below = [&](const auto& fits) {
      int result = 0;
      for (const int one : architectures)
        if (one < compute_capability && fits(one)) result = std::max(result, one);
      return result;
    };
    const int kin = below(
        [&](int one) { return one / 10 == compute_capability / 10 && !contains(integrated, one); });
    const int older = below([](int) { return true; });
    if (kin > 0 && !kindred) kindred = chosen(candidate, version, fmt::format("sm_{}", kin));
    const bool loads_ptx = driver == 0 || version <= driver;
    if (older > 0 && loads_ptx && !virtual_one)
      virtual_one = chosen(candidate, version, fmt::format("compute_{}", older));
    refused.insert(fmt::format("CUDA {} compiles for sm_{} to sm_{}", cuda_version_text(version),
                               *lowest, *highest));
  }
  if (kindred) return *kindred;
  if (virtual_one) return *virtual_one;
  if (refused.empty())
    throw Unavailable("there is no NVRTC, which compiles CUDA kernels", "--backend cuda",
                      install_hint);
  throw Unavailable(
      fmt::format("no NVRTC here compiles for compute capability {}.{}{}: {}",
                  compute_capability / 10, compute_capability % 10,
                  driver > 0 ? " and this driver" : "", joined(refused, "; ")),
      "--backend cuda",
      "the NVRTC of another CUDA can be named: cards before 7.5 need one of CUDA 12 or 11, "
      "a driver one of its own major version: ROOFTUNE_NVRTC=<path of libnvrtc.so.12>");
}

CompiledKernels compile_with_nvrtc(const fs::path& library, const std::string& source,
                                   const std::string& name, const NamedTexts& headers,
                                   const Texts& options) {
  Paths folders = toolkits();
  if (is_folder("/usr/local/cuda/include")) folders.emplace_back("/usr/local/cuda");
  Texts all = options;
  for (const auto& folder : folders)
    all.push_back("--include-path=" + (folder / "include").string());
  return Nvrtc(library).compile(source, name, headers, all);
}

ResourceList resources_of_ptxas(const std::string& log) {
  ResourceList result;
  const std::string properties = "Function properties for ";
  for (const std::string& line : split(log)) {
    if (const size_t at = line.find(properties); at != std::string::npos) {
      KernelResources kernel;
      kernel.kernel = trimmed(line.substr(at + properties.size()));
      result.push_back(kernel);
    } else if (!result.empty() && contains(line, "bytes stack frame")) {
      result.back().stack_bytes = number_before(line, "bytes stack frame");
      result.back().spill_stores = number_before(line, "bytes spill stores");
      result.back().spill_loads = number_before(line, "bytes spill loads");
    } else if (const size_t used = line.find("Used "); used != std::string::npos) {
      if (result.empty()) result.emplace_back();
      result.back().registers = int(number_before(line, "registers"));
      result.back().shared_bytes = number_before(line, "bytes smem");
    }
  }
  // Functions not inlined have properties too, but use no registers themselves.
  std::erase_if(result, [](const KernelResources& kernel) { return kernel.registers == 0; });
  return result;
}

std::string cuda_version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace rooftune::build

#if defined(__SANITIZE_ADDRESS__)
extern "C" int __lsan_is_turned_off() { return rooftune::build::holds_nvrtc; }
#endif
