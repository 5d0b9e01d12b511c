// STREAM triad in CUDA: items of one or two doubles, one step per block or a persistent grid,
// through registers or fetched ahead into shared memory.
// The caller provides n elements in each array; a overlaps neither b nor c.
#include "body.h"
#include "rooftune/cuda_pairs.h"

namespace triad_cuda {

struct Triad {
  static constexpr bool updates = false;
  double s;
  const double *first, *second;
  double* target;

  __device__ __forceinline__ double value(double b, double c) const {
    return triad_body::value(b, s, c);
  }
};

}  // namespace triad_cuda

ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    triad_items(rooftune::Int64 n, double s, const double* __restrict__ b,
                const double* __restrict__ c, double* __restrict__ a) {
  rooftune::walk_pairs(n, triad_cuda::Triad{s, b, c, a});
}

#if ROOFTUNE_HOST

static rooftune::DeviceBuffer<double> b_on_card, c_on_card, a_on_card;

void triad_prepare(std::int64_t n, double, const double* b, const double* c, double* a) {
  b_on_card.use_in(b, n);
  c_on_card.use_in(c, n);
  a_on_card.use_out(a, n);
}

void triad(std::int64_t n, double s, const double*, const double*, double*) {
  constexpr std::int64_t shared = rooftune::pairs_shared_bytes;
  ROOFTUNE_LAUNCH(triad_items, ROOFTUNE_WALKING_BLOCKS(triad_items, n, shared), KNOB_BLOCK, shared,
                  n, s, b_on_card.data(), c_on_card.data(), a_on_card.data());
}

void triad_finish(std::int64_t n, double, const double*, const double*, double* a) {
  a_on_card.copy_out(a, n);
}

#endif
