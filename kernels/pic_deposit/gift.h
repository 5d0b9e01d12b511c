// What one particle gives to the nodes around it, for the back ends of GPUs.
// The caller provides a source p with p(q, n), quantity q of particle n, at 0 <= x < nx and so on.
#pragma once
#include "tiling.h"

namespace pic_deposit_kernel {

using rooftune::Int64;

constexpr int moments = 4;  ///< charge and three components of current
enum Quantity { at_x, at_y, at_z, at_vx, at_vy, at_vz, at_w, quantity_count };

struct Box {
  Int64 nx, ny, nz;
  ROOFTUNE_FUNCTION Int64 nodes() const { return nx * ny * nz; }
};

/// wrapped() for nodes that a particle touches, two periods beyond at most, where a box has one
/// cell. A compiler for cards would make a division of a loop.
ROOFTUNE_FUNCTION Int64 node_in(Int64 n, Int64 node) {
  if (node < 0) node += n;
  if (node >= n) node -= n;
  return node >= n ? node - n : node;
}

/// Seven arrays.
struct Particles {
  const double* of[quantity_count];
  Int64 count;
  ROOFTUNE_FUNCTION double operator()(int q, Int64 n) const { return of[q][n]; }
};

/// A particle's first nodes, counted from lowest<Order>, its shares along the axes, its moments.
template <int Order>
struct Gift {
  static constexpr int s = support<Order>;
  rooftune::Int32 first[3];
  double w[3][s], m[moments];

  template <class Source>
  ROOFTUNE_FUNCTION Gift(const Source& p, Int64 n) {
    for (int axis = 0; axis < 3; ++axis) {
      const double x = p(axis, n);
      first[axis] = first_node<Order>(x);
      weights(distance(x, first[axis]), w[axis]);
    }
    m[0] = p(at_w, n);
    for (int k = 1; k < moments; ++k) m[k] = m[0] * p(at_vx + k - 1, n);
  }
  /// Calls add(node, moment, value) for all nodes x[a] + y[b] + z[c].
  template <class Add>
  ROOFTUNE_FUNCTION void spread(const Int64 (&x)[s], const Int64 (&y)[s], const Int64 (&z)[s],
                                const Add& add) const {
    ROOFTUNE_UNROLL
    for (int row = 0; row < s * s; ++row) {
      const double share = w[1][row % s] * w[2][row / s];
      const Int64 start = y[row % s] + z[row / s];
      ROOFTUNE_UNROLL
      for (int a = 0; a < s; ++a) {
        ROOFTUNE_UNROLL
        for (int k = 0; k < moments; ++k) add(x[a] + start, k, w[0][a] * share * m[k]);
      }
    }
  }
};

/// Offsets of the nodes first + 0, 1, ... of the periodic box.
template <int Order>
ROOFTUNE_FUNCTION void periodic_offsets(const Box& box, const rooftune::Int32 (&first)[3],
                                        Int64 (&x)[Order + 1], Int64 (&y)[Order + 1],
                                        Int64 (&z)[Order + 1]) {
  for (int a = 0; a <= Order; ++a) {
    x[a] = node_in(box.nx, first[0] + a + lowest<Order>);
    y[a] = node_in(box.ny, first[1] + a + lowest<Order>) * box.nx;
    z[a] = node_in(box.nz, first[2] + a + lowest<Order>) * box.ny * box.nx;
  }
}

/// The nodes of a tile by themselves, as many as those of the largest one has.
struct TileNodes {
  Tiling t;
  Int64 row, plane, size;

  ROOFTUNE_FUNCTION Int64 x(Int64 tile) const { return t.x.from(tile % t.x.count); }
  ROOFTUNE_FUNCTION Int64 y(Int64 tile) const { return t.y.from(tile / t.x.count % t.y.count); }
  ROOFTUNE_FUNCTION Int64 z(Int64 tile) const { return t.z.from(tile / t.x.count / t.y.count); }
  /// Node of the box that is node n of a tile.
  template <int Order>
  ROOFTUNE_FUNCTION Int64 in_box(const Box& box, Int64 tile, Int64 n) const {
    const Int64 ix = wrapped(x(tile) + n % row + lowest<Order>, box.nx),
                iy = wrapped(y(tile) + n % plane / row + lowest<Order>, box.ny),
                iz = wrapped(z(tile) + n / plane + lowest<Order>, box.nz);
    return (iz * box.ny + iy) * box.nx + ix;
  }
  /// Offsets of the nodes first + 0, 1, ... in a tile.
  template <int Order>
  ROOFTUNE_FUNCTION void offsets(Int64 tile, const rooftune::Int32 (&first)[3],
                                 Int64 (&nx)[Order + 1], Int64 (&ny)[Order + 1],
                                 Int64 (&nz)[Order + 1]) const {
    for (int a = 0; a <= Order; ++a) {
      nx[a] = first[0] + a - x(tile);
      ny[a] = (first[1] + a - y(tile)) * row;
      nz[a] = (first[2] + a - z(tile)) * plane;
    }
  }
};

template <int Order>
ROOFTUNE_FUNCTION TileNodes tile_nodes(const Box& box) {
  const Tiling t = tiling<Order>(box.nx, box.ny, box.nz);
  const Int64 row = t.x.longest() + Order, plane = row * (t.y.longest() + Order);
  return {t, row, plane, plane * (t.z.longest() + Order)};
}

}  // namespace pic_deposit_kernel
