// Two-point average in CUDA: both summands loaded, or the second one taken from the next lane or
// from a tile in shared memory.
// The caller provides n + shift elements in x and n in y; they do not overlap.
#include "body.h"
#include "rooftune/cuda_tile.h"

namespace finite_difference_cuda {

using rooftune::CudaItem;
using rooftune::Int64;

struct Average {
  struct Loaded {
    CudaItem here, beyond;
  };
  Int64 n, shift;
  double a;
  const double* x;
  double* y;

  __device__ __forceinline__ double value(double here, double beyond) const {
    return finite_difference_body::averaged<KNOB_FORM == KNOB_FORM_FACTORED>(a, here, beyond);
  }
  __device__ __forceinline__ void element(Int64 i) const { y[i] = value(x[i], x[i + shift]); }

  __device__ __forceinline__ CudaItem item(Int64 i) const {
    return rooftune::load_hinted(reinterpret_cast<const CudaItem*>(x) + i);
  }

  /// The second summand of item i, wherever its bytes lie.
  __device__ __forceinline__ CudaItem reloaded(Int64 i) const {
    const double* const p = x + i * KNOB_VECTOR + shift;
#if KNOB_VECTOR == 2
    if (shift % 2 == 0) return rooftune::load_hinted(reinterpret_cast<const double2*>(p));
    return make_double2(rooftune::load_hinted(p), rooftune::load_hinted(p + 1));
#else
    return rooftune::load_hinted(p);
#endif
  }

  /// For shift 1: from the next lane, where that lane has the next item. Every lane of the warp
  /// comes here.
  __device__ __forceinline__ CudaItem shuffled(Int64 i, const CudaItem& here, bool inside) const {
    const bool last = threadIdx.x % rooftune::warp_threads == rooftune::warp_threads - 1 ||
                      i + 1 >= n / KNOB_VECTOR;
#if KNOB_VECTOR == 2
    double next = rooftune::shuffle_down(here.x, 1);
    if (last && inside) next = rooftune::load_hinted(x + 2 * i + 2);
    return make_double2(here.y, next);
#else
    double next = rooftune::shuffle_down(here, 1);
    if (last && inside) next = rooftune::load_hinted(x + i + 1);
    return next;
#endif
  }

  __device__ __forceinline__ Loaded load(Int64 i, bool inside) const {
    Loaded loaded = {};
    if (inside) loaded.here = item(i);
#if KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE
    loaded.beyond = shuffled(i, loaded.here, inside);
#else
    if (inside) loaded.beyond = reloaded(i);
#endif
    return loaded;
  }

  __device__ __forceinline__ void finish(Int64 i, const Loaded& l) const {
#if KNOB_VECTOR == 2
    const CudaItem result = make_double2(value(l.here.x, l.beyond.x), value(l.here.y, l.beyond.y));
#else
    const CudaItem result = value(l.here, l.beyond);
#endif
    rooftune::store_hinted(reinterpret_cast<CudaItem*>(y) + i, result);
  }
};

/// Elements of one block's tile.
constexpr Int64 tile = rooftune::items_of_block * KNOB_VECTOR;

#if KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHARED
/// x of a tile with the elements beyond it, in shared memory.
__device__ __forceinline__ void walk_tiles(const Average& average) {
  ROOFTUNE_DYNAMIC_SHARED(double, shared);
  const Int64 n = average.n, shift = average.shift;
  for (Int64 start = blockIdx.x * tile; start < n; start += gridDim.x * tile) {
    const Int64 count = start + tile < n ? tile : n - start;
    rooftune::fetch_tile(shared, average.x + start, count + shift);
    __syncthreads();
#pragma unroll rooftune::unrolled_items
    for (Int64 i = Int64{threadIdx.x} * KNOB_VECTOR; i < count; i += KNOB_BLOCK * KNOB_VECTOR) {
#if KNOB_VECTOR == 2
      if (i + 1 < count) {
        const double2 here = *reinterpret_cast<const double2*>(shared + i);
        const double2 beyond = make_double2(shared[i + shift], shared[i + shift + 1]);
        average.finish((start + i) / 2, {here, beyond});
        continue;
      }
#endif
      average.y[start + i] = average.value(shared[i], shared[i + shift]);
    }
    __syncthreads();
  }
}
#endif

}  // namespace finite_difference_cuda

ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    finite_difference_items(rooftune::Int64 n, rooftune::Int64 shift, double a,
                            const double* __restrict__ x, double* __restrict__ y) {
  const finite_difference_cuda::Average average{n, shift, a, x, y};
#if KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHARED
  finite_difference_cuda::walk_tiles(average);
#else
  rooftune::walk_items(n / KNOB_VECTOR, average);
  rooftune::walk_rest(n, average);
#endif
}

#if ROOFTUNE_HOST

static rooftune::DeviceBuffer<double> x_on_card, y_on_card;

void finite_difference_prepare(std::int64_t n, std::int64_t shift, double, const double* x,
                               double* y) {
  x_on_card.use_in(x, n + shift);
  y_on_card.use_out(y, n);
}

void finite_difference(std::int64_t n, std::int64_t shift, double a, const double*, double*) {
  const std::int64_t shared =
      KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHARED ? (finite_difference_cuda::tile + shift) * 8 : 0;
  ROOFTUNE_LAUNCH(finite_difference_items,
                  ROOFTUNE_WALKING_BLOCKS(finite_difference_items, n, shared), KNOB_BLOCK, shared,
                  n, shift, a, x_on_card.data(), y_on_card.data());
}

void finite_difference_finish(std::int64_t n, std::int64_t, double, const double*, double* y) {
  y_on_card.copy_out(y, n);
}

#endif
