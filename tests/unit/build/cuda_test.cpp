// CUDA without a GPU: what the assembler says, how many blocks fit, what NVRTC makes of a source.
#include <catch2/catch.hpp>
#include <fstream>

#include "build/artefact.h"
#include "build/cuda/nvrtc.h"
#include "core/error.h"
#include "core/file.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "support/nvrtc.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// As NVRTC 13 prints it for two kernels, one of which spills.
constexpr const char* ptxas_log = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'sum' for 'sm_90'
ptxas info    : Function properties for sum
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 36 registers, used 1 barriers, 2048 bytes smem
ptxas info    : Compile time = 11.950 ms
ptxas info    : Compiling entry function 'cell' for 'sm_90'
ptxas info    : Function properties for cell
    816 bytes stack frame, 1796 bytes spill stores, 1284 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 816 bytes cumulative stack size, 380 bytes cmem[0]
)";

/// Multiprocessors with 2048 threads, 32 blocks and 65536 registers.
GpuFacts multiprocessor(int capability, std::int64_t shared, std::int64_t reserved, int warp = 32) {
  GpuFacts facts;
  facts.compute_capability = capability;
  facts.warp = warp;
  facts.threads_per_multiprocessor = 2048;
  facts.blocks_per_multiprocessor = 32;
  facts.registers_per_multiprocessor = 65536;
  facts.shared_per_multiprocessor = shared;
  facts.shared_reserved = reserved;
  return facts;
}
/// As machines/*.json have them.
const GpuFacts v100 = multiprocessor(70, 98304, 0), a100 = multiprocessor(80, 167936, 1024),
               h100 = multiprocessor(90, 233472, 1024);

}  // namespace

TEST_CASE("the assembler's report gives registers, spills and shared memory per kernel") {
  const auto kernels = resources_of_ptxas(ptxas_log);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].kernel == "sum");
  CHECK(kernels[0].registers == 36);
  CHECK(kernels[0].shared_bytes == 2048);
  CHECK(kernels[0].spill_stores == 0);
  CHECK(kernels[1].kernel == "cell");
  CHECK(kernels[1].stack_bytes == 816);
  CHECK(kernels[1].spill_stores == 1796);
  CHECK(kernels[1].spill_loads == 1284);
  CHECK(resources_of_ptxas("no such line\n").empty());
  CHECK_THAT(excessive_spill_reason(kernels), Contains("cell spills 3080 bytes"));
  CHECK(excessive_spill_reason({kernels[0]}).empty());
}

TEST_CASE("occupancy is NVIDIA's") {
  // From cuda_occupancy.h of CUDA 13 (carveout -1), which agrees at all 122880 points of threads 32
  // to 1024, registers 16 to 255 and four sizes of shared memory on these cards.
  struct Row {
    GpuFacts gpu;
    int threads, registers;
    std::int64_t shared_bytes;
    int blocks;
    const char* limited_by;
  };
  const Row rows[] = {{a100, 256, 36, 0, 6, "registers"},
                      {a100, 256, 128, 0, 2, "registers"},
                      {a100, 128, 186, 0, 2, "registers"},
                      {a100, 1024, 64, 0, 1, "registers"},
                      {a100, 1024, 65, 0, 0, "registers"},
                      {a100, 32, 16, 0, 32, "blocks"},
                      {v100, 32, 17, 1000, 32, "blocks"},
                      {v100, 256, 32, 40000, 2, "shared memory"},
                      {a100, 256, 32, 40000, 4, "shared memory"},
                      {h100, 256, 32, 40000, 5, "shared memory"},
                      {h100, 512, 32, 0, 4, "threads"}};
  for (const Row& row : rows) {
    const Occupancy fits = occupancy(row.gpu, row.threads, row.registers, row.shared_bytes);
    CAPTURE(row.threads, row.registers, row.shared_bytes);
    CHECK(fits.blocks == row.blocks);
    CHECK(fits.limited_by == row.limited_by);
    CHECK(fits.share == Approx(row.blocks * row.threads / 2048.0));
  }
}

TEST_CASE("warps of 64 threads fill a multiprocessor with half as many, and whole") {
  // 2048 threads are 32 warps of 64; a block of 96 threads takes two of them, which are 128.
  const GpuFacts wide = multiprocessor(90, 65536, 0, 64);
  const Occupancy blocks = occupancy(wide, 96, 0, 0);
  CHECK(blocks.blocks == 16);
  CHECK(blocks.limited_by == "threads");
  CHECK(blocks.share == Approx(1));
  // With warps of 32 the same block takes three, which are 96.
  GpuFacts narrow = wide;
  narrow.warp = 32;
  CHECK(occupancy(narrow, 96, 0, 0).blocks == 21);
  // 36 registers become 40 for each of 64 threads: 6 such warps on a quarter of the registers.
  const Occupancy held = occupancy(wide, 256, 36, 0);
  CHECK(held.blocks == 6);
  CHECK(held.limited_by == "registers");
  CHECK(held.share == Approx(6 * 256 / 2048.0));
}

TEST_CASE("NVRTC compiles with headers in memory and reports errors with their place") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  CHECK(compiler->architecture == "sm_80");
  const Nvrtc nvrtc(compiler->library);
  const std::string source =
      "#include \"two.h\"\nextern \"C\" __global__ void k(double* y) { y[threadIdx.x] *= two(); "
      "}\n";
  const std::vector<std::string> options{"--gpu-architecture=sm_80", "--ptxas-options=-v"};
  const auto good = nvrtc.compile(source, "k.cu",
                                  {{"two.h", "__device__ double two() { return 2; }\n"}}, options);
  CHECK(good.ok);
  CHECK(good.image.substr(1, 3) == "ELF");
  REQUIRE(resources_of_ptxas(good.log).size() == 1);
  CHECK(resources_of_ptxas(good.log)[0].kernel == "k");
  const auto bad = nvrtc.compile(source, "k.cu", {{"two.h", "double three();\n"}}, options);
  CHECK_FALSE(bad.ok);
  CHECK_THAT(bad.log, Contains("k.cu(2)"));
  const auto too_much = nvrtc.compile(
      "extern \"C\" __global__ void k(double* y) { __shared__ double x[7000]; x[threadIdx.x] = *y; "
      "__syncthreads(); *y = x[5]; }",
      "k.cu", {}, options);
  CHECK_FALSE(too_much.ok);
  CHECK_THAT(too_much.log, Contains("56000 bytes smem") && Contains("error: NVRTC_ERROR"));
}

TEST_CASE("the table of GPU compilers names what is not in it") {
  CHECK(gpu_compiler_row("cuda").name == std::string("NVRTC"));
  CHECK_THROWS_WITH(gpu_compiler_row("abacus"), Contains("\"abacus\""));
}

TEST_CASE(
    "an architecture that no NVRTC knows is an error with the cure, and a newer card gets PTX") {
  if (!test::nvrtc_for(80)) return;
  CHECK(choose_nvrtc(990).architecture.starts_with("compute_"));
  // Between two: code of its own major number, but of no card on a chip with cores.
  CHECK(choose_nvrtc(84).architecture == "sm_80");
  if (choose_nvrtc(110).architecture == "sm_110") {
    CHECK(choose_nvrtc(102).architecture == "sm_100");
    CHECK(choose_nvrtc(112).architecture == "compute_110");
  }
  try {
    choose_nvrtc(35);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::unavailable);
    CHECK_THAT(error.message(), Contains("compute capability 3.5"));
    CHECK_THAT(error.hint(), Contains("ROOFTUNE_NVRTC"));
  }
}

TEST_CASE("the NVRTC is the newest whose code the driver loads") {
  const TemporaryDirectory toolkit{"rooftune-cuda"};
  std::filesystem::create_directory(toolkit.path() / "lib64");
  const auto library = [&](const char* major) {
    return toolkit.path() / "lib64" / (std::string("libnvrtc.so.") + major);
  };
  for (const char* major : {"13", "12", "11.2"})
    std::filesystem::copy(ROOFTUNE_FAKE_NVRTC, library(major));
  setenv("ROOFTUNE_NVRTC", library("13").c_str(), 1);
  CHECK(choose_nvrtc(90, 13000).library == library("13"));
  CHECK(choose_nvrtc(90, 13000).options[1] == "--std=c++20");
  // PTX is for drivers of the same version or later.
  CHECK(choose_nvrtc(100, 13040).architecture == "compute_90");
  CHECK_THROWS_WITH(choose_nvrtc(100, 13000), Contains("compiles for sm_75 to sm_90"));
  // Machine code of the same major number is for older drivers, too.
  CHECK(choose_nvrtc(91, 13000).architecture == "sm_90");
  CHECK_THROWS_WITH(choose_nvrtc(90, 12020),
                    Contains("the driver supports CUDA 12.2 and loads nothing of CUDA 13.4"));
  CHECK(choose_nvrtc(90).library == library("13"));
  unsetenv("ROOFTUNE_NVRTC");
  setenv("CUDA_HOME", toolkit.path().c_str(), 1);
  CHECK(std::stoi(choose_nvrtc(70).version) <= 12);
  // As conda and pip's wheels lay them out.
  std::filesystem::rename(toolkit.path() / "lib64", toolkit.path() / "lib");
  CHECK(choose_nvrtc(90, 11080).library == toolkit.path() / "lib" / "libnvrtc.so.11.2");
  std::filesystem::rename(toolkit.path() / "lib", toolkit.path() / "lib64");
  CHECK(std::stoi(choose_nvrtc(90, 12020).version) == 12);
  const GpuCompiler oldest = choose_nvrtc(90, 11080);
  CHECK(std::stoi(oldest.version) == 11);
  CHECK(oldest.options[1] == "--std=c++17");
  unsetenv("CUDA_HOME");
}

TEST_CASE("NVRTC off the linker's path finds the builtins that lie beside it") {
  const TemporaryDirectory toolkit("rooftune-toolkit");
  const std::filesystem::path library = toolkit.path() / "libnvrtc.so.13";
  std::filesystem::copy_file(ROOFTUNE_FAKE_NVRTC, library);
  std::ofstream(toolkit.path() / "builtins.c") << R"(#include <stdlib.h>
__attribute__((constructor)) static void loaded(void) { setenv("ROOFTUNE_TEST_BUILTINS", "1", 1); }
)";
  Command compile;
  compile.argv = {host_compiler().path,
                  "-shared",
                  "-fPIC",
                  "-x",
                  "c",
                  (toolkit.path() / "builtins.c").string(),
                  "-o",
                  (toolkit.path() / "libnvrtc-builtins.so.13.0").string()};
  REQUIRE(execute(compile).status.ok());
  const Nvrtc nvrtc(library);
  CHECK(std::getenv("ROOFTUNE_TEST_BUILTINS"));
  unsetenv("ROOFTUNE_TEST_BUILTINS");
}

TEST_CASE("a missing NVRTC and a library that is none are named") {
  setenv("ROOFTUNE_NVRTC", "/nowhere/libnvrtc.so", 1);
  CHECK_THROWS_WITH(choose_nvrtc(80), Contains("there is no NVRTC"));
  CHECK_THROWS_WITH(Nvrtc("/nowhere/libnvrtc.so"), Contains("cannot be loaded"));
  CHECK_THROWS_WITH(Nvrtc("libm.so.6"), Contains("no function nvrtcVersion"));
  unsetenv("ROOFTUNE_NVRTC");
}
