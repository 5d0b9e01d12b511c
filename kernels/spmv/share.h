// How the threads share the rows, block rows or chunks of a layout.
// The caller keeps the number of units and their entries as they were when the shares were cut.
#pragma once
#include <omp.h>

#include <cstdint>

#include "array.h"
#include "knobs.h"

namespace spmv_kernel {

/// First unit whose entries start at or after `entry`; `position(u)` does not fall with u.
template <class Position>
inline std::int64_t first_unit(std::int64_t units, std::int64_t entry, const Position& position) {
  std::int64_t low = 0, high = units;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (position(middle) < entry)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Contiguous shares of units with about equal numbers of entries, one per thread.
struct Shares {
  Array<std::int64_t> bound;  ///< [count + 1]
  int count = 0;

  template <class Position>
  void cut(int threads, std::int64_t units, const Position& position) {
    bound.make(threads + 1);
    count = threads;
    const std::int64_t entries = position(units);
    for (int t = 0; t <= threads; ++t)
      bound[t] = t == threads ? units : first_unit(units, entries * t / threads, position);
  }
};

/// The loop schedule of the caller, as it was before the parallel region.
struct Schedule {
  bool contiguous = true;  ///< static without a chunk: one share per thread

  static Schedule now() {
    omp_sched_t kind;
    int chunk = 0;
    omp_get_schedule(&kind, &chunk);
    // The high bit says monotonic.
    const unsigned plain = static_cast<unsigned>(kind) & 0x7fffffffu;
    return {plain == static_cast<unsigned>(omp_sched_static) && chunk <= 0};
  }
};

/// Inside a parallel region: body(from, to) over this thread's units. `strip` units go together
/// when the schedule hands out pieces.
template <class Body>
inline void for_share(std::int64_t units, std::int64_t strip, const Shares& shares,
                      const Schedule& schedule, const Body& body) {
  const std::int64_t me = omp_get_thread_num(), team = omp_get_num_threads();
#if KNOB_SPLIT == KNOB_SPLIT_ROWS
  (void)shares;
  if (schedule.contiguous) {
    body(units * me / team, units * (me + 1) / team);
    return;
  }
  const std::int64_t strips = (units + strip - 1) / strip;
#pragma omp for schedule(runtime) nowait
  for (std::int64_t s = 0; s < strips; ++s) {
    const std::int64_t from = s * strip;
    body(from, from + strip < units ? from + strip : units);
  }
#else
  (void)units;
  (void)strip;
  (void)schedule;
  // The team may be smaller than it was when the shares were cut.
  for (std::int64_t t = me; t < shares.count; t += team) {
    if (shares.bound[t] < shares.bound[t + 1]) body(shares.bound[t], shares.bound[t + 1]);
  }
#endif
}

/// Fills a layout: by the threads that will use each part, or by the calling thread.
template <class Body>
inline void fill(std::int64_t units, const Shares& shares, const Body& body) {
#if KNOB_FIRST_TOUCH == KNOB_FIRST_TOUCH_OWNER
#pragma omp parallel
  for_share(units, 1, shares, Schedule{}, body);
#else
  (void)shares;
  body(0, units);
#endif
}

}  // namespace spmv_kernel
