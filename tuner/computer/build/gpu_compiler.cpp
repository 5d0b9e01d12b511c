#include "build/gpu_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "build/cuda/nvrtc.h"
#include "build/includes.h"
#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/text.h"
#include "os/paths.h"

namespace rooftune::build {
namespace {

/// A warp gets registers in multiples of this many for each thread (compute capability 3.0 and
/// later).
constexpr int register_unit = 8;
/// Four schedulers share the warps, each with a quarter of the registers.
constexpr int scheduler_count = 4;
/// A kernel that spills more bytes per thread spends its time on local memory. The published GPP
/// steps spill up to 356 bytes (188 stored, 168 loaded) and gain by it.
constexpr int64_t most_useful_spill = 1024;

int64_t rounded_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

constexpr std::array<GpuCompilerRow, 1> table{
    {{"cuda", "NVRTC", "nvrtc", choose_nvrtc, compile_with_nvrtc, resources_of_ptxas}}};

}  // namespace

std::string excessive_spill_reason(const ResourceList& kernels) {
  for (const KernelResources& kernel : kernels)
    if (kernel.spill_stores + kernel.spill_loads > most_useful_spill)
      return fmt::format("{} spills {} bytes per thread ({} registers)", kernel.kernel,
                         kernel.spill_stores + kernel.spill_loads, kernel.registers);
  return {};
}

Occupancy occupancy(const GpuFacts& gpu, int threads, int registers, int64_t shared_bytes) {
  Occupancy result;
  if (threads < 1) return result;
  const int warp = gpu.warp, warps = (threads + warp - 1) / warp;
  const auto limit_blocks = [&](int64_t blocks, const char* what) {
    if (!result.limited_by.empty() && blocks >= result.blocks) return;
    result.blocks = int(std::max<int64_t>(blocks, 0));
    result.limited_by = what;
  };
  limit_blocks(gpu.threads_per_multiprocessor / warp / warps, "threads");
  limit_blocks(gpu.blocks_per_multiprocessor, "blocks");
  if (registers > 0) {
    const int64_t per_warp = warp * rounded_up(registers, register_unit);
    const int64_t per_scheduler = gpu.registers_per_multiprocessor / scheduler_count / per_warp;
    limit_blocks(per_scheduler * scheduler_count / warps, "registers");
  }
  // Shared memory comes in 128-byte units since compute capability 8.0, in 256-byte units before.
  const int64_t unit = gpu.compute_capability >= 80 ? 128 : 256;
  const int64_t per_block = rounded_up(shared_bytes + gpu.shared_reserved, unit);
  if (per_block > 0) limit_blocks(gpu.shared_per_multiprocessor / per_block, "shared memory");
  result.share = double(result.blocks * warps * warp) / gpu.threads_per_multiprocessor;
  return result;
}

const GpuCompilerRow& gpu_compiler_row(const std::string& runtime) {
  const auto* const found = first_with(table, &GpuCompilerRow::runtime, runtime);
  if (!found) throw Error("there is no compiler of a GPU runtime \"" + runtime + "\"");
  return *found;
}

std::string why_nothing_compiles(const GpuCompiler& compiler) {
  const CompiledKernels tried =
      compiler.row->compile(compiler.library, "extern \"C\" __global__ void one_line() {}",
                            "one_line.cu", {}, compiler.options);
  return tried.ok ? std::string() : text_before(tried.log, '\n');
}

NamedTexts headers_of_kernels(const fs::path& source) {
  const fs::path shared = variant_include_directory(), own = source.parent_path();
  NamedTexts headers;
  for (const auto& file : included_files(source, shared)) {
    const std::string beside = file.lexically_relative(own).generic_string();
    const bool is_own = !beside.empty() && !beside.starts_with("..");
    headers[is_own ? beside : file.lexically_relative(shared).generic_string()] = read_text(file);
  }
  return headers;
}

fs::path code_beside(fs::path image) { return image.replace_extension("code"); }

// The compiler's own process: a crash or a hang costs a variant, not the study.
int gpu_compile_main(const Texts& arguments) {
  if (arguments.size() < 5) {
    std::fputs("gpu-compile: expected RUNTIME LIBRARY IMAGE LOG SOURCE [option ...]\n", stderr);
    return 2;
  }
  try {
    const fs::path source = arguments[4];
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
    write_atomically(code_beside(arguments[2]), compiled.code);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace rooftune::build
