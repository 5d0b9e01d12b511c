// Three-dimensional diffusion for OpenMP: with every knob at its default, planes shared among
// threads, two fields. The caller provides nx ny nz elements, x fastest; the outermost layer stays
// as it is.
#include <omp.h>

#include <cstdint>

#include "field.h"
#include "folded.h"
#include "fused.h"
#include "rooftune/kept.h"
#include "rooftune/scratch.h"
#include "swept.h"

constexpr bool own_layout = KNOB_LAYOUT == KNOB_LAYOUT_OWN;
constexpr bool fuses = KNOB_STAGING == KNOB_STAGING_FUSED;
constexpr bool folds = KNOB_STAGING == KNOB_STAGING_FOLDED;

struct State {
  rooftune::Scratch first_memory, second_memory, ring_memory;
  double* current = nullptr;  ///< own layout: the field of the present time ...
  double* other = nullptr;    ///< ... and the one that the next pass writes
};
static rooftune::Kept<State> kept;

static Box box_of(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  return own_layout ? padded(nx, ny, nz, KNOB_PAD) : packed(nx, ny, nz);
}

/// Seven elements in, so that the first inner point of a padded row starts a cache line.
static double* field(rooftune::Scratch& memory, const Box& box, std::int64_t more = 0) {
  return memory.reserve(box.size() + 8 + more, KNOB_SCRATCH_HUGE_PAGES) + 7 + more;
}
static double* second_field(const Box& box) {
  return field(kept->second_memory, box, KNOB_SCRATCH_OFFSET / 8);
}

static double* rings(const Box& box) {
  const std::int64_t threads = omp_get_max_threads();
  if (fuses)
    return kept->ring_memory.reserve(threads * fused::ring_size(box), KNOB_SCRATCH_HUGE_PAGES);
  return folds
             ? kept->ring_memory.reserve(folded::memory_size(box, threads), KNOB_SCRATCH_HUGE_PAGES)
             : nullptr;
}

/// Passes over memory for all steps. Fused without a layout of its own an even number, so that the
/// result lies in the caller's field again; a single step has to be copied.
static std::int64_t passes(std::int64_t steps) {
  if (!fuses && !folds) return steps;
  const std::int64_t least = (steps + KNOB_TIME_BLOCK - 1) / KNOB_TIME_BLOCK;
  return fuses && !own_layout && least % 2 == 1 && least < steps ? least + 1 : least;
}

static std::int64_t steps_of(std::int64_t pass, std::int64_t count, std::int64_t steps) {
  return steps * (pass + 1) / count - steps * pass / count;
}

/// Folding takes two steps or more: where the call leaves a single one, it needs a second field.
static bool needs_second(std::int64_t steps) {
  if (!folds) return true;
  const std::int64_t count = passes(steps);
  for (std::int64_t p = 0; p < count; ++p)
    if (steps_of(p, count, steps) == 1) return true;
  return false;
}

static void fold(const Box& box, const Stencil& s, std::int64_t steps, double* u, double* second) {
  if (steps > 1) return folded::pass(box, s, steps, u, rings(box));
  swept::step(box, s, u, second);
  copy_box(box, second, box, u);
}

/// Returns the field that holds the result: `now` or `next`.
static double* run(const Box& box, const Stencil& s, std::int64_t steps, double* now,
                   double* next) {
  const std::int64_t count = passes(steps);
  for (std::int64_t p = 0; p < count; ++p) {
    if constexpr (folds) {
      fold(box, s, steps_of(p, count, steps), now, next);
      continue;
    }
    if constexpr (fuses)
      fused::pass(box, s, steps_of(p, count, steps), now, next, rings(box));
    else
      swept::step(box, s, now, next);
    double* const swapped = now;
    now = next;
    next = swapped;
  }
  return now;
}

/// Fields and rings are an application's to allocate once: not part of the time.
void diffusion3d_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps,
                         double, double, double* u) {
  const Box box = box_of(nx, ny, nz);
  rings(box);
  kept->other = needs_second(steps) ? second_field(box) : nullptr;
  if (!own_layout) return;
  kept->current = field(kept->first_memory, box);
  copy_box(packed(nx, ny, nz), u, box, kept->current);
  if (kept->other) copy_boundary(box, kept->current, kept->other);
}

void diffusion3d(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps,
                 double alpha, double beta, double* u) {
  const Box box = box_of(nx, ny, nz);
  if (!box.has_inner_points()) return;
  const Stencil s{alpha, beta};
  if (own_layout) {
    double* const result = run(box, s, steps, kept->current, kept->other);
    if (result != kept->current) kept->other = kept->current;
    kept->current = result;
    return;
  }
  double* const second = needs_second(steps) ? second_field(box) : nullptr;
  if (second) copy_boundary(box, u, second);
  if (run(box, s, steps, u, second) != u) copy_box(box, second, box, u);
}

void diffusion3d_finish(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t, double,
                        double, double* u) {
  if (own_layout) copy_box(box_of(nx, ny, nz), kept->current, packed(nx, ny, nz), u);
}
