// A box of nodes that one thread adds to: four arrays, the four moments of a node side by side, or
// the moments of all nodes of a cell side by side (Vincenti et al., Computer Physics
// Communications 210, 2017). Reads the KNOB_ macros.
#pragma once
#include "tiling.h"

namespace pic_deposit_kernel {

constexpr bool apart = KNOB_LOCAL == KNOB_LOCAL_APART;
constexpr bool in_cells = KNOB_LOCAL == KNOB_LOCAL_CELLS;
constexpr int moments = 4;  ///< charge and three components of current

/// Extents are first nodes; nodes reach Order farther on every axis.
template <int Order>
struct Buffer {
  double* start;
  int64_t ex, ey, ez;  ///< first nodes
  int64_t ox, oy, oz;  ///< first node of the box

  static constexpr int reach = support<Order> - 1;
  static constexpr int cell_size = moments * support<Order> * support<Order> * support<Order>;
  int64_t row() const { return in_cells ? ex : ex + reach; }
  int64_t plane() const { return row() * (in_cells ? ey : ey + reach); }
  int64_t nodes() const { return (ex + reach) * (ey + reach) * (ez + reach); }
  int64_t size() const { return in_cells ? ex * ey * ez * cell_size : moments * nodes(); }

  /// Where a particle with these first nodes is added.
  int64_t slot(int64_t fx, int64_t fy, int64_t fz) const {
    return (fz - oz) * plane() + (fy - oy) * row() + fx - ox;
  }
  /// Row r = (node in z) support + (node in y) of the nodes of a slot; unless apart.
  double* row_of(int64_t slot, int r) const {
    constexpr int s = support<Order>;
    if (in_cells) return start + slot * cell_size + r * moments * s;
    return start + (slot + r / s * plane() + r % s * row()) * moments;
  }
  double* moment(int m) const { return start + m * nodes(); }
  void clear() const {
    for (int64_t n = 0; n < size(); ++n) start[n] = 0;
  }
};

/// Elements of the largest tile's buffer, and of the nodes that cells are joined to.
template <int Order>
int64_t buffer_size(int64_t ex, int64_t ey, int64_t ez) {
  const Buffer<Order> b{nullptr, ex, ey, ez, 0, 0, 0};
  return (in_cells ? b.size() + moments * b.nodes() : b.size()) + 16;
}

/// Value of a node of a buffer that is not in cells; `node` counts rows and planes.
template <int Order>
double value(const Buffer<Order>& b, int64_t node, int m) {
  return apart ? b.moment(m)[node] : b.start[node * moments + m];
}

/// The nodes of a buffer in cells, written behind it.
template <int Order>
const double* join_cells(const Buffer<Order>& b) {
  constexpr int s = support<Order>;
  double* const nodes = b.start + b.size();
  const int64_t row = b.ex + b.reach, plane = row * (b.ey + b.reach);
  for (int64_t n = 0; n < moments * b.nodes(); ++n) nodes[n] = 0;
  for (int64_t z = 0; z < b.ez; ++z)
    for (int64_t y = 0; y < b.ey; ++y)
      for (int r = 0; r < s * s; ++r) {
        double* const to = nodes + ((z + r / s) * plane + (y + r % s) * row) * moments;
        const double* const from = b.row_of(z * b.plane() + y * b.row(), r);
        for (int64_t x = 0; x < b.ex; ++x)
          for (int k = 0; k < moments * s; ++k) to[x * moments + k] += from[x * b.cell_size + k];
      }
  return nodes;
}

}  // namespace pic_deposit_kernel
