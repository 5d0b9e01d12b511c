// Particles put in the order of their keys by counting, several threads at a time.
// The caller keeps `begin` and the memory of the particles as long as the order is used.
#pragma once
#include <omp.h>

#include "particles.h"
#include "tiling.h"

namespace pic_deposit_kernel {

template <int Order>
int64_t key_of(const Keys& key, const CallerParticles& p, int64_t n) {
  return key(first_node<Order>(p.of[at_x][n]), first_node<Order>(p.of[at_y][n]),
             first_node<Order>(p.of[at_z][n]));
}

/// Elements that sort() needs at `count`: one more per thread than there are keys, and tables.
inline int64_t count_size(const Tiling& t, int threads) {
  return (t.keys() + 1) * threads + table_size(t);
}

/// Writes the particles in order to `memory`; returns where each key begins, and the end.
/// `count` has count_size() elements.
template <int Order>
const int64_t* sort(const Tiling& t, const CallerParticles& p, double* memory, int64_t* count) {
  const Keys key = keys(t, count + count_size(t, omp_get_max_threads()) - table_size(t));
  const int64_t last = t.keys(), stride = last + 1;
  const Store layout = own_store(memory, p.count);
  int threads = 1;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    const int me = omp_get_thread_num();
    int64_t* const mine = count + me * stride;
    const int64_t from = p.count * me / threads, to = p.count * (me + 1) / threads;
    for (int64_t k = 0; k <= last; ++k) mine[k] = 0;
    for (int64_t n = from; n < to; ++n) ++mine[key_of<Order>(key, p, n)];
#pragma omp barrier
#pragma omp single
    {
      int64_t sum = 0;
      for (int64_t k = 0; k <= last; ++k)
        for (int thread = 0; thread < threads; ++thread) {
          const int64_t these = count[thread * stride + k];
          count[thread * stride + k] = sum;
          sum += these;
        }
    }
    for (int64_t n = from; n < to; ++n)
      put_particle(p, n, layout, memory, mine[key_of<Order>(key, p, n)]++);
    if (KNOB_NT_STORE) rooftune::stream_fence();
  }
  // The last thread's counters have moved to where the next keys begin: shift them back.
  int64_t* const begin = count;
  const int64_t* const end = count + (threads - 1) * stride;
  for (int64_t k = last; k > 0; --k) begin[k] = end[k - 1];
  begin[0] = 0;
  return begin;
}

}  // namespace pic_deposit_kernel
