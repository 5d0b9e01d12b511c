// The grid cut into tiles: each owns the particles whose first nodes lie in a box, and touches the
// nodes of that box and some more, periodic at the edges. Reads the knobs.
#pragma once
#include "body.h"

namespace pic_deposit_kernel {

using int32_t = rooftune::Int32;
using int64_t = rooftune::Int64;

/// A node that may lie up to two beyond either end of a periodic axis of n nodes.
ROOFTUNE_FUNCTION int64_t wrapped(int64_t node, int64_t n) {
  while (node < 0) node += n;
  while (node >= n) node -= n;
  return node;
}

/// One axis: `cells` first nodes, cut into `count` tiles of nearly equal length.
struct Axis {
  int64_t n, cells, count;
  ROOFTUNE_FUNCTION int64_t from(int64_t tile) const { return tile * cells / count; }
  ROOFTUNE_FUNCTION int64_t longest() const { return (cells + count - 1) / count; }
  /// Tile of a first node.
  ROOFTUNE_FUNCTION int64_t tile(int64_t first) const {
    int64_t t = first * count / cells;
    while (from(t) > first) --t;
    while (t + 1 < count && from(t + 1) <= first) ++t;
    return t;
  }
  /// Tiles of one colour share no node: every second one, the last of an odd number apart.
  ROOFTUNE_FUNCTION int64_t colours() const { return count == 1 ? 1 : count % 2 == 0 ? 2 : 3; }
  ROOFTUNE_FUNCTION int64_t colour(int64_t tile) const {
    return count > 1 && count % 2 == 1 && tile == count - 1 ? 2 : tile % 2;
  }
};

/// Tiles are at least `length` long, or one spans the axis: always with a length of 0.
template <int Order>
ROOFTUNE_FUNCTION Axis axis(int64_t n, int64_t length) {
  const int64_t cells = n + Order - 1;
  return {n, cells, length > 0 && cells / length > 1 ? cells / length : 1};
}

struct Tiling {
  Axis x, y, z;

  ROOFTUNE_FUNCTION int64_t count() const { return x.count * y.count * z.count; }
  /// First nodes of the largest tile.
  ROOFTUNE_FUNCTION int64_t capacity() const { return x.longest() * y.longest() * z.longest(); }
  ROOFTUNE_FUNCTION int64_t keys() const {
    return count() * (KNOB_SORT_BY == KNOB_SORT_BY_CELL ? capacity() : 1);
  }
  ROOFTUNE_FUNCTION int64_t first_key(int64_t tile) const { return keys() / count() * tile; }
};

/// Where a particle belongs in the order: its tile, then its place in the tile. The sum of one term
/// per axis, looked up by first node.
struct Keys {
  const int64_t *x, *y, *z;
  ROOFTUNE_FUNCTION int64_t operator()(int64_t fx, int64_t fy, int64_t fz) const {
    return x[fx] + y[fy] + z[fz];
  }
};

ROOFTUNE_FUNCTION int64_t table_size(const Tiling& t) { return t.x.cells + t.y.cells + t.z.cells; }

/// `table` has table_size() elements.
ROOFTUNE_FUNCTION Keys keys(const Tiling& t, int64_t* table) {
  constexpr bool by_cell = KNOB_SORT_BY == KNOB_SORT_BY_CELL;
  const int64_t per_tile = by_cell ? t.capacity() : 1;
  const auto fill = [&](const Axis& axis, int64_t tile_step, int64_t cell_step, int64_t* to) {
    for (int64_t first = 0; first < axis.cells; ++first) {
      const int64_t tile = axis.tile(first);
      to[first] =
          tile * tile_step * per_tile + (by_cell ? (first - axis.from(tile)) * cell_step : 0);
    }
  };
  int64_t *const y = table + t.x.cells, *const z = y + t.y.cells;
  fill(t.x, 1, 1, table);
  fill(t.y, t.x.count, t.x.longest(), y);
  fill(t.z, t.x.count * t.y.count, t.x.longest() * t.y.longest(), z);
  return {table, y, z};
}

template <int Order>
ROOFTUNE_FUNCTION Tiling tiling(int64_t nx, int64_t ny, int64_t nz) {
  return {axis<Order>(nx, KNOB_TILE_X), axis<Order>(ny, KNOB_TILE_Y), axis<Order>(nz, KNOB_TILE_Z)};
}

}  // namespace pic_deposit_kernel
