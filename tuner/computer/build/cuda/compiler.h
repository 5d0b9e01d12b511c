// CUDA's row of the table of GPU compilers.
#pragma once
#include "build/gpu_compiler.h"

namespace rooftune::build {

GpuCompiler choose_nvrtc(int compute_capability, int driver);
/// With the headers of an installed toolkit (cuda_fp16.h), for sources that include them; ours need
/// none.
CompiledKernels compile_with_nvrtc(const std::filesystem::path& library, const std::string& source,
                                   const std::string& name,
                                   const std::map<std::string, std::string>& headers,
                                   const std::vector<std::string>& options);
/// Kernels in the order of a log with --ptxas-options=-v; empty when it holds none (PTX, or not
/// verbose).
std::vector<KernelResources> resources_of_ptxas(const std::string& log);

}  // namespace rooftune::build
