#include "build/cuda/compiler.h"

#include <cstdlib>
#include <regex>
#include <sstream>

#include "build/cuda/nvrtc.h"

namespace rooftune::build {
namespace {

std::vector<std::string> with_toolkit(std::vector<std::string> options) {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* folder = std::getenv(variable); folder && *folder)
      options.push_back(std::string("--include-path=") + folder + "/include");
  std::error_code ignored;
  if (std::filesystem::is_directory("/usr/local/cuda/include", ignored))
    options.emplace_back("--include-path=/usr/local/cuda/include");
  return options;
}

/// The number before `words`, or 0.
std::int64_t number_before(const std::string& line, const std::string& words) {
  const std::regex pattern("(\\d+) " + words);
  std::smatch match;
  return std::regex_search(line, match, pattern) ? std::stoll(match[1]) : 0;
}

}  // namespace

GpuCompiler choose_nvrtc(int compute_capability, int driver) {
  const CudaCompiler chosen = cuda_compiler(compute_capability, driver);
  return {&gpu_compiler_row("cuda"),
          chosen.library,
          chosen.version.text(),
          chosen.architecture,
          {"--gpu-architecture=" + chosen.architecture, chosen.standard(), "--ptxas-options=-v",
           // constexpr functions and other unmarked ones are device code here.
           "--device-as-default-execution-space"}};
}

CompiledKernels compile_with_nvrtc(const std::filesystem::path& library, const std::string& source,
                                   const std::string& name,
                                   const std::map<std::string, std::string>& headers,
                                   const std::vector<std::string>& options) {
  return Nvrtc(library).compile(source, name, headers, with_toolkit(options));
}

std::vector<KernelResources> resources_of_ptxas(const std::string& log) {
  std::vector<KernelResources> result;
  std::istringstream lines(log);
  const std::string properties = "Function properties for ";
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find(properties); at != std::string::npos) {
      KernelResources kernel;
      kernel.kernel = line.substr(at + properties.size());
      kernel.kernel.erase(kernel.kernel.find_last_not_of(" \t\r") + 1);
      result.push_back(kernel);
    } else if (!result.empty() && line.find("bytes stack frame") != std::string::npos) {
      result.back().stack_bytes = number_before(line, "bytes stack frame");
      result.back().spill_stores = number_before(line, "bytes spill stores");
      result.back().spill_loads = number_before(line, "bytes spill loads");
    } else if (const std::size_t used = line.find("Used "); used != std::string::npos) {
      if (result.empty()) result.emplace_back();
      result.back().registers = static_cast<int>(number_before(line, "registers"));
      result.back().barriers = static_cast<int>(number_before(line, "barriers"));
      result.back().shared_bytes = number_before(line, "bytes smem");
    }
  }
  // Functions not inlined have properties too, but use no registers of their own.
  std::erase_if(result, [](const KernelResources& kernel) { return kernel.registers == 0; });
  return result;
}

}  // namespace rooftune::build
