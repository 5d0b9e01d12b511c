// The 27 velocities of the momentum lattice, whose first 15 carry the magnetic field, and how the
// 72 numbers of a site are counted: 0..26 f_i, then 27 + 3 i + a for component a of the vector g_i.
#pragma once
#include "rooftune/portable.h"

namespace mhd {

using rooftune::Int64;

constexpr int velocities = 27, magnetic_velocities = 15, components = 72;
/// Pairs (c, -c): numbers 2p + 1 and 2p + 2. 0..2 along the axes, 3..6 to corners, 7..12 to edges.
constexpr int pairs = 13, magnetic_pairs = 7, first_corner = 3, first_edge = 7;

/// Component `axis` of the first velocity of a pair.
ROOFTUNE_FUNCTION constexpr int pair_component(int pair, int axis) {
  const char sign = axis == 0   ? "+00++++++++00"[pair]
                    : axis == 1 ? "0+0++--+-00++"[pair]
                                : "00++-+-00+-+-"[pair];
  return sign == '+' ? 1 : sign == '-' ? -1 : 0;
}

/// Component `axis` of c_i.
ROOFTUNE_FUNCTION constexpr int c(int i, int axis) {
  if (i == 0) return 0;
  const int first = pair_component((i - 1) / 2, axis);
  return i % 2 == 1 ? first : -first;
}

/// -c_i is c_opposite(i).
ROOFTUNE_FUNCTION constexpr int opposite(int i) { return i == 0 ? 0 : i % 2 == 1 ? i + 1 : i - 1; }

ROOFTUNE_FUNCTION constexpr int squared_length(int i) {
  return c(i, 0) * c(i, 0) + c(i, 1) * c(i, 1) + c(i, 2) * c(i, 2);
}

/// w_i of f, by |c|^2.
ROOFTUNE_FUNCTION constexpr double weight(int squared) {
  return squared == 0 ? 8. / 27 : squared == 1 ? 2. / 27 : squared == 2 ? 1. / 54 : 1. / 216;
}

/// W_i of g, by |c|^2, which is never 2.
ROOFTUNE_FUNCTION constexpr double magnetic_weight(int squared) {
  return squared == 0 ? 2. / 9 : squared == 1 ? 1. / 9 : 1. / 72;
}

/// Number of component a of g_i.
ROOFTUNE_FUNCTION constexpr int g(int i, int a) { return velocities + 3 * i + a; }

/// The velocity by which component k moves.
ROOFTUNE_FUNCTION constexpr int velocity_of(int k) {
  return k < velocities ? k : (k - velocities) / 3;
}

/// The same component of the opposite velocity.
ROOFTUNE_FUNCTION constexpr int opposite_component(int k) {
  return k < velocities ? opposite(k) : g(opposite((k - velocities) / 3), (k - velocities) % 3);
}

}  // namespace mhd
