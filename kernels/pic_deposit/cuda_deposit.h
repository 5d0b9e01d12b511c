// What a thread of the GPU does with its particles: adds each to the nodes around it, or keeps the
// sums of a cell in registers until a particle lies in another one. The caller gives a target:
// where the nodes of a cell lie, in global or in shared memory.
#pragma once
#include "gift.h"
#include "rooftune/cuda_hints.h"

namespace pic_deposit_kernel {

constexpr rooftune::Load particle_loads =
    KNOB_LOADS == KNOB_LOADS_READ_ONLY   ? rooftune::Load::read_only
    : KNOB_LOADS == KNOB_LOADS_STREAMING ? rooftune::Load::streaming
                                         : rooftune::Load::plain;

/// Particles read with the cache hint of the variant.
struct HintedParticles {
  Particles p;
  __device__ __forceinline__ double operator()(int q, Int64 n) const {
    return rooftune::load<particle_loads>(p.of[q] + n);
  }
};

/// The moments of all nodes in global memory: an array for each, or four numbers per node.
struct Nodes {
  double* of[moments];

  __device__ __forceinline__ double* at(Int64 node, int k) const {
    return KNOB_NODES == KNOB_NODES_TOGETHER ? of[0] + node * moments + k : of[k] + node;
  }
};

/// The nodes of the whole box as a target.
template <int Order>
struct InBox {
  Box box;
  Nodes nodes;

  __device__ __forceinline__ void offsets(const rooftune::Int32 (&first)[3], Int64 (&x)[Order + 1],
                                          Int64 (&y)[Order + 1], Int64 (&z)[Order + 1]) const {
    periodic_offsets<Order>(box, first, x, y, z);
  }
  __device__ __forceinline__ double* at(Int64 node, int k) const { return nodes.at(node, k); }
};

/// The nodes of a tile in shared memory: TileNodes in 32 bits.
struct TileShape {
  int row, plane, size;
};

/// The nodes of one tile in shared memory as a target.
template <int Order>
struct InTile {
  TileShape local;
  int start[3];  ///< first nodes of the tile
  double* sums;

  __device__ __forceinline__ void offsets(const rooftune::Int32 (&first)[3], Int64 (&x)[Order + 1],
                                          Int64 (&y)[Order + 1], Int64 (&z)[Order + 1]) const {
#pragma unroll
    for (int a = 0; a <= Order; ++a) {
      x[a] = first[0] + a - start[0];
      y[a] = (first[1] + a - start[1]) * local.row;
      z[a] = (first[2] + a - start[2]) * local.plane;
    }
  }
  /// Node of the box that is node n of the tile.
  __device__ __forceinline__ Int64 in_box(const Box& box, int n) const {
    const Int64 x = node_in(box.nx, start[0] + n % local.row + lowest<Order>),
                y = node_in(box.ny, start[1] + n % local.plane / local.row + lowest<Order>),
                z = node_in(box.nz, start[2] + n / local.plane + lowest<Order>);
    return (z * box.ny + y) * box.nx + x;
  }
  /// Threads of a warp that add to nodes side by side meet fewer bank conflicts with the moments
  /// apart, those that add to one node with them together.
  __device__ __forceinline__ double* at(Int64 node, int k) const {
    return sums + (KNOB_LOCAL == KNOB_LOCAL_TOGETHER ? node * moments + k : k * local.size + node);
  }
};

/// Sums of one cell in registers.
template <int Order>
struct CellSums {
  static constexpr int s = Order + 1;
  rooftune::Int32 first[3];
  double of[s * s * s * moments];

  __device__ __forceinline__ void begin(const Gift<Order>& gift) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) first[axis] = gift.first[axis];
#pragma unroll
    for (double& sum : of) sum = 0;
  }
  __device__ __forceinline__ bool holds(const Gift<Order>& gift) const {
    return first[0] == gift.first[0] && first[1] == gift.first[1] && first[2] == gift.first[2];
  }
  __device__ __forceinline__ void add(const Gift<Order>& gift) {
    Int64 x[s], y[s], z[s];
#pragma unroll
    for (int a = 0; a < s; ++a) {
      x[a] = a;
      y[a] = a * s;
      z[a] = a * s * s;
    }
    gift.spread(x, y, z, [&](Int64 node, int k, double value) { of[node * moments + k] += value; });
  }
  template <class Target>
  __device__ __forceinline__ void give(const Target& target) const {
    Int64 x[s], y[s], z[s];
    target.offsets(first, x, y, z);
#pragma unroll
    for (int node = 0; node < s * s * s; ++node)
#pragma unroll
      for (int k = 0; k < moments; ++k)
        atomicAdd(target.at(x[node % s] + y[node / s % s] + z[node / (s * s)], k),
                  of[node * moments + k]);
  }
};

/// Particles [from, to), one after the other.
template <int Order, class Target>
__device__ __forceinline__ void deposit(const HintedParticles& p, Int64 from, Int64 to,
                                        const Target& target) {
#if KNOB_RUNS
  if (from >= to) return;
  CellSums<Order> sums;
  sums.begin(Gift<Order>(p, from));
#pragma unroll 1
  for (Int64 n = from; n < to; ++n) {
    const Gift<Order> gift(p, n);
    if (!sums.holds(gift)) {
      sums.give(target);
      sums.begin(gift);
    }
    sums.add(gift);
  }
  sums.give(target);
#else
#pragma unroll 1
  for (Int64 n = from; n < to; ++n) {
    const Gift<Order> gift(p, n);
    Int64 x[Order + 1], y[Order + 1], z[Order + 1];
    target.offsets(gift.first, x, y, z);
    gift.spread(x, y, z,
                [&](Int64 node, int k, double value) { atomicAdd(target.at(node, k), value); });
  }
#endif
}

}  // namespace pic_deposit_kernel
