// Explicit Euler step y = y + a x in CUDA: items of one or two doubles, one step per block or a
// persistent grid, through registers or fetched ahead into shared memory.
// The caller provides n elements in each array; y does not overlap x.
#include "body.h"
#include "rooftune/cuda_pairs.h"

namespace euler_cuda {

struct Euler {
  static constexpr bool updates = true;
  double a;
  const double *first, *second;
  double* target;

  __device__ __forceinline__ double value(double x, double y) const {
    return euler_body::stepped(a, x, y);
  }
};

}  // namespace euler_cuda

ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    euler_items(rooftune::Int64 n, double a, const double* __restrict__ x, double* y) {
  rooftune::walk_pairs(n, euler_cuda::Euler{a, x, y, y});
}

#if ROOFTUNE_HOST

static rooftune::DeviceBuffer<double> x_on_card, y_on_card;

void euler_prepare(std::int64_t n, double, const double* x, double* y) {
  x_on_card.use_in(x, n);
  y_on_card.use_in(y, n);
}

void euler(std::int64_t n, double a, const double*, double*) {
  constexpr std::int64_t shared = rooftune::pairs_shared_bytes;
  ROOFTUNE_LAUNCH(euler_items, ROOFTUNE_WALKING_BLOCKS(euler_items, n, shared), KNOB_BLOCK, shared,
                  n, a, x_on_card.data(), y_on_card.data());
}

void euler_finish(std::int64_t n, double, const double*, double* y) { y_on_card.copy_out(y, n); }

#endif
