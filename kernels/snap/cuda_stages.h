// SNAP on a GPU stage by stage: a launch each, over atoms, atoms and bonds, or atoms and elements,
// with the arrays of all atoms in the memory of the card.
#pragma once
#include "cuda_model.h"

namespace snap_kernel {

/// Which atom a thread has, and which bond, element or term of it.
struct Pick {
  Int64 atom, other;
  int lane;
  bool exists;
};

/// Threads that have others of the same atom side by side are numbered within so many atoms, a row
/// of the grid, in 32 bits.
constexpr unsigned row_atoms = 1 << 16;

/// What this thread of a grid_for() has, of `others` per atom and `lanes` per each of these.
__device__ __forceinline__ Pick picked(Int64 atoms, int others, unsigned lanes) {
  const unsigned thread = blockIdx.x * KNOB_BLOCK + threadIdx.x, item = thread / lanes;
  const int lane = static_cast<int>(thread % lanes);
  if (KNOB_FASTEST == KNOB_FASTEST_ATOMS) return {item, blockIdx.y, lane, item < atoms};
  const auto count = static_cast<unsigned>(others);
  const Int64 atom = Int64{blockIdx.y} * row_atoms + item / count;
  return {atom, item % count, lane, item < row_atoms * count && atom < atoms};
}

/// Does work(k, p) for this thread's bonds: one, or all of its atom. p < 0: there is none, but
/// lanes of others wait.
template <class Work>
__device__ __forceinline__ void each_bond(const Model& m, const Pick& pick, const Work& work) {
  const Int64 first = pick.exists ? m.first[pick.atom] : 0;
  const Int64 count = pick.exists ? m.bonds(pick.atom) : 0;
  if constexpr (KNOB_OVER == KNOB_OVER_BONDS) {
    if (row_lanes == 1 && pick.other >= count) return;
    work(pick.other, pick.other < count ? first + pick.other : -1);
  } else {
    const Int64 end = row_lanes == 1 ? count : m.slots;
    for (Int64 k = 0; k < end; ++k) work(k, k < count ? first + k : -1);
  }
}

ROOFTUNE_FUNCTION int others_of(Int64 slots) {
  return KNOB_OVER == KNOB_OVER_BONDS ? static_cast<int>(slots) : 1;
}

}  // namespace snap_kernel

#define SNAP_KERNEL(name) \
  ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS) name(const snap_kernel::Model m)

/// U starts as the unit matrix, Y as zeros.
SNAP_KERNEL(snap_clear) {
  using namespace snap_kernel;
  const Pick pick = picked(m.atoms, m.half_elements, 1);
  if (!pick.exists) return;
  const int e = static_cast<int>(pick.other);
  clear_element(m, e, m.half.at(pick.atom));
  const SiteView y = m.y.at(pick.atom);
  *y.re(e) = *y.im(e) = 0;
}

SNAP_KERNEL(snap_sum) {
  using namespace snap_kernel;
  const Pick pick = picked(m.atoms, others_of(m.slots), row_lanes);
  const SiteView half = pick.exists ? m.half.at(pick.atom) : SiteView{};
  each_bond(m, pick, [&](Int64 k, Int64 p) {
    sum_bond(m, p, pick.lane, half, stores_u && p >= 0 ? m.stored_u.at(pick.atom, k) : SiteView{});
  });
}

/// Sums of stored u, where each element has an owner, and all rows from half of them.
SNAP_KERNEL(snap_expand) {
  using namespace snap_kernel;
  const Pick pick = picked(m.atoms, m.half_elements, 1);
  if (!pick.exists) return;
  const int e = static_cast<int>(pick.other);
  if constexpr (owner_sums) sum_stored(m, pick.atom, e);
  expand_at(m, e, m.site(pick.atom));
}

SNAP_KERNEL(snap_couple) {
  using namespace snap_kernel;
  const int others = y_over == by_atoms ? 1 : y_over == by_elements ? m.half_elements : terms(m);
  const Pick pick = picked(m.atoms, others, 1);
  if (!pick.exists) return;
  const Site s = m.site(pick.atom);
  if constexpr (y_over == by_elements) {
    couple_element(m, static_cast<int>(pick.other), s);
  } else if constexpr (y_over == by_atoms) {
    for (int i = 0; i < terms(m); ++i) couple_term(m, i, s.full, s.y);
  } else {
    couple_term(m, static_cast<int>(pick.other), s.full, AtomicView{s.y});
  }
}

/// A warp per atom.
SNAP_KERNEL(snap_energy) {
  using namespace snap_kernel;
  const Int64 atom = (Int64{blockIdx.x} * KNOB_BLOCK + threadIdx.x) / rooftune::warp_threads;
  if (atom >= m.atoms) return;
  const int lane = static_cast<int>(threadIdx.x % rooftune::warp_threads);
  const Site s = m.site(atom);
  double sum = 0;
  for (int e = lane; e < m.half_elements; e += rooftune::warp_threads)
    sum += element_energy(m, e, s);
  for (unsigned distance = rooftune::warp_threads / 2; distance > 0; distance /= 2)
    sum += rooftune::shuffle_down(sum, distance);
  if (lane == 0) m.energy[atom] = m.constant_energy + sum;
}

SNAP_KERNEL(snap_weigh) {
  using namespace snap_kernel;
  const Pick pick = picked(m.atoms, m.half_elements, 1);
  if (pick.exists) weigh_at(m, static_cast<int>(pick.other), m.site(pick.atom));
}

SNAP_KERNEL(snap_slopes) {
  using namespace snap_kernel;
  const Pick pick = picked(m.atoms, others_of(m.slots), row_lanes);
  const Site s = pick.exists ? m.site(pick.atom) : Site{};
  each_bond(m, pick, [&](Int64 k, Int64 p) {
    if constexpr (stores_du)
      store_slope(m, pick.atom, k, p, pick.lane);
    else
      slope_bond(m, pick.atom, k, p, pick.lane, s);
  });
}

SNAP_KERNEL(snap_contract) {
  using namespace snap_kernel;
  const Pick pick = picked(m.atoms, others_of(m.slots), row_lanes);
  const Site s = pick.exists ? m.site(pick.atom) : Site{};
  each_bond(m, pick, [&](Int64 k, Int64 p) {
    if constexpr (stores_du) contract_stored(m, pick.atom, k, p, pick.lane, s);
  });
}
