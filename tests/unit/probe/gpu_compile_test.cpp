// The text that the program carries compiles for the cards that it is meant for. Skipped, visibly,
// where no NVRTC knows the architecture.
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/file.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "run/cuda/driven_cuda.h"
#include "support/emulated_gpu_probe.h"
#include "support/nvrtc.h"
#include "support/scratch_folder.h"

using namespace rooftune;

TEST_CASE("the probe's kernels compile for every architecture, without spilling") {
  const testing::ScratchFolder folder;
  const std::string text = gpu_kernels("cuda");
  const auto headers = headers_of_kernels(folder.write("gpu_kernels.cu", text));
  for (const int capability : {70, 80, 90}) {
    INFO("sm_" << capability);
    const auto compiler = test::nvrtc_for(capability);
    if (!compiler) continue;
    const auto compiled = compiler->row->compile(compiler->library, text, "gpu_kernels.cu", headers,
                                                 compiler->options);
    INFO(compiled.log);
    REQUIRE(compiled.ok);
    std::vector<std::string> names;
    for (const KernelResources& kernel : compiler->row->resources(compiled.log)) {
      INFO(kernel.kernel);
      names.push_back(kernel.kernel);
      CHECK(kernel.spill_stores + kernel.spill_loads == 0);
      // 512 threads of a block must find registers.
      CHECK(kernel.registers <= 168);
    }
    std::sort(names.begin(), names.end());
    CHECK(names == test::planned_gpu_kernels(capability));
  }
}

TEST_CASE("a runtime without micro-kernels is named") {
  CHECK_THROWS_WITH(gpu_kernels("abacus"), Catch::Contains("no micro-kernels for cards of abacus"));
}

TEST_CASE("the kernel that flushes L2 assembles, and its loads are not left out") {
  auto assembler = find_program("ptxas");
  if (!assembler && std::filesystem::exists("/usr/local/cuda/bin/ptxas"))
    assembler = "/usr/local/cuda/bin/ptxas";
  if (!assembler) {
    WARN("skipped: there is no ptxas");
    return;
  }
  const testing::ScratchFolder folder;
  folder.write("flush.ptx", flush_kernel_ptx);
  const auto cubin = folder.path() / "flush.cubin";
  for (const char* architecture : {"sm_80", "sm_90"}) {
    INFO(architecture);
    Command command;
    command.argv = {assembler->string(), std::string("-arch=") + architecture,
                    (folder.path() / "flush.ptx").string(), "-o", cubin.string()};
    const auto ended = execute(command);
    INFO(ended.output);
    REQUIRE(std::filesystem::exists(cubin));
    // LDG is 0x181 in the low nine bits of an instruction of 16 bytes.
    const std::string code = read_text(cubin);
    int loads = 0;
    for (std::size_t at = 0; at + 16 <= code.size(); at += 16) {
      const unsigned low = static_cast<unsigned char>(code[at]);
      const unsigned high = static_cast<unsigned char>(code[at + 1]) & 1u;
      loads += (low | high << 8) == 0x181;
    }
    CHECK(loads > 0);
    std::filesystem::remove(cubin);
  }
}
