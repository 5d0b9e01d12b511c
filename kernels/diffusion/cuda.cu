// One-dimensional diffusion in CUDA: two launches, two fields that change roles, or several steps
// per launch in shared memory or registers.
// The caller provides n elements in x; `shift` points at either end are boundary values and stay as
// they are.
#include "cuda_fused.h"
#include "cuda_line.h"

#if KNOB_STAGING == KNOB_STAGING_FUSED
/// y = x after `steps` steps.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    diffusion_pass(rooftune::Int64 n, rooftune::Int64 steps, rooftune::Int64 shift, double alpha,
                   double beta, const double* __restrict__ x, double* __restrict__ y) {
  const diffusion_cuda::Line line{n, shift, alpha, beta};
#if KNOB_EXCHANGE == KNOB_EXCHANGE_REGISTERS
  diffusion_cuda::walk_windows(line, steps, x, y);
#else
  diffusion_cuda::walk_tiles(line, steps, x, y);
#endif
}
#else
/// y = x after one step.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    diffusion_step(rooftune::Int64 n, rooftune::Int64 shift, double alpha, double beta,
                   const double* __restrict__ x, double* __restrict__ y) {
  const diffusion_cuda::Step step{{n, shift, alpha, beta}, x, y};
  rooftune::walk_items(n / KNOB_VECTOR, step);
  rooftune::walk_rest(n, step);
}

#if KNOB_STAGING == KNOB_STAGING_COPY_BACK
/// y = x.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    diffusion_copy(rooftune::Int64 n, const double* __restrict__ x, double* __restrict__ y) {
  const diffusion_cuda::Copy copy{x, y};
  rooftune::walk_items(n / KNOB_VECTOR, copy);
  rooftune::walk_rest(n, copy);
}
#endif
#endif

#if ROOFTUNE_HOST

static rooftune::DeviceBuffer<double> first_field, second_field;
/// The field of the present time, and the other one.
static double *now, *next;

static void change_roles() {
  double* const stepped = next;
  next = now;
  now = stepped;
}

/// One launch, which takes at most `left` steps; how many it took.
static std::int64_t launch_steps(std::int64_t left, std::int64_t n, std::int64_t shift,
                                 double alpha, double beta) {
#if KNOB_STAGING == KNOB_STAGING_FUSED
  const std::int64_t taken = left < KNOB_TIME_BLOCK ? left : KNOB_TIME_BLOCK;
#if KNOB_EXCHANGE == KNOB_EXCHANGE_REGISTERS
  const std::int64_t shared = 0,
                     points = KNOB_BLOCK / rooftune::warp_threads * diffusion_cuda::window;
#else
  const std::int64_t shared = diffusion_cuda::tile_bytes(shift), points = diffusion_cuda::tile;
#endif
  ROOFTUNE_LAUNCH(diffusion_pass,
                  ROOFTUNE_COVERING_BLOCKS(diffusion_pass, rooftune::blocks_for(n, points), shared),
                  KNOB_BLOCK, shared, n, taken, shift, alpha, beta, now, next);
  return taken;
#else
  ROOFTUNE_LAUNCH(diffusion_step, ROOFTUNE_WALKING_BLOCKS(diffusion_step, n, 0), KNOB_BLOCK, 0, n,
                  shift, alpha, beta, now, next);
  return left < 1 ? left : 1;
#endif
}

void diffusion_prepare(std::int64_t n, std::int64_t, std::int64_t, double, double, double* x) {
  now = first_field.copy_in(x, n);
  // Boundary values, which no launch of some other size may leave behind.
  next = second_field.copy_in(x, n);
}

void diffusion(std::int64_t n, std::int64_t steps, std::int64_t shift, double alpha, double beta,
               double*) {
  if (n <= 2 * shift) return;
  for (std::int64_t done = 0; done < steps;) {
    done += launch_steps(steps - done, n, shift, alpha, beta);
#if KNOB_STAGING == KNOB_STAGING_COPY_BACK
    ROOFTUNE_LAUNCH(diffusion_copy, ROOFTUNE_WALKING_BLOCKS(diffusion_copy, n, 0), KNOB_BLOCK, 0, n,
                    next, now);
#else
    change_roles();
#endif
  }
}

void diffusion_finish(std::int64_t n, std::int64_t, std::int64_t, double, double, double* x) {
  (now == first_field.data() ? first_field : second_field).copy_out(x, n);
}

#endif
