// One time step of one-dimensional diffusion by a grid of threads, and the copy of a line.
// The caller provides n elements in each array; the outermost `shift` points keep their values.
#pragma once
#include "body.h"
#include "rooftune/cuda_items.h"

namespace diffusion_cuda {

using rooftune::CudaItem;
using rooftune::Int64;

constexpr diffusion_body::Form form =
    KNOB_FORM == KNOB_FORM_FACTORED     ? diffusion_body::Form::factored
    : KNOB_FORM == KNOB_FORM_DIFFERENCE ? diffusion_body::Form::difference
                                        : diffusion_body::Form::distributed;

/// All that a step needs to know.
struct Line {
  Int64 n, shift;
  double alpha, beta;

  __device__ __forceinline__ bool inner(Int64 i) const { return i >= shift && i < n - shift; }
  __device__ __forceinline__ double stepped(double left, double here, double right) const {
    return diffusion_body::stepped<form>(alpha, beta, left, here, right);
  }
};

/// y = the step of x; boundary values are copied.
struct Step {
  struct Loaded {
    CudaItem left, here, right;
  };
  Line line;
  const double* x;
  double* y;

  __device__ __forceinline__ static CudaItem item(const double* p) {
    return rooftune::load_hinted(reinterpret_cast<const CudaItem*>(p));
  }
  /// x[i] where that exists and is somebody's neighbour.
  __device__ __forceinline__ double neighbour(Int64 i, Int64 of) const {
    return line.inner(of) ? rooftune::load_hinted(x + i) : 0.0;
  }

#if KNOB_VECTOR == 2
  /// The points at distance `by` from points i and i + 1.
  __device__ __forceinline__ double2 beside(Int64 i, Int64 by) const {
    if (by % 2 == 0 && line.inner(i) && line.inner(i + 1)) return item(x + i + by);
    return make_double2(neighbour(i + by, i), neighbour(i + 1 + by, i + 1));
  }
  __device__ __forceinline__ void add_neighbours(Int64 k, bool inside, Loaded& l) const {
    const Int64 i = 2 * k;
#if KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE
    double before = rooftune::shuffle_up(l.here.y, 1);
    double next = rooftune::shuffle_down(l.here.x, 1);
    if (inside && threadIdx.x % rooftune::warp_threads == 0) before = neighbour(i - 1, i);
    if (inside && (threadIdx.x % rooftune::warp_threads == rooftune::warp_threads - 1 ||
                   i + 2 >= line.n / 2 * 2))
      next = neighbour(i + 2, i + 1);
    l.left = make_double2(before, l.here.x);
    l.right = make_double2(l.here.y, next);
#else
    if (!inside) return;
    if (line.shift == 1) {
      l.left = make_double2(neighbour(i - 1, i), l.here.x);
      l.right = make_double2(l.here.y, neighbour(i + 2, i + 1));
      return;
    }
    l.left = beside(i, -line.shift);
    l.right = beside(i, line.shift);
#endif
  }
#else
  __device__ __forceinline__ void add_neighbours(Int64 i, bool inside, Loaded& l) const {
#if KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE
    l.left = rooftune::shuffle_up(l.here, 1);
    l.right = rooftune::shuffle_down(l.here, 1);
    if (inside && threadIdx.x % rooftune::warp_threads == 0) l.left = neighbour(i - 1, i);
    if (inside && threadIdx.x % rooftune::warp_threads == rooftune::warp_threads - 1)
      l.right = neighbour(i + 1, i);
#else
    if (!inside) return;
    l.left = neighbour(i - line.shift, i);
    l.right = neighbour(i + line.shift, i);
#endif
  }
#endif

  __device__ __forceinline__ Loaded load(Int64 k, bool inside) const {
    Loaded l = {};
    if (inside) l.here = item(x + k * KNOB_VECTOR);
    add_neighbours(k, inside, l);
    return l;
  }

  __device__ __forceinline__ double value(Int64 i, double left, double here, double right) const {
    return line.inner(i) ? line.stepped(left, here, right) : here;
  }
  __device__ __forceinline__ void finish(Int64 k, const Loaded& l) const {
#if KNOB_VECTOR == 2
    const CudaItem result = make_double2(value(2 * k, l.left.x, l.here.x, l.right.x),
                                         value(2 * k + 1, l.left.y, l.here.y, l.right.y));
#else
    const CudaItem result = value(k, l.left, l.here, l.right);
#endif
    rooftune::store_hinted(reinterpret_cast<CudaItem*>(y) + k, result);
  }
  /// The last point of an odd number is boundary.
  __device__ __forceinline__ void element(Int64 i) const { y[i] = x[i]; }
};

/// y = x.
struct Copy {
  using Loaded = CudaItem;
  const double* x;
  double* y;

  __device__ __forceinline__ Loaded load(Int64 k, bool inside) const {
    return inside ? Step::item(x + k * KNOB_VECTOR) : Loaded{};
  }
  __device__ __forceinline__ void finish(Int64 k, const Loaded& value) const {
    rooftune::store_hinted(reinterpret_cast<CudaItem*>(y) + k, value);
  }
  __device__ __forceinline__ void element(Int64 i) const { y[i] = x[i]; }
};

}  // namespace diffusion_cuda
