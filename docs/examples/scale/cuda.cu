// y = s x in CUDA: some elements per thread, a block apart.
// The caller provides n elements in x and y, which do not overlap.
#include "rooftune/gpu.h"

ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    scale_items(rooftune::Int64 n, double s, const double* x, double* y) {
  constexpr rooftune::Int64 per_block = rooftune::Int64{KNOB_BLOCK} * KNOB_ITEMS;
  const rooftune::Int64 first = blockIdx.x * per_block + threadIdx.x;
#pragma unroll
  for (int item = 0; item < KNOB_ITEMS; ++item) {
    const rooftune::Int64 i = first + item * rooftune::Int64{KNOB_BLOCK};
    if (i < n) y[i] = s * x[i];
  }
}

#if ROOFTUNE_HOST

static rooftune::DeviceBuffer<double> x_on_card, y_on_card;

void scale_prepare(std::int64_t n, double, const double* x, double*) {
  x_on_card.copy_in(x, n);
  y_on_card.reserve(n);
}

void scale(std::int64_t n, double s, const double*, double*) {
  ROOFTUNE_LAUNCH(scale_items, rooftune::blocks_for(n, KNOB_BLOCK * KNOB_ITEMS), KNOB_BLOCK, 0, n,
                  s, x_on_card.data(), y_on_card.data());
}

void scale_finish(std::int64_t n, double, const double*, double* y) { y_on_card.copy_out(y, n); }

#endif
