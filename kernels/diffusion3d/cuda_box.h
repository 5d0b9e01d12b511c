// The box of three-dimensional diffusion as a GPU thread sees it: where neighbours lie in memory,
// strips of one or two points in x, and which tile a block has.
// The caller provides fields whose rows start at multiples of a strip.
#pragma once
#include "body.h"
#include "rooftune/cuda_hints.h"

namespace diffusion3d_cuda {

using rooftune::Int64;

/// Points, and how far neighbours in y and z lie apart in memory.
struct Box {
  Int64 nx, ny, nz;
  Int64 row, plane;
  double alpha, beta;
};

__device__ __forceinline__ double stepped(const Box& box, double here, double left, double right,
                                          double south, double north, double below, double above) {
  return diffusion3d_body::stepped<KNOB_FORM == KNOB_FORM_FACTORED>(
      box.alpha, box.beta, here, left, right, south, north, below, above);
}

constexpr rooftune::Load loads = KNOB_LOADS == KNOB_LOADS_READ_ONLY ? rooftune::Load::read_only
                                 : KNOB_LOADS == KNOB_LOADS_L2      ? rooftune::Load::l2
                                                                    : rooftune::Load::plain;
constexpr rooftune::Store stores =
    KNOB_STORES == KNOB_STORES_STREAMING ? rooftune::Store::streaming : rooftune::Store::plain;
constexpr int width = KNOB_VECTOR;
constexpr int rows = KNOB_ROWS;
constexpr bool shuffled = KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE;

/// Neighbours in x that one thread has.
struct Strip {
  double v[width];
};

__device__ __forceinline__ Strip load_strip(const double* p) {
#if KNOB_VECTOR == 2
  const double2 both = rooftune::load<loads>(reinterpret_cast<const double2*>(p));
  return {{both.x, both.y}};
#else
  return {{rooftune::load<loads>(p)}};
#endif
}

/// The points of the strip whose bits are set.
__device__ __forceinline__ void store_strip(double* p, const Strip& strip, unsigned bits) {
#if KNOB_VECTOR == 2
  if ((bits & 3u) == 3u) {
    rooftune::store<stores>(reinterpret_cast<double2*>(p), make_double2(strip.v[0], strip.v[1]));
    return;
  }
  if (bits & 2u) rooftune::store<stores>(p + 1, strip.v[1]);
#endif
  if (bits & 1u) rooftune::store<stores>(p, strip.v[0]);
}

/// The points to the left of a strip, and to the right: the strip itself moved by one point.
__device__ __forceinline__ Strip moved_right(double left, const Strip& s) {
  Strip result;
  result.v[0] = left;
  if (width > 1) result.v[width - 1] = s.v[0];
  return result;
}
__device__ __forceinline__ Strip moved_left(const Strip& s, double right) {
  Strip result;
  result.v[width - 1] = right;
  if (width > 1) result.v[0] = s.v[width - 1];
  return result;
}

/// Strips of one thread in a plane, one above the other.
struct Patch {
  Strip row[rows];
};

/// One bit per point of a patch, strip after strip: those for which `low_x` <= x < `high_x` and so
/// for y.
__device__ __forceinline__ unsigned points_in(Int64 x, Int64 y, Int64 low_x, Int64 high_x,
                                              Int64 low_y, Int64 high_y) {
  unsigned bits = 0;
#pragma unroll
  for (int j = 0; j < rows; ++j)
#pragma unroll
    for (int k = 0; k < width; ++k)
      if (x + k >= low_x && x + k < high_x && y + j >= low_y && y + j < high_y)
        bits |= 1u << (j * width + k);
  return bits;
}
__device__ __forceinline__ unsigned bits_of_row(unsigned bits, int j) {
  return bits >> (j * width) & ((1u << width) - 1);
}

/// Numbers of tiles in each direction, and what one tile takes.
struct Tiles {
  unsigned x, y, z;
  Int64 march;  ///< planes
};

/// The tile of this block.
struct Place {
  Int64 x, y, z;
};
__device__ __forceinline__ Place place_of(const Tiles& tiles, unsigned block) {
#if KNOB_ORDER == KNOB_ORDER_Z_FIRST
  const unsigned z = block % tiles.z, rest = block / tiles.z;
  return {rest % tiles.x, rest / tiles.x, z};
#else
  const unsigned x = block % tiles.x, rest = block / tiles.x;
  return {x, rest % tiles.y, rest / tiles.y};
#endif
}

}  // namespace diffusion3d_cuda
