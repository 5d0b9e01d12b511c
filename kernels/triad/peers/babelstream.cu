// The triad in the form of BabelStream's CUDA code: blocks of 1024 threads, one for each element.
#include "rooftune/gpu.h"

constexpr int babelstream_block = 1024;

ROOFTUNE_KERNEL __launch_bounds__(babelstream_block)
    babelstream_triad(rooftune::Int64 n, double s, const double* b, const double* c, double* a) {
  const rooftune::Int64 step = rooftune::Int64{gridDim.x} * blockDim.x;
  for (rooftune::Int64 i = rooftune::Int64{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    a[i] = b[i] + s * c[i];
}

#if ROOFTUNE_HOST

static rooftune::DeviceBuffer<double> b_on_card, c_on_card, a_on_card;

void triad_prepare(std::int64_t n, double, const double* b, const double* c, double*) {
  b_on_card.copy_in(b, n);
  c_on_card.copy_in(c, n);
  a_on_card.reserve(n);
}

void triad(std::int64_t n, double s, const double*, const double*, double*) {
  ROOFTUNE_LAUNCH(babelstream_triad, rooftune::blocks_for(n, babelstream_block), babelstream_block,
                  0, n, s, b_on_card.data(), c_on_card.data(), a_on_card.data());
}

void triad_finish(std::int64_t n, double, const double*, const double*, double* a) {
  a_on_card.copy_out(a, n);
}

#endif
