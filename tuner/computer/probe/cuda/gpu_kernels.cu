// The micro-kernels of `tune probe` on a GPU. Text of this file is compiled by NVRTC for the card;
// tests compile the same text for the CPU and run it thread by thread. `results` has one element
// per thread of the grid, `cycles` has one, and the grid divides the counts (gpu_plan.h, where
// the work per launch is declared).
#include "rooftune/gpu.h"

#if defined(__CUDACC__)
#define GPU_PROBE_UNROLL _Pragma("unroll")
#else
#define GPU_PROBE_UNROLL
#endif
#define GPU_PROBE_EACH(index, count) \
  GPU_PROBE_UNROLL                   \
  for (int index = 0; index < count; ++index)

namespace gpu_probe {

/// Steps inside a loop of an in-core kernel: work is counted in loops.
constexpr int unroll_factor = 16;
/// Elements of the operands of in-core kernels.
constexpr int operand_count = 4096;

__device__ __forceinline__ long long thread_number() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ long long all_threads() {
  return static_cast<long long>(gridDim.x) * blockDim.x;
}

/// Cycles of the slowest block, for the clock: the launch lasts as long. Clocks of different
/// multiprocessors are never compared. The caller clears `cycles`.
struct Stopwatch {
  long long begin;
  __device__ __forceinline__ Stopwatch() : begin(clock64()) {}
  __device__ __forceinline__ void stop(long long* cycles) const {
    __syncthreads();
    if (threadIdx.x == 0)
      atomicMax(reinterpret_cast<unsigned long long*>(cycles),
                static_cast<unsigned long long>(clock64() - begin));
  }
};

// Instructions without a word in C++; tests bring their own for the CPU.
#if defined(__CUDACC__)
__device__ __forceinline__ unsigned half2_fma(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ __forceinline__ unsigned half2_mul(unsigned a, unsigned b) {
  unsigned d;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}
__device__ __forceinline__ unsigned half2_add(unsigned a, unsigned b) {
  unsigned d;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}
#endif

// In core: x = a x + b in independent chains, one or two instructions a step. Fp16 are pairs of
// halves.

#define GPU_PROBE_STEP(Name, T, next)                                        \
  struct Name {                                                              \
    __device__ __forceinline__ static T step(T x, T a, T b) { return next; } \
  };
GPU_PROBE_STEP(Fp64Fma, double, __fma_rn(x, a, b))
GPU_PROBE_STEP(Fp64AddMul, double, __dadd_rn(__dmul_rn(x, a), b))
GPU_PROBE_STEP(Fp32Fma, float, __fmaf_rn(x, a, b))
GPU_PROBE_STEP(Fp32AddMul, float, __fadd_rn(__fmul_rn(x, a), b))
GPU_PROBE_STEP(Fp16Fma, unsigned, half2_fma(x, a, b))
GPU_PROBE_STEP(Fp16AddMul, unsigned, half2_add(half2_mul(x, a), b))

__device__ __forceinline__ double total(double a, double b) { return a + b; }
__device__ __forceinline__ float total(float a, float b) { return a + b; }
__device__ __forceinline__ unsigned total(unsigned a, unsigned b) { return half2_add(a, b); }

/// operands: a quarter factors, a quarter summands, half starting values; operand_count in all.
template <class Step, int Chains, class T>
__device__ __forceinline__ void in_core(long long loops, const T* operands, T* results,
                                        long long* cycles) {
  const Stopwatch watch;
  const long long thread = thread_number();
  const T a = operands[thread % (operand_count / 4)];
  const T b = operands[operand_count / 4 + thread % (operand_count / 4)];
  T x[Chains];
  GPU_PROBE_EACH (c, Chains)
    x[c] = operands[operand_count / 2 + (thread + 37 * c) % (operand_count / 2)];
  for (long long loop = 0; loop < loops; ++loop) {
    GPU_PROBE_EACH (u, unroll_factor) {
      GPU_PROBE_EACH (c, Chains) x[c] = Step::step(x[c], a, b);
    }
  }
  T sum = x[0];
  GPU_PROBE_UNROLL
  for (int c = 1; c < Chains; ++c) sum = total(sum, x[c]);
  results[thread] = sum;
  watch.stop(cycles);
}

}  // namespace gpu_probe

#define GPU_PROBE_IN_CORE(name, Step, T, chains)                                                  \
  ROOFTUNE_KERNEL __launch_bounds__(256, 1) name(long long loops, const T* __restrict__ operands, \
                                                 T* __restrict__ results, long long* cycles) {    \
    gpu_probe::in_core<gpu_probe::Step, chains, T>(loops, operands, results, cycles);             \
  }

GPU_PROBE_IN_CORE(probe_fp64_fma_1, Fp64Fma, double, 1)
GPU_PROBE_IN_CORE(probe_fp64_fma_4, Fp64Fma, double, 4)
GPU_PROBE_IN_CORE(probe_fp64_fma_8, Fp64Fma, double, 8)
GPU_PROBE_IN_CORE(probe_fp64_add_mul_8, Fp64AddMul, double, 8)
GPU_PROBE_IN_CORE(probe_fp32_fma_1, Fp32Fma, float, 1)
GPU_PROBE_IN_CORE(probe_fp32_fma_4, Fp32Fma, float, 4)
GPU_PROBE_IN_CORE(probe_fp32_fma_8, Fp32Fma, float, 8)
GPU_PROBE_IN_CORE(probe_fp32_add_mul_8, Fp32AddMul, float, 8)
GPU_PROBE_IN_CORE(probe_fp16_fma_1, Fp16Fma, unsigned, 1)
GPU_PROBE_IN_CORE(probe_fp16_fma_8, Fp16Fma, unsigned, 8)
GPU_PROBE_IN_CORE(probe_fp16_add_mul_8, Fp16AddMul, unsigned, 8)

// Tensor cores: D = A B + D by whole warps, in independent tiles.

namespace gpu_probe {

/// Tiles under way per warp.
constexpr int tile_count = 8;

#if defined(__CUDACC__)
#define GPU_PROBE_HAS_MMA (__CUDA_ARCH__ >= 800)
#define GPU_PROBE_HAS_WIDE_FP64_MMA (__CUDA_ARCH__ >= 900)
#else
#define GPU_PROBE_HAS_MMA 1
#define GPU_PROBE_HAS_WIDE_FP64_MMA 1
#endif

#if defined(__CUDACC__)
/// 8 x 8 x 4.
struct MmaFp64 {
  using T = double;
  using Sum = double;
  static constexpr int a = 1, b = 1, d = 2;
  __device__ __forceinline__ static void step(const T* x, const T* y, Sum* z) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(z[0]), "+d"(z[1])
                 : "d"(x[0]), "d"(y[0]));
  }
};
/// 16 x 8 x 16.
struct MmaFp64Wide {
  using T = double;
  using Sum = double;
  static constexpr int a = 8, b = 4, d = 4;
  __device__ __forceinline__ static void step(const T* x, const T* y, Sum* z) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, "
        "%9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(z[0]), "+d"(z[1]), "+d"(z[2]), "+d"(z[3])
        : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]),
          "d"(y[0]), "d"(y[1]), "d"(y[2]), "d"(y[3]));
  }
};
/// 16 rows, 8 columns; operands in 32-bit registers.
#define GPU_PROBE_MMA(Name, instruction)                                                          \
  struct Name {                                                                                   \
    using T = unsigned;                                                                           \
    using Sum = float;                                                                            \
    static constexpr int a = 4, b = 2, d = 4;                                                     \
    __device__ __forceinline__ static void step(const T* x, const T* y, Sum* z) {                 \
      asm volatile(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                   : "+f"(z[0]), "+f"(z[1]), "+f"(z[2]), "+f"(z[3])                               \
                   : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));           \
    }                                                                                             \
  };
GPU_PROBE_MMA(MmaTf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
GPU_PROBE_MMA(MmaFp16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
GPU_PROBE_MMA(MmaBf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
#endif

/// operands: operand_count values; each lane takes its part of A and of B from the second half.
template <class Mma>
__device__ __forceinline__ void tensor(long long loops, const typename Mma::T* operands,
                                       typename Mma::Sum* results, long long* cycles) {
  const Stopwatch watch;
  const long long thread = thread_number();
  constexpr int half = operand_count / 2;
  typename Mma::T x[Mma::a], y[Mma::b];
  GPU_PROBE_EACH (i, Mma::a) x[i] = operands[half + (thread + 37 * i) % half];
  GPU_PROBE_EACH (i, Mma::b) y[i] = operands[half + (thread + 101 * i + 7) % half];
  typename Mma::Sum z[tile_count][Mma::d] = {};
  for (long long loop = 0; loop < loops; ++loop) {
    GPU_PROBE_EACH (t, tile_count) Mma::step(x, y, z[t]);
  }
  typename Mma::Sum sum = 0;
  GPU_PROBE_EACH (t, tile_count) {
    GPU_PROBE_EACH (i, Mma::d) sum += z[t][i];
  }
  results[thread] = sum;
  watch.stop(cycles);
}

}  // namespace gpu_probe

#define GPU_PROBE_TENSOR(name, Mma)                                         \
  ROOFTUNE_KERNEL __launch_bounds__(256, 1)                                 \
      name(long long loops, const gpu_probe::Mma::T* __restrict__ operands, \
           gpu_probe::Mma::Sum* __restrict__ results, long long* cycles) {  \
    gpu_probe::tensor<gpu_probe::Mma>(loops, operands, results, cycles);    \
  }

#if GPU_PROBE_HAS_MMA
GPU_PROBE_TENSOR(probe_fp64_tensor, MmaFp64)
GPU_PROBE_TENSOR(probe_tf32_tensor, MmaTf32)
GPU_PROBE_TENSOR(probe_fp16_tensor, MmaFp16)
GPU_PROBE_TENSOR(probe_bf16_tensor, MmaBf16)
#endif
#if GPU_PROBE_HAS_WIDE_FP64_MMA
GPU_PROBE_TENSOR(probe_fp64_tensor_wide, MmaFp64Wide)
#endif
