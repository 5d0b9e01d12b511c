// One-dimensional diffusion for OpenMP: with every knob at its default, the two loops that
// everybody writes first. The caller provides n elements in x; `shift` points at either end are
// boundary values and stay as they are.
#include <cstdint>

#include "fused.h"
#include "line.h"
#include "rooftune/kept.h"
#include "rooftune/scratch.h"
#include "rooftune/strips.h"

struct State {
  rooftune::Scratch scratch;
};
static rooftune::Kept<State> kept;

static double* second_field(std::int64_t n) {
  constexpr std::int64_t offset = KNOB_SCRATCH_OFFSET / 8;
  return kept->scratch.reserve(n + offset, KNOB_SCRATCH_HUGE_PAGES) + offset;
}

static void step(std::int64_t n, const Stencil& s, const double* x, double* y) {
  if constexpr (!written_out && !KNOB_NT_STORE && KNOB_BLOCK == 0) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = s.shift; i < n - s.shift; ++i)
      y[i] = point(s, x[i - s.shift], x[i], x[i + s.shift]);
  } else {
    rooftune::for_strips(s.shift, n - s.shift, KNOB_BLOCK, [=](std::int64_t from, std::int64_t to) {
      update_line<KNOB_NT_STORE>(s, x + from, y + from, to - from);
    });
  }
}

static void copy(std::int64_t n, std::int64_t shift, const double* x, double* y) {
  if constexpr (!written_out && !KNOB_NT_STORE && KNOB_BLOCK == 0) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = shift; i < n - shift; ++i) y[i] = x[i];
  } else {
    rooftune::for_strips(shift, n - shift, KNOB_BLOCK, [=](std::int64_t from, std::int64_t to) {
      copy_line<KNOB_NT_STORE>(x + from, y + from, to - from);
    });
  }
}

static void run_copy_back(std::int64_t n, std::int64_t steps, const Stencil& s, double* x) {
  double* const y = second_field(n);
  for (std::int64_t t = 0; t < steps; ++t) {
    step(n, s, x, y);
    copy(n, s.shift, y, x);
  }
}

static void run_swap(std::int64_t n, std::int64_t steps, const Stencil& s, double* x) {
  double *now = x, *next = second_field(n);
  for (std::int64_t i = 0; i < s.shift; ++i) {
    next[i] = x[i];
    next[n - 1 - i] = x[n - 1 - i];
  }
  for (std::int64_t t = 0; t < steps; ++t) {
    step(n, s, now, next);
    double* const swapped = now;
    now = next;
    next = swapped;
  }
  if (now != x) copy(n, s.shift, now, x);
}

static void run_in_place(std::int64_t n, std::int64_t steps, const Stencil& s, double* x) {
  // Old values are kept in registers, which hold the nearest neighbour only.
  if (s.shift != 1) return run_swap(n, steps, s, x);
  const rooftune::Strips strips = rooftune::strips(1, n - 1, KNOB_BLOCK);
  double* const ends = kept->scratch.reserve(2 * strips.count());
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
void diffusion_prepare(std::int64_t n, std::int64_t, std::int64_t, double, double, double*) {
  if (KNOB_STAGING == KNOB_STAGING_COPY_BACK || KNOB_STAGING == KNOB_STAGING_SWAP) second_field(n);
}

void diffusion(std::int64_t n, std::int64_t steps, std::int64_t shift, double alpha, double beta,
               double* x) {
  if (n <= 2 * shift) return;
  const Stencil s{alpha, beta, shift};
  if constexpr (KNOB_STAGING == KNOB_STAGING_COPY_BACK) run_copy_back(n, steps, s, x);
  if constexpr (KNOB_STAGING == KNOB_STAGING_SWAP) run_swap(n, steps, s, x);
  if constexpr (KNOB_STAGING == KNOB_STAGING_IN_PLACE) run_in_place(n, steps, s, x);
  if constexpr (KNOB_STAGING == KNOB_STAGING_FUSED) run_fused(n, steps, s, x);
}
