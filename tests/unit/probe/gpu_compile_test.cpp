// The text that the program carries compiles for the cards that it is meant for. Skipped, visibly,
// where no NVRTC knows the architecture.
#include <algorithm>
#include <catch2/catch.hpp>

#include "build/cuda_resources.h"
#include "core/file.h"
#include "os/paths.h"
#include "probe/gpu_plan.h"
#include "support/nvrtc.h"

using namespace rooftune;

TEST_CASE("the probe's kernels compile for every architecture, without spilling") {
  const std::filesystem::path headers =
      std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "kernels/include";
  for (const int capability : {70, 80, 90}) {
    INFO("sm_" << capability);
    const std::optional<CudaCompiler> compiler = test::nvrtc_for(capability);
    if (!compiler) continue;
    const auto compiled =
        Nvrtc(compiler->library)
            .compile(microbench::gpu_kernels(), "gpu_kernels.cu",
                     {{"rooftune/cuda.h", read_text(headers / "rooftune/cuda.h")},
                      {"rooftune/portable.h", read_text(headers / "rooftune/portable.h")}},
                     {"--gpu-architecture=" + compiler->architecture, "--std=c++20",
                      "--ptxas-options=-v"});
    INFO(compiled.log);
    REQUIRE(compiled.ok);
    std::vector<std::string> names;
    for (const CudaResources& kernel : cuda_resources(compiled.log)) {
      INFO(kernel.kernel);
      names.push_back(kernel.kernel);
      CHECK(kernel.spill_stores + kernel.spill_loads == 0);
      // 512 threads of a block must find registers.
      CHECK(kernel.registers <= 168);
    }
    auto wanted = microbench::gpu_kernel_names(capability);
    std::sort(wanted.begin(), wanted.end());
    std::sort(names.begin(), names.end());
    CHECK(names == wanted);
  }
}
