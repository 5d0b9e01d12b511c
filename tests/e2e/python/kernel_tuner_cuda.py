"""Scripts of Kernel Tuner in CUDA. Run in a user's folder, by python_test.cpp and, on a stand-in for a card, by
tests/cuda/executor_test.cpp; ends with 77 where NumPy is not."""

import json
import math
import os
import sys
import unittest
import unittest.mock

try:
    import numpy
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

import rooftune
from rooftune.kernel_tuner import (ArgumentError, CompilationFailedConfig, Difference, run_kernel, store_output_file,
                                   tune_kernel)

ADD = """
#include <cuda_runtime.h>
__global__ void add(float* c, const float* a, const float* b, int n) {
  int i = blockIdx.x * block_size_x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""
# Threads of a block share tiles of both matrices, and each computes tile_size_y elements.
PRODUCT = """
#define WIDTH 64
__global__ void __launch_bounds__(block_size_x * block_size_y) product(float* c, float* a, float* b) {
  __shared__ float left[block_size_x][block_size_x], right[block_size_x][block_size_x];
  const int x = blockIdx.x * block_size_x + threadIdx.x, y = blockIdx.y * block_size_x + threadIdx.y;
  float sum[tile_size_y] = {};
  for (int k = 0; k < WIDTH; k += block_size_x) {
#if barriers
    __syncthreads();
#endif
    for (int t = 0; t < tile_size_y; ++t) {
      const int row = threadIdx.y + t * block_size_y;
      left[row][threadIdx.x] = a[(y + t * block_size_y) * WIDTH + k + threadIdx.x];
      right[row][threadIdx.x] = b[(k + row) * WIDTH + x];
    }
    __syncthreads();
    for (int j = 0; j < block_size_x; ++j)
      for (int t = 0; t < tile_size_y; ++t) sum[t] += left[threadIdx.y + t * block_size_y][j] * right[j][threadIdx.x];
  }
  for (int t = 0; t < tile_size_y; ++t) c[(y + t * block_size_y) * WIDTH + x] = sum[t];
}
"""
BLUR = """
#define SIDE 40
__constant__ float weights[5 * 5];
__constant__ int shift[1];
__global__ void blur(float* out, const float* __restrict__ in) {
  for (int t = 0; t < tile_size_x; ++t) {
    const int x = (blockIdx.x * tile_size_x + t) * block_size_x + threadIdx.x;
    const int y = blockIdx.y * block_size_y + threadIdx.y;
    if (x >= SIDE || y >= SIDE) continue;
    float sum = 0;
    for (int i = 0; i < filter; ++i)
      for (int j = 0; j < filter; ++j) sum += __ldg(&in[(y + i) * (SIDE + 4) + x + j]) * weights[i * filter + j];
    out[y * SIDE + x] = sum + shift[0];
  }
}
"""
# Blocks leave their sums; shared memory has the size that the launch says.
SUM = """
extern "C" {
__global__ void sum(float* sums, floatvector* x, int n) {
  extern __shared__ float shared[];
  float mine = 0;
#pragma unroll loop_unroll_factor_0
  for (int i = blockIdx.x * block_size_x + threadIdx.x; i < n / vector; i += num_blocks * block_size_x) {
#if vector == 1
    mine += x[i];
#else
    mine += x[i].x + x[i].y;
#endif
  }
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned s = block_size_x / 2; s > (use_shuffle ? 16 : 0); s /= 2) {
    if (threadIdx.x < s) shared[threadIdx.x] += shared[threadIdx.x + s];
    __syncthreads();
  }
  if (use_shuffle && threadIdx.x < 32) {
    mine = shared[threadIdx.x];
    for (unsigned s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    if (threadIdx.x == 0) shared[0] = mine;
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = shared[0];
}
}
"""
# Points inside of a polygon, and how many they are.
INSIDE = """
template <typename T, int corners>
static __device__ bool inside(const T* polygon, T x, T y) {
  bool in = false;
  for (int i = 0, j = corners - 1; i < corners; j = i++) {
    const T xi = polygon[2 * i], yi = polygon[2 * i + 1], xj = polygon[2 * j], yj = polygon[2 * j + 1];
    if ((yi > y) != (yj > y) && x < (xj - xi) * (y - yi) / (yj - yi) + xi) in = !in;
  }
  return in;
}
template <typename T, int corners>
__global__ void __launch_bounds__((block_size_x), 1) points(int* bitmap, unsigned* count, const T* at,
                                                                  const T* polygon, int n) {
  for (int t = 0; t < tile_size; ++t) {
    const int i = (blockIdx.x * tile_size + t) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bitmap[i] = inside<T, corners>(polygon, at[2 * i], at[2 * i + 1]);
    if (bitmap[i] && __expf(0) == 1) atomicAdd(count, 1);
  }
}
"""


class Emulated(unittest.TestCase):
    def tuned(self, name, source, size, arguments, tune_params, **more):
        with self.assertWarnsRegex(Difference, "emulated on this CPU"):
            results, env = tune_kernel(name, source, size, arguments, tune_params, device="emulated", quiet=True, **more)
        return results, env

    def all_right(self, results, count):
        self.assertEqual(len(results), count)
        for row in results:
            self.assertTrue(isinstance(row["time"], float) and math.isnan(row["time"]), row)

    def test_vectors_are_added(self):
        n = 1000
        a, b = numpy.arange(n, dtype=numpy.float32), numpy.full(n, 3, numpy.float32)
        arguments = [numpy.zeros(n, numpy.float32), a, b, numpy.int32(n)]
        after = run_kernel("add", ADD, n, arguments, {"block_size_x": 64}, device="emulated")
        self.assertTrue(numpy.array_equal(after[0], a + 3))
        self.assertFalse(arguments[0].any(), "the caller's array has changed")
        results, env = self.tuned("add", ADD, n, arguments, {"block_size_x": [128, 192]}, answer=[a + b, None, None, None],
                                  metrics={"GB/s": lambda p: 12e-6 * n / p["time"]}, lang="CUDA", cache="added")
        self.all_right(results, 2)
        self.assertIsNone(results.study)
        self.assertNotIn("best_config", env)
        self.assertEqual(min(results, key=lambda row: row["time"])["block_size_x"], 128)
        store_output_file("added", results, {"block_size_x": None})
        # Where an answer is wrong or a source does not compile, the row says so.
        wrong, _ = self.tuned("add", ADD.replace("b[i]", "b[i] * (block_size_x == 192 ? 2 : broken)"), n, arguments,
                              {"block_size_x": [64, 192], "broken": ["1", "no_such_name"]}, answer=[a + b, None, None, None],
                              restrictions=["block_size_x == 64 or broken == '1'"])
        self.assertEqual([row.get("error", "")[:12] for row in wrong], ["", "build_failed", "wrong_result"])
        self.assertIsInstance(wrong[1]["time"], CompilationFailedConfig)

    def test_matrices_are_multiplied_and_a_missing_barrier_is_found(self):
        a, b = numpy.random.default_rng(1).random((2, 64, 64), dtype=numpy.float32)
        tune_params = {"block_size_x": [16, 32], "block_size_y": [8, 16], "tile_size_y": [1, 2], "barriers": [1, 0]}
        results, _ = self.tuned("product", PRODUCT, (64, 64), [numpy.zeros_like(a), a, b], tune_params,
                                grid_div_y=["block_size_y", "tile_size_y"], answer=[a @ b, None, None], atol=1e-4,
                                restrictions=["block_size_x == block_size_y * tile_size_y"])
        self.assertEqual(len(results), 6)
        for row in results:
            self.assertEqual("wrong_result" in row.get("error", ""), row["barriers"] == 0, row)

    def test_a_filter_lies_in_constant_memory(self):
        image = numpy.random.default_rng(2).random((44, 44), dtype=numpy.float32)
        weights = numpy.linspace(0.1, 1, 25, dtype=numpy.float32)

        def blurred(n):
            return sum(image[i:i + 40, j:j + 40] * weights[i * n + j] for i in range(n) for j in range(n)) - 2
        arguments, constants = [numpy.zeros((40, 40), numpy.float32), image], {"weights": weights, "shift": numpy.int32([-2])}
        after = run_kernel("blur", BLUR, (40, 40), arguments, {"block_size_x": 16, "block_size_y": 4, "tile_size_x": 2,
                           "filter": 5}, grid_div_x=["block_size_x", "tile_size_x"], cmem_args=constants, device="emulated")
        self.assertTrue(numpy.allclose(after[0], blurred(5), atol=1e-4))
        results, _ = self.tuned("blur", BLUR, lambda p: (40, 40), arguments,
                                {"block_size_x": [16, 32], "block_size_y": [2], "tile_size_x": [1, 3], "filter": [3]},
                                grid_div_x=lambda p: p["block_size_x"] * p["tile_size_x"], cmem_args=constants,
                                answer=[blurred(3), None], atol=1e-4, compiler_options=["--use_fast_math", "-arch=sm_80"])
        self.all_right(results, 4)
        with self.assertRaisesRegex(ArgumentError, "cmem_args: wieghts is no __constant__ array"):
            run_kernel("blur", BLUR, 1, arguments, {}, cmem_args={"wieghts": weights}, device="emulated")

    def test_sums_of_blocks_are_judged_by_a_function(self):
        x = numpy.random.default_rng(3).random(3000, dtype=numpy.float32)
        asked = []

        def verify(answer, output, atol):
            asked.append(output[0].shape)
            return abs(output[0].sum() - answer[0]) < 1e-2
        results, _ = self.tuned("sum", SUM, "num_blocks", [numpy.zeros(4, numpy.float32), x, numpy.int32(x.size)],
                                {"block_size_x": [64, 128], "num_blocks": [2, 4], "vector": [1, 2],
                                 "use_shuffle": [0, 1], "floatvector": ["float", "float2"],
                                 "loop_unroll_factor_0": [0, 4]}, grid_div_x=[],
                                restrictions=["(vector == 2) == (floatvector == 'float2')"],
                                smem_args={"size": lambda p: 4 * p["block_size_x"]}, answer=[x.sum(), None, None],
                                verify=verify, strategy="random_sample", strategy_options={"max_fevals": 5, "seed": 3})
        self.all_right(results, 5)
        self.assertGreater(len(asked), 5)

    def test_templates_have_instances(self):
        rng = numpy.random.default_rng(4)
        points = rng.random((500, 2)) * 2 - 1
        polygon = numpy.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
        right = (abs(points) < 0.5).all(axis=1).astype(numpy.int32)
        arguments = [numpy.zeros(500, numpy.int32), numpy.zeros(1, numpy.uint32), points, polygon, numpy.int32(500)]
        results, _ = self.tuned("points<double, corner_count>", INSIDE, 500, arguments,
                                {"block_size_x": [64, 96], "tile_size": [1, 2], "corner_count": [4]},
                                grid_div_x=["block_size_x", "tile_size"],
                                answer=[right, numpy.array([right.sum()], numpy.uint32), None, None, None])
        self.all_right(results, 4)

    def test_spaces_too_large_for_one_core_are_cut_and_blocks_are_possible_ones(self):
        x = [numpy.zeros(1, numpy.int32)]
        source = "__global__ void f(int* x) { if (threadIdx.x == 0 && threadIdx.y == 0) x[0] = 1; }"
        results, _ = self.tuned("f", source, 1, x, {"block_size_x": [1024, 512], "block_size_y": [2, 1]})
        self.assertEqual([(row["block_size_x"], row["block_size_y"]) for row in results], [(1024, 1), (512, 2), (512, 1)])


class Faults(unittest.TestCase):
    def call(self, fault, words, **changes):
        call = {"kernel_name": "f", "kernel_source": "__global__ void f(int* x) { x[0] = 1; }", "problem_size": 1,
                "arguments": [numpy.zeros(1, numpy.int32)], "tune_params": {"block_size_x": [1]}, "quiet": True, **changes}
        with self.assertRaisesRegex(fault, words):
            tune_kernel(**call)

    def test_the_argument_is_named(self):
        self.call(ArgumentError, "device: 'emulatd' is neither", device="emulatd")
        self.call(ArgumentError, "texmem_args: is not supported", texmem_args={"t": numpy.zeros(1)})
        self.call(ArgumentError, "observers: are called around kernels in C", observers=[print], device="emulated")
        self.call(ArgumentError, "device: is for kernels in CUDA", kernel_source="void f(int* x) { x[0] = 1; }",
                  device="emulated")
        self.call(rooftune.RooftuneError, "f build_failed: (.|\n)*nothing", device="emulated",
                  kernel_source="__global__ void f(int* x) { x[0] = nothing; }")

    def test_without_a_card_one_sentence_says_so(self):
        no_driver = unittest.mock.patch.dict(os.environ, ROOFTUNE_LIBCUDA="/nowhere/libcuda.so")
        with no_driver, self.assertRaisesRegex(rooftune.RooftuneError,
                                               "^no card here that kernels can run on: .*\nhint: device='emulated'"):
            run_kernel("f", "__global__ void f(int* x) { x[0] = 1; }", 1, [numpy.zeros(1, numpy.int32)], {})


class Card(unittest.TestCase):
    def test_a_study_runs_on_the_card_that_the_driver_shows(self):
        n = 2000
        a = numpy.arange(n, dtype=numpy.float32)
        results, env = tune_kernel("add", ADD, n, [0 * a, a, a, numpy.int32(n)], {"block_size_x": [64, 128]},
                                   answer=[2 * a, None, None, None], quiet=True,
                                   tune_options={"no_staircase": True, "no_anchors": True})
        self.assertEqual([isinstance(row["time"], float) and row["time"] > 0 for row in results], [True, True], results)
        self.assertEqual(env["device_name"], "executor")
        self.assertEqual(results.study.backend, "cuda")
        json.dumps(results)


if __name__ == "__main__":
    unittest.main()
