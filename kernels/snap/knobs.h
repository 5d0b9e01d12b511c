// The knobs of openmp.cpp, and what follows from them.
#pragma once

#include "recipe.h"

#if KNOB_UNROLL_ROWS && KNOB_FIXED_TWOJMAX > 0
#define SNAP_ROW_UNROLL 16
#endif

#include "body.h"
#include "rooftune/vector.h"

namespace snap_kernel {

constexpr bool interleaved = KNOB_COMPLEX_PARTS == KNOB_COMPLEX_PARTS_INTERLEAVED;
constexpr bool batched = KNOB_FUSION == KNOB_FUSION_BATCH;
/// All atoms are one batch, whose stages the threads share; else each thread has its own batches.
constexpr bool team_stages = batched && KNOB_BATCH == 0;
constexpr bool collapsed = team_stages && KNOB_COLLAPSE == KNOB_COLLAPSE_ATOM_NEIGHBOUR;
constexpr bool neighbour_outside = batched && KNOB_LOOP_ORDER == KNOB_LOOP_ORDER_NEIGHBOUR_ATOM;
constexpr bool unrolls_rows = by_rows && KNOB_UNROLL_ROWS && KNOB_FIXED_TWOJMAX > 0;
constexpr bool mirrors_bonds = KNOB_SYMMETRY == KNOB_SYMMETRY_BOND;
constexpr bool by_target = !shares_products && KNOB_Y_ORDER == KNOB_Y_ORDER_TARGETS;
constexpr bool stores_z = KNOB_STORE_Z;
constexpr bool stores_u = KNOB_STORE_U;
constexpr bool stores_du = KNOB_STORE_DU && !rotates;

/// Lanes that hold atoms in every stage, and lanes that hold bonds in stages U and dU.
constexpr int atom_lanes = KNOB_SIMD == KNOB_SIMD_ATOMS ? KNOB_SIMD_WIDTH : 1;
constexpr int bond_lanes =
    KNOB_SIMD == KNOB_SIMD_ATOMS || KNOB_SIMD == KNOB_SIMD_NEIGHBOURS ? KNOB_SIMD_WIDTH : 1;
/// Neighbours of one atom that are taken together.
constexpr int neighbour_lanes = KNOB_SIMD == KNOB_SIMD_NEIGHBOURS ? KNOB_SIMD_WIDTH : 1;
/// Vectors of bonds that stages U and dU take at once, so that U and Y are loaded once for them.
constexpr int together = !stores_u && rotates ? KNOB_BONDS_TOGETHER : 1;
constexpr int bonds_step = neighbour_lanes * together;
constexpr bool simd_columns = KNOB_SIMD == KNOB_SIMD_COLUMNS;

using AtomLanes = rooftune::Vector<atom_lanes>;
using BondLanes = rooftune::Vector<bond_lanes>;

/// 2J, known to the compiler where a knob says so.
inline int order_of(std::int64_t twojmax) {
  return KNOB_FIXED_TWOJMAX > 0 ? KNOB_FIXED_TWOJMAX : static_cast<int>(twojmax);
}

template <int W>
ROOFTUNE_INLINE double lane(const rooftune::Vector<W>& v, int l) {
  if constexpr (W == 1)
    return v;
  else
    return v[l];
}

template <int W>
ROOFTUNE_INLINE void set_lane(rooftune::Vector<W>& v, int l, double x) {
  if constexpr (W == 1)
    v = x;
  else
    v[l] = x;
}

}  // namespace snap_kernel
