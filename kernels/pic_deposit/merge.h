// Buffers added to the periodic grid: a tile's, while others are added too, or the whole grids of
// all threads. The caller has set the grid to zero, except for whole grids.
#pragma once
#include "buffer.h"

namespace pic_deposit_kernel {

/// rho, jx, jy, jz of nz ny nx nodes.
struct Grid {
  double* of[moments];
  int64_t nx, ny, nz;

  int64_t row(int64_t y, int64_t z) const { return (z * ny + y) * nx; }
};

inline void clear(const Grid& g) {
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < g.nx * g.ny * g.nz; ++n)
    g.of[0][n] = g.of[1][n] = g.of[2][n] = g.of[3][n] = 0;
}

/// body(l, node, count): `count` consecutive nodes of a periodic axis, for all of the `length`
/// nodes from `start` on.
template <class Body>
void for_segments(int64_t start, int64_t length, int64_t n, const Body& body) {
  for (int64_t l = 0; l < length;) {
    const int64_t node = wrapped(start + l, n);
    const int64_t count = length - l < n - node ? length - l : n - node;
    body(l, node, count);
    l += count;
  }
}

/// Nodes [from, to) of a tile, counted within it, that no other tile touches.
struct Exclusive {
  int64_t from, to;
  bool holds(int64_t l) const { return from <= l && l < to; }
};
template <int Order>
Exclusive exclusive(const Axis& axis, int64_t length) {
  if (axis.count == 1) return {0, length + Order};
  // Quadratic shapes reach one node farther across the periodic edge.
  return Order == 1 ? Exclusive{1, length} : Exclusive{3, length - 1};
}

inline void add_atomically(double& to, double what) {
#pragma omp atomic
  to += what;
}

template <int Order>
void merge_tile(const Buffer<Order>& b, const Tiling& t, const Grid& g) {
  Buffer<Order> nodes = b;
  const int64_t row = b.ex + b.reach, plane = row * (b.ey + b.reach);
  if (in_cells) nodes.start = const_cast<double*>(join_cells(b));
  const Exclusive ix = exclusive<Order>(t.x, b.ex), iy = exclusive<Order>(t.y, b.ey),
                  iz = exclusive<Order>(t.z, b.ez);
  for (int64_t z = 0; z < b.ez + b.reach; ++z)
    for (int64_t y = 0; y < b.ey + b.reach; ++y) {
      const bool own_row = iz.holds(z) && iy.holds(y);
      const int64_t from = z * plane + y * row, to = g.row(wrapped(b.oy + y + lowest<Order>, g.ny),
                                                           wrapped(b.oz + z + lowest<Order>, g.nz));
      for_segments(b.ox + lowest<Order>, row, g.nx, [&](int64_t l, int64_t node, int64_t count) {
        for (int64_t k = 0; k < count; ++k)
          for (int m = 0; m < moments; ++m) {
            const double what = value(nodes, from + l + k, m);
            if (KNOB_MERGE == KNOB_MERGE_COLOUR || (own_row && ix.holds(l + k)))
              g.of[m][to + node + k] += what;
            else
              add_atomically(g.of[m][to + node + k], what);
          }
      });
    }
}

/// Plane z of the grid becomes the sum of the `count` whole grids that begin at first.start and lie
/// `stride` apart.
template <int Order>
void sum_plane(const Buffer<Order>& first, int count, int64_t stride, const Grid& g, int64_t z) {
  for (int m = 0; m < moments; ++m)
    for (int64_t n = g.row(0, z); n < g.row(0, z + 1); ++n) g.of[m][n] = 0;
  for (int64_t plane = 0; plane < first.ez + first.reach; ++plane) {
    if (wrapped(plane + lowest<Order>, g.nz) != z) continue;
    for (int64_t y = 0; y < first.ey + first.reach; ++y) {
      const int64_t from = plane * first.plane() + y * first.row(),
                    to = g.row(wrapped(y + lowest<Order>, g.ny), z);
      for (int thread = 0; thread < count; ++thread) {
        Buffer<Order> b = first;
        b.start += thread * stride;
        for_segments(lowest<Order>, first.row(), g.nx, [&](int64_t l, int64_t node, int64_t n) {
          for (int m = 0; m < moments; ++m)
            for (int64_t k = 0; k < n; ++k) g.of[m][to + node + k] += value(b, from + l + k, m);
        });
      }
    }
  }
}

}  // namespace pic_deposit_kernel
