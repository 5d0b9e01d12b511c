// SNAP on a GPU with all stages of an atom in one block: its U, Y and weights stay in shared
// memory, and KNOB_BLOCK / KNOB_BLOCK_ATOMS threads share bonds, elements and terms. The caller
// owes dynamic shared memory of KNOB_BLOCK_ATOMS times atom_doubles().
#pragma once
#include "cuda_model.h"

namespace snap_kernel {

constexpr int atom_threads = KNOB_BLOCK / KNOB_BLOCK_ATOMS;

/// Doubles of one atom: half of U (later Y), all of U, weights.
ROOFTUNE_FUNCTION Int64 atom_doubles(Int64 half, Int64 full) {
  return 2 * (half + full + (rotates ? 4 * half : 0));
}

__device__ __forceinline__ SiteView local_view(double* at, int elements) {
  if (interleaved) return {at, 2, 1};
  return {at, 1, elements};
}

/// The arrays of an atom from `at` on. Y takes the place of the half once that is expanded.
__device__ __forceinline__ Site local_site(const Model& m, double* at) {
  const int half = m.half_elements, full = full_offset(m.twojmax() + 1);
  return {local_view(at, half), local_view(at + 2 * half, full), local_view(at, half),
          local_view(at + 2 * (half + full), 4 * half)};
}

/// U of the atom.
__device__ __forceinline__ void sum_atom(const Model& m, Int64 atom, Int64 count, int thread,
                                         const Site& s) {
  for (int e = thread; e < m.half_elements; e += atom_threads) clear_element(m, e, s.half);
  __syncthreads();
  for (Int64 k = thread / row_lanes; k - thread / row_lanes < m.slots;
       k += atom_threads / row_lanes) {
    const Int64 p = k < count ? m.first[atom] + k : -1;
    if (row_lanes > 1 || p >= 0) sum_bond(m, p, thread % row_lanes, s.half, SiteView{});
  }
  __syncthreads();
  for (int e = thread; e < m.half_elements; e += atom_threads) expand_at(m, e, s);
  __syncthreads();
}

/// Y of the atom, and its energy.
__device__ __forceinline__ void couple_site(const Model& m, Int64 atom, int thread, const Site& s) {
  if constexpr (y_over == by_elements) {
    for (int e = thread; e < m.half_elements; e += atom_threads) couple_element(m, e, s);
  } else {
    for (int e = thread; e < m.half_elements; e += atom_threads) *s.y.re(e) = *s.y.im(e) = 0;
    __syncthreads();
    const AtomicView y{s.y};
    for (int i = thread; i < terms(m); i += atom_threads) couple_term(m, i, s.full, y);
  }
  __syncthreads();
  if (thread < rooftune::warp_threads) {
    double sum = 0;
    for (int e = thread; e < m.half_elements; e += rooftune::warp_threads)
      sum += element_energy(m, e, s);
    for (unsigned distance = rooftune::warp_threads / 2; distance > 0; distance /= 2)
      sum += rooftune::shuffle_down(sum, distance);
    if (thread == 0 && atom < m.atoms) m.energy[atom] = m.constant_energy + sum;
  }
  __syncthreads();
  for (int e = thread; e < m.half_elements; e += atom_threads) weigh_at(m, e, s);
  __syncthreads();
}

}  // namespace snap_kernel

/// KNOB_BLOCK_ATOMS atoms per block; blocks walk on by the whole grid.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    snap_atoms(const snap_kernel::Model m) {
  using namespace snap_kernel;
  ROOFTUNE_DYNAMIC_SHARED(double, memory);
  const int mine = static_cast<int>(threadIdx.x) / atom_threads;
  const int thread = static_cast<int>(threadIdx.x) % atom_threads;
  const Site s =
      local_site(m, memory + mine * atom_doubles(m.half_elements, full_offset(m.twojmax() + 1)));
  for (Int64 first = Int64{blockIdx.x} * KNOB_BLOCK_ATOMS; first < m.atoms;
       first += Int64{gridDim.x} * KNOB_BLOCK_ATOMS) {
    const Int64 atom = first + mine, count = atom < m.atoms ? m.bonds(atom) : 0;
    sum_atom(m, atom, count, thread, s);
    couple_site(m, atom, thread, s);
    for (Int64 k = thread / row_lanes; k - thread / row_lanes < m.slots;
         k += atom_threads / row_lanes) {
      const Int64 p = k < count ? m.first[atom] + k : -1;
      if (row_lanes > 1 || p >= 0) slope_bond(m, atom, k, p, thread % row_lanes, s);
    }
    __syncthreads();
  }
}
