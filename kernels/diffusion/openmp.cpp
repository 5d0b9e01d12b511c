// One-dimensional diffusion for OpenMP: with no knob set, the two loops that everybody writes
// first. The caller provides n elements in x; x_0 and x_{n-1} are boundary values and stay as they
// are.
#include <cstdint>

#ifndef KNOB_STAGING
#define KNOB_STAGING_COPY_BACK 0
#define KNOB_STAGING_SWAP 1
#define KNOB_STAGING_IN_PLACE 2
#define KNOB_STAGING_FUSED 3
#define KNOB_STAGING KNOB_STAGING_COPY_BACK
#endif
#ifndef KNOB_TIME_BLOCK
#define KNOB_TIME_BLOCK 4
#endif
#ifndef KNOB_BLOCK
#define KNOB_BLOCK 0
#endif
#ifndef KNOB_SIMD_WIDTH
#define KNOB_SIMD_WIDTH 0
#endif
#ifndef KNOB_UNROLL
#define KNOB_UNROLL 1
#endif
#ifndef KNOB_NT_STORE
#define KNOB_NT_STORE 0
#endif
#ifndef KNOB_PREFETCH
#define KNOB_PREFETCH 0
#endif
#ifndef KNOB_ALIGN_STORE
#define KNOB_ALIGN_STORE 0
#endif
#ifndef KNOB_SCRATCH_HUGE_PAGES
#define KNOB_SCRATCH_HUGE_PAGES 0
#endif
#ifndef KNOB_NEIGHBOUR
#define KNOB_NEIGHBOUR_RELOAD 0
#define KNOB_NEIGHBOUR_SHUFFLE 1
#define KNOB_NEIGHBOUR KNOB_NEIGHBOUR_RELOAD
#endif

#include "fused.h"
#include "line.h"
#include "rooftune/scratch.h"
#include "rooftune/strips.h"

static rooftune::Scratch scratch;

static double* second_field(std::int64_t n) { return scratch.reserve(n, KNOB_SCRATCH_HUGE_PAGES); }

static void step(std::int64_t n, const Stencil& s, const double* x, double* y) {
  if constexpr (!written_out && !KNOB_NT_STORE && KNOB_BLOCK == 0) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 1; i < n - 1; ++i) y[i] = s.alpha * x[i] + s.beta * (x[i - 1] + x[i + 1]);
  } else {
    rooftune::for_strips(1, n - 1, KNOB_BLOCK, [=](std::int64_t from, std::int64_t to) {
      update_line<KNOB_NT_STORE>(s, x + from, y + from, to - from);
    });
  }
}

static void copy(std::int64_t n, const double* x, double* y) {
  if constexpr (!written_out && !KNOB_NT_STORE && KNOB_BLOCK == 0) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 1; i < n - 1; ++i) y[i] = x[i];
  } else {
    rooftune::for_strips(1, n - 1, KNOB_BLOCK, [=](std::int64_t from, std::int64_t to) {
      copy_line<KNOB_NT_STORE>(x + from, y + from, to - from);
    });
  }
}

static void run_copy_back(std::int64_t n, std::int64_t steps, const Stencil& s, double* x) {
  double* const y = second_field(n);
  for (std::int64_t t = 0; t < steps; ++t) {
    step(n, s, x, y);
    copy(n, y, x);
  }
}

static void run_swap(std::int64_t n, std::int64_t steps, const Stencil& s, double* x) {
  double *now = x, *next = second_field(n);
  next[0] = x[0];
  next[n - 1] = x[n - 1];
  for (std::int64_t t = 0; t < steps; ++t) {
    step(n, s, now, next);
    double* const swapped = now;
    now = next;
    next = swapped;
  }
  if (now != x) copy(n, now, x);
}

static void run_in_place(std::int64_t n, std::int64_t steps, const Stencil& s, double* x) {
  const rooftune::Strips strips = rooftune::strips(1, n - 1, KNOB_BLOCK);
  double* const ends = scratch.reserve(2 * strips.count());
  for (std::int64_t t = 0; t < steps; ++t) {
    for (std::int64_t i = 0; i < strips.count(); ++i) {
      ends[2 * i] = x[strips.from(i) - 1];
      ends[2 * i + 1] = x[strips.to(i)];
    }
    rooftune::for_each(strips, [=](std::int64_t i, std::int64_t from, std::int64_t to) {
      update_in_place(s, x + from, to - from, ends[2 * i], ends[2 * i + 1]);
    });
  }
}

static void run_fused(std::int64_t n, std::int64_t steps, const Stencil& s, double* x) {
  for (std::int64_t done = 0; done < steps; done += fused::depth)
    fused::pass(n, steps - done < fused::depth ? steps - done : fused::depth, s, x);
}

/// The second field is the caller's to allocate in an application: not part of the time.
void diffusion_prepare(std::int64_t n, std::int64_t, double, double, double*) {
  if (KNOB_STAGING == KNOB_STAGING_COPY_BACK || KNOB_STAGING == KNOB_STAGING_SWAP) second_field(n);
}

void diffusion(std::int64_t n, std::int64_t steps, double alpha, double beta, double* x) {
  if (n < 3) return;
  const Stencil s{alpha, beta};
  if constexpr (KNOB_STAGING == KNOB_STAGING_COPY_BACK) run_copy_back(n, steps, s, x);
  if constexpr (KNOB_STAGING == KNOB_STAGING_SWAP) run_swap(n, steps, s, x);
  if constexpr (KNOB_STAGING == KNOB_STAGING_IN_PLACE) run_in_place(n, steps, s, x);
  if constexpr (KNOB_STAGING == KNOB_STAGING_FUSED) run_fused(n, steps, s, x);
}
