// The knobs of snap with their defaults (the plain variant), and what follows from them.
#pragma once
#ifndef KNOB_FUSION
#define KNOB_FUSION_ATOM 0
#define KNOB_FUSION_BATCH 1
#define KNOB_FUSION KNOB_FUSION_ATOM
#endif
#ifndef KNOB_BATCH
#define KNOB_BATCH 0
#endif
#ifndef KNOB_COLLAPSE
#define KNOB_COLLAPSE_ATOM 0
#define KNOB_COLLAPSE_ATOM_NEIGHBOUR 1
#define KNOB_COLLAPSE KNOB_COLLAPSE_ATOM
#endif
#ifndef KNOB_LOOP_ORDER
#define KNOB_LOOP_ORDER_ATOM_NEIGHBOUR 0
#define KNOB_LOOP_ORDER_NEIGHBOUR_ATOM 1
#define KNOB_LOOP_ORDER KNOB_LOOP_ORDER_ATOM_NEIGHBOUR
#endif
#ifndef KNOB_LAYOUT
#define KNOB_LAYOUT_ATOM_SLOW 0
#define KNOB_LAYOUT_ATOM_FASTEST 1
#define KNOB_LAYOUT_NEIGHBOUR_FASTEST 2
#define KNOB_LAYOUT_BLOCKS 3
#define KNOB_LAYOUT KNOB_LAYOUT_ATOM_SLOW
#endif
#ifndef KNOB_BLOCK_ATOMS
#define KNOB_BLOCK_ATOMS 8
#endif
#ifndef KNOB_SIMD
#define KNOB_SIMD_NONE 0
#define KNOB_SIMD_COLUMNS 1
#define KNOB_SIMD_NEIGHBOURS 2
#define KNOB_SIMD_ATOMS 3
#define KNOB_SIMD KNOB_SIMD_NONE
#endif
#ifndef KNOB_SIMD_WIDTH
#define KNOB_SIMD_WIDTH 4
#endif
#ifndef KNOB_SYMMETRY
#define KNOB_SYMMETRY_BOND 0
#define KNOB_SYMMETRY_ATOM 1
#define KNOB_SYMMETRY KNOB_SYMMETRY_BOND
#endif
#ifndef KNOB_Y_ORDER
#define KNOB_Y_ORDER_COUPLINGS 0
#define KNOB_Y_ORDER_TARGETS 1
#define KNOB_Y_ORDER KNOB_Y_ORDER_COUPLINGS
#endif
#ifndef KNOB_STORE_Z
#define KNOB_STORE_Z 0
#endif
#ifndef KNOB_STORE_U
#define KNOB_STORE_U 1
#endif
#ifndef KNOB_BONDS_TOGETHER
#define KNOB_BONDS_TOGETHER 1
#endif
#ifndef KNOB_UNROLL_ROWS
#define KNOB_UNROLL_ROWS 0
#endif
#ifndef KNOB_TRIGONOMETRY
#define KNOB_TRIGONOMETRY_LIBRARY 0
#define KNOB_TRIGONOMETRY_POLYNOMIAL 1
#define KNOB_TRIGONOMETRY KNOB_TRIGONOMETRY_LIBRARY
#endif
#ifndef KNOB_FORCES
#define KNOB_FORCES_ATOMIC 0
#define KNOB_FORCES_OWNER 1
#define KNOB_FORCES_PRIVATE 2
#define KNOB_FORCES KNOB_FORCES_ATOMIC
#endif
#ifndef KNOB_SCRATCH_HUGE_PAGES
#define KNOB_SCRATCH_HUGE_PAGES 0
#endif

#include "recipe.h"

#if KNOB_UNROLL_ROWS && KNOB_FIXED_TWOJMAX > 0
#define SNAP_ROW_UNROLL 16
#endif

#include "body.h"
#include "rooftune/vector.h"

namespace snap_kernel {

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
