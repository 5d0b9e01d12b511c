// Where the complex arrays of a batch of atoms lie in memory.
// The caller provides Field::doubles() doubles, aligned to 64 bytes.
#pragma once
#include "knobs.h"
#include "stages.h"

namespace snap_kernel {

enum class Order { atom_slow, atom_fastest, neighbour_fastest, blocks };

/// A single atom's or vector's arrays have the order that its lanes want.
constexpr Order lanes_order = atom_lanes > 1        ? Order::blocks
                              : neighbour_lanes > 1 ? Order::neighbour_fastest
                                                    : Order::atom_slow;
constexpr Order layout_order = !batched                                  ? lanes_order
                               : KNOB_LAYOUT == KNOB_LAYOUT_ATOM_FASTEST ? Order::atom_fastest
                               : KNOB_LAYOUT == KNOB_LAYOUT_NEIGHBOUR_FASTEST
                                   ? Order::neighbour_fastest
                               : KNOB_LAYOUT == KNOB_LAYOUT_BLOCKS ? Order::blocks
                                                                   : Order::atom_slow;
constexpr int block_atoms = atom_lanes > 1 ? atom_lanes : KNOB_BLOCK_ATOMS;
constexpr int parts = interleaved ? 2 : 1;

/// Distance of elements where the compiler knows it, 0 where it depends on the batch.
constexpr int fixed_stride = layout_order == Order::blocks      ? parts * block_atoms
                             : layout_order == Order::atom_slow ? parts
                                                                : 0;
/// Lanes that lie side by side also where real and imaginary parts alternate.
constexpr int joined = atom_lanes > 1 ? atom_lanes : neighbour_lanes;

using LayoutView = View<fixed_stride>;

/// Complex elements [slot][element] of every atom of a batch.
struct Field {
  double* base = nullptr;
  std::int64_t atoms = 0, elements = 0, slots = 1;

  static std::int64_t padded(std::int64_t atoms) {
    constexpr int unit = layout_order == Order::blocks ? block_atoms : atom_lanes;
    return (atoms + unit - 1) / unit * unit;
  }
  static std::int64_t doubles(std::int64_t atoms, std::int64_t elements, std::int64_t slots) {
    return (padded(atoms) * elements * slots * 2 + 7) / 8 * 8;
  }

  ROOFTUNE_INLINE LayoutView at(std::int64_t a, std::int64_t slot = 0) const {
    if constexpr (layout_order == Order::blocks) {
      constexpr int v = block_atoms;
      double* const block = base + ((a / v * slots + slot) * elements) * 2 * v;
      const std::int64_t l = a % v;
      if (!interleaved) return {block + l, v, elements * v};
      return atom_lanes > 1 ? LayoutView{block, 2 * v, v} : LayoutView{block + 2 * l, 2 * v, 1};
    } else if constexpr (layout_order == Order::atom_slow) {
      double* const start = base + (a * slots + slot) * elements * 2;
      return interleaved ? LayoutView{start, 2, 1} : LayoutView{start, 1, elements};
    } else if constexpr (layout_order == Order::atom_fastest) {
      double* const plane = base + slot * elements * 2 * atoms;
      if (!interleaved) return {plane + a, atoms, elements * atoms};
      return joined > 1 ? LayoutView{plane + a, 2 * atoms, atoms}
                        : LayoutView{plane + 2 * a, 2 * atoms, 1};
    } else {
      double* const start = base + a * elements * 2 * slots;
      if (!interleaved) return {start + slot, slots, elements * slots};
      return joined > 1 && slots > 1 ? LayoutView{start + slot, 2 * slots, slots}
                                     : LayoutView{start + 2 * slot, 2 * slots, 1};
    }
  }
};

/// The arrays of one batch.
struct Batch {
  std::int64_t atoms = 0;  ///< room, a multiple of the lanes
  Field half, full, y, weights, stored_u, stored_du, z;
  double* lane_sums = nullptr;  ///< U per lane and thread, where lanes are neighbours

  /// Cuts the arrays out of `memory` when it is there; returns how many doubles they take.
  /// `threads` work on the batch, of which this one is number `mine`.
  std::int64_t place(double* memory, std::int64_t room, std::int64_t slots, int twojmax,
                     std::int64_t couplings, std::int64_t threads, std::int64_t mine) {
    atoms = Field::padded(room);
    const std::int64_t h = half_offset(twojmax + 1), f = full_offset(twojmax + 1);
    const std::int64_t places = (slots + neighbour_lanes - 1) / neighbour_lanes * neighbour_lanes;
    std::int64_t used = 0;
    const auto cut = [&](Field& field, bool needed, std::int64_t elements, std::int64_t k) {
      if (!needed) return;
      field = {memory ? memory + used : nullptr, atoms, elements, k};
      used += Field::doubles(atoms, elements, k);
    };
    cut(half, !mirrors_bonds, h, 1);
    cut(full, true, f, 1);
    cut(y, true, h, 1);
    cut(weights, rotates, 4 * h, 1);
    cut(stored_u, stores_u, h, places);
    cut(stored_du, stores_du, 3 * h, places);
    cut(z, stores_z, couplings, 1);
    const std::int64_t sums = (mirrors_bonds ? f : h) * 2 * neighbour_lanes;
    lane_sums = memory ? memory + used + mine * sums : nullptr;
    if (neighbour_lanes > 1) used += threads * sums;
    return used;
  }
};

}  // namespace snap_kernel
