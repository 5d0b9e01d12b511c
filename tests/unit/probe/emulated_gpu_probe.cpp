// The text of the probe's kernels, read as C++ by the host's compiler.
#include "support/emulated_gpu_probe.h"

#include "probe/gpu_plan.h"
#include "support/gpu_instructions.h"

// What nvcc understands and g++ need not.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include "probe/cuda/gpu_kernels.cu"
#include "probe/cuda/gpu_memory_kernels.cu"
#pragma GCC diagnostic pop

static_assert(gpu_probe::unroll_factor == rooftune::gpu_unroll);
static_assert(gpu_probe::tile_count == rooftune::gpu_tiles);
static_assert(gpu_probe::items_per_thread == rooftune::gpu_items);
static_assert(gpu_probe::stream_items_per_thread == rooftune::gpu_stream_items);
static_assert(gpu_probe::operand_count == rooftune::gpu_operands);

namespace rooftune::test {
namespace {

using RunThread = void (*)(void**);

template <auto Kernel>
RunThread as_function() {
  using Values = decltype(parameters_of(Kernel));
  return [](void** arguments) {
    run_thread<Kernel, Values>(arguments, std::make_index_sequence<std::tuple_size_v<Values>>());
  };
}

#define KERNEL(name) \
  { #name, as_function < name>() }

const std::map<std::string, RunThread>& kernels() {
  static const std::map<std::string, RunThread> table{KERNEL(probe_fp64_fma_1),
                                                      KERNEL(probe_fp64_fma_4),
                                                      KERNEL(probe_fp64_fma_8),
                                                      KERNEL(probe_fp64_add_mul_8),
                                                      KERNEL(probe_fp32_fma_1),
                                                      KERNEL(probe_fp32_fma_4),
                                                      KERNEL(probe_fp32_fma_8),
                                                      KERNEL(probe_fp32_add_mul_8),
                                                      KERNEL(probe_fp16_fma_1),
                                                      KERNEL(probe_fp16_fma_8),
                                                      KERNEL(probe_fp16_add_mul_8),
                                                      KERNEL(probe_fp64_tensor),
                                                      KERNEL(probe_fp64_tensor_wide),
                                                      KERNEL(probe_tf32_tensor),
                                                      KERNEL(probe_fp16_tensor),
                                                      KERNEL(probe_bf16_tensor),
                                                      KERNEL(probe_load),
                                                      KERNEL(probe_near_load),
                                                      KERNEL(probe_shared_load),
                                                      KERNEL(probe_store),
                                                      KERNEL(probe_scale),
                                                      KERNEL(probe_triad),
                                                      KERNEL(probe_update),
                                                      KERNEL(probe_strided_load),
                                                      KERNEL(probe_random_load),
                                                      KERNEL(probe_chase),
                                                      KERNEL(probe_near_chase),
                                                      KERNEL(probe_nothing)};
  return table;
}

}  // namespace

EmulatedGpuProbe::EmulatedGpuProbe(const CudaProperties& properties) : inner_(properties) {
  rt_attach(&inner_);
}

void EmulatedGpuProbe::launch(const CudaLaunch& launch) {
  CudaLaunch with_function = launch;
  with_function.run_thread = kernels().at(launch.kernel);
  inner_.launch(with_function);
}

std::vector<std::string> emulated_gpu_kernels() {
  std::vector<std::string> names;
  for (const auto& [name, function] : kernels()) names.push_back(name);
  return names;
}

}  // namespace rooftune::test
