// The second half of the micro-kernels: memory. Follows gpu_kernels.cu in one text. The grid
// divides the counts of items (gpu_plan.h).

namespace gpu_probe {

/// 16-byte items under way per thread.
constexpr int items_per_thread = 8, stream_items_per_thread = 4;

// Loads done as often as written: through L1, past it, from shared memory.
#if defined(__CUDACC__)
#define GPU_PROBE_LOAD(name, instruction)                     \
  __device__ __forceinline__ int4 name(const int4* p) {       \
    int4 v;                                                   \
    asm volatile(instruction " {%0, %1, %2, %3}, [%4];"       \
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) \
                 : "l"(p));                                   \
    return v;                                                 \
  }
GPU_PROBE_LOAD(near_load, "ld.global.ca.v4.u32")
GPU_PROBE_LOAD(far_load, "ld.global.cg.v4.u32")
__device__ __forceinline__ int4 shared_load(const int4* p) {
  int4 v;
  // An ordinary load of the same place would be taken out of the loop by the assembler.
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(p))));
  return v;
}
#define GPU_PROBE_WORD_LOAD(name, T, instruction, constraint)            \
  __device__ __forceinline__ T name(const T* p) {                        \
    T v;                                                                 \
    asm volatile(instruction " %0, [%1];" : "=" constraint(v) : "l"(p)); \
    return v;                                                            \
  }
GPU_PROBE_WORD_LOAD(word_load, long long, "ld.global.cg.u64", "l")
GPU_PROBE_WORD_LOAD(link_near, unsigned, "ld.global.ca.u32", "r")
GPU_PROBE_WORD_LOAD(link_far, unsigned, "ld.global.cg.u32", "r")
#else
inline int4 near_load(const int4* p) { return *p; }
inline int4 far_load(const int4* p) { return *p; }
inline int4 shared_load(const int4* p) { return *p; }
inline long long word_load(const long long* p) { return *p; }
inline unsigned link_near(const unsigned* p) { return *p; }
inline unsigned link_far(const unsigned* p) { return *p; }
#endif

/// Modulo 2^32.
__device__ __forceinline__ int wrapped(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
__device__ __forceinline__ void add(int4& sum, int4 v) {
  sum.x = wrapped(sum.x, v.x);
  sum.y = wrapped(sum.y, v.y);
  sum.z = wrapped(sum.z, v.z);
  sum.w = wrapped(sum.w, v.w);
}
__device__ __forceinline__ unsigned folded(int4 v) {
  return static_cast<unsigned>(v.x) + static_cast<unsigned>(v.y) + static_cast<unsigned>(v.z) +
         static_cast<unsigned>(v.w);
}

/// Calls body(i, threads, pass) for every step of the grid through the items; each thread takes
/// `Items` of them a step, i, i + threads, ...
template <int Items, class Body>
__device__ __forceinline__ void walk(long long items, long long passes, Body body) {
  const long long threads = all_threads();
  for (long long pass = 0; pass < passes; ++pass)
    for (long long i = thread_number(); i < items; i += Items * threads) body(i, threads, pass);
}

}  // namespace gpu_probe

#define GPU_PROBE_WALK(name, ...)           \
  ROOFTUNE_KERNEL __launch_bounds__(512, 1) \
      name(long long items, long long passes, __VA_ARGS__, long long* cycles)

// Items are 16 bytes; a pass is a walk over all of them by the whole grid.

/// Past L1.
GPU_PROBE_WALK(probe_load, const int4* from, unsigned* results) {
  using namespace gpu_probe;
  const Stopwatch watch;
  int4 sum = make_int4(0, 0, 0, 0);
  walk<items_per_thread>(items, passes, [&](long long i, long long threads, long long) {
    int4 v[items_per_thread];
    GPU_PROBE_EACH (u, items_per_thread) v[u] = far_load(from + i + u * threads);
    GPU_PROBE_EACH (u, items_per_thread) add(sum, v[u]);
  });
  results[thread_number()] = folded(sum);
  watch.stop(cycles);
}

/// Every block walks its own window, through L1.
GPU_PROBE_WALK(probe_near_load, const int4* from, unsigned* results) {
  using namespace gpu_probe;
  const Stopwatch watch;
  const int4* const window = from + blockIdx.x * items;
  int4 sum = make_int4(0, 0, 0, 0);
  for (long long pass = 0; pass < passes; ++pass)
    for (long long i = threadIdx.x; i < items;
         i += items_per_thread * static_cast<long long>(blockDim.x)) {
      int4 v[items_per_thread];
      GPU_PROBE_EACH (u, items_per_thread) v[u] = near_load(window + i + u * blockDim.x);
      GPU_PROBE_EACH (u, items_per_thread) add(sum, v[u]);
    }
  results[thread_number()] = folded(sum);
  watch.stop(cycles);
}

/// Every block walks items_per_thread items per thread in its shared memory.
GPU_PROBE_WALK(probe_shared_load, const int4* from, unsigned* results) {
  using namespace gpu_probe;
  ROOFTUNE_DYNAMIC_SHARED(int4, tile);
  for (int i = threadIdx.x; i < items; i += blockDim.x) tile[i] = from[i];
  __syncthreads();
  const Stopwatch watch;
  int4 sum = make_int4(0, 0, 0, 0);
  for (long long pass = 0; pass < passes; ++pass) {
    GPU_PROBE_EACH (u, items_per_thread) add(sum, shared_load(tile + threadIdx.x + u * blockDim.x));
  }
  results[thread_number()] = folded(sum);
  watch.stop(cycles);
}

// Streams with stores are pairs of doubles; they load past L1, or it would serve a part of them at
// the sizes of L2.

GPU_PROBE_WALK(probe_store, double2* to) {
  using namespace gpu_probe;
  const Stopwatch watch;
  walk<stream_items_per_thread>(items, passes, [&](long long i, long long threads, long long pass) {
    GPU_PROBE_EACH (u, stream_items_per_thread)
      to[i + u * threads] =
          make_double2(static_cast<double>(i + u * threads), static_cast<double>(pass));
  });
  watch.stop(cycles);
}

namespace gpu_probe {

__device__ __forceinline__ void scale(long long items, long long passes, double s,
                                      const double2* from, double2* to, long long* cycles) {
  const Stopwatch watch;
  walk<stream_items_per_thread>(items, passes, [&](long long i, long long threads, long long) {
    double2 v[stream_items_per_thread];
    GPU_PROBE_EACH (u, stream_items_per_thread) v[u] = __ldcg(from + i + u * threads);
    GPU_PROBE_EACH (u, stream_items_per_thread)
      to[i + u * threads] = make_double2(s * v[u].x, s * v[u].y);
  });
  watch.stop(cycles);
}

}  // namespace gpu_probe

GPU_PROBE_WALK(probe_scale, double s, const double2* from, double2* to) {
  gpu_probe::scale(items, passes, s, from, to, cycles);
}

/// In place; with s = -1 the values keep their size however often it runs.
GPU_PROBE_WALK(probe_update, double s, double2* a) {
  gpu_probe::scale(items, passes, s, a, a, cycles);
}

GPU_PROBE_WALK(probe_triad, double s, const double2* b, const double2* c, double2* a) {
  using namespace gpu_probe;
  const Stopwatch watch;
  walk<stream_items_per_thread>(items, passes, [&](long long i, long long threads, long long) {
    double2 v[stream_items_per_thread], w[stream_items_per_thread];
    GPU_PROBE_EACH (u, stream_items_per_thread) {
      v[u] = __ldcg(b + i + u * threads);
      w[u] = __ldcg(c + i + u * threads);
    }
    GPU_PROBE_EACH (u, stream_items_per_thread)
      a[i + u * threads] = make_double2(v[u].x + s * w[u].x, v[u].y + s * w[u].y);
  });
  watch.stop(cycles);
}

/// One word of 8 bytes from every `stride` words.
ROOFTUNE_KERNEL __launch_bounds__(512, 1)
    probe_strided_load(long long words, long long stride, long long passes, const long long* from,
                       unsigned* results, long long* cycles) {
  using namespace gpu_probe;
  const Stopwatch watch;
  unsigned long long sum = 0;
  walk<items_per_thread>(words, passes, [&](long long i, long long threads, long long) {
    long long v[items_per_thread];
    GPU_PROBE_EACH (u, items_per_thread) v[u] = word_load(from + (i + u * threads) * stride);
    GPU_PROBE_EACH (u, items_per_thread) sum += static_cast<unsigned long long>(v[u]);
  });
  results[thread_number()] = static_cast<unsigned>(sum);
  watch.stop(cycles);
}

/// Words of 8 bytes at places drawn by a generator; words is a power of two.
ROOFTUNE_KERNEL __launch_bounds__(512, 1)
    probe_random_load(long long words, long long loads, const long long* from, unsigned* results,
                      long long* cycles) {
  using namespace gpu_probe;
  const Stopwatch watch;
  const unsigned long long mask = static_cast<unsigned long long>(words - 1);
  unsigned long long state =
      static_cast<unsigned long long>(thread_number()) * 0x9e3779b97f4a7c15ull;
  unsigned long long sum = 0;
  for (long long load = 0; load < loads; load += items_per_thread) {
    long long v[items_per_thread];
    GPU_PROBE_EACH (u, items_per_thread) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      v[u] = word_load(from + ((state >> 33) & mask));
    }
    GPU_PROBE_EACH (u, items_per_thread) sum += static_cast<unsigned long long>(v[u]);
  }
  results[thread_number()] = static_cast<unsigned>(sum);
  watch.stop(cycles);
}

// One thread follows links: each load waits for the one before. The next launch goes on where this
// one ends (the second word of the first line): a short walk made again would stay in a cache.

#define GPU_PROBE_CHASE(name, load)                                                  \
  ROOFTUNE_KERNEL __launch_bounds__(32, 1)                                           \
      name(long long steps, unsigned* links, unsigned* results, long long* cycles) { \
    const gpu_probe::Stopwatch watch;                                                \
    unsigned at = links[1];                                                          \
    for (long long step = 0; step < steps; ++step) at = gpu_probe::load(links + at); \
    results[0] = links[1] = at;                                                      \
    watch.stop(cycles);                                                              \
  }
GPU_PROBE_CHASE(probe_chase, link_far)
GPU_PROBE_CHASE(probe_near_chase, link_near)

/// Cost of a launch without work.
ROOFTUNE_KERNEL __launch_bounds__(32, 1) probe_nothing(int) {}
