// How dE/dr of the bonds become forces: F_i += dE_i/dr_k and F_k -= dE_i/dr_k.
// The caller calls begin before any bond and end after all, outside of parallel regions.
#pragma once
#include <omp.h>

#include "geometry.h"
#include "rooftune/scratch.h"

namespace snap_kernel {

/// Per bond, per thread or nothing, as the knob says; reserved once.
class Forces {
 public:
  void reserve(std::int64_t atoms, std::int64_t pairs) {
    if (KNOB_FORCES == KNOB_FORCES_OWNER) memory_.reserve(3 * pairs, KNOB_SCRATCH_HUGE_PAGES);
    if (KNOB_FORCES == KNOB_FORCES_PRIVATE)
      memory_.reserve(omp_get_max_threads() * padded(atoms), KNOB_SCRATCH_HUGE_PAGES);
  }

  void begin(const Atoms& atoms, std::int64_t pairs, double* force) {
    reserve(atoms.count, pairs);
    slopes_ = memory_.reserve(0);
    force_ = force;
    stride_ = padded(atoms.count);
    const std::int64_t count = 3 * atoms.count;
    if (KNOB_FORCES == KNOB_FORCES_OWNER) return;
    if (KNOB_FORCES == KNOB_FORCES_PRIVATE) {
      threads_ = omp_get_max_threads();
#pragma omp parallel for schedule(static)
      for (int t = 0; t < threads_; ++t)
        for (std::int64_t i = 0; i < count; ++i) slopes_[t * stride_ + i] = 0;
    } else {
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < count; ++i) force[i] = 0;
    }
  }

  /// All lanes of a vector of bonds.
  ROOFTUNE_INLINE void add(const Atoms& atoms, std::int64_t atom, std::int64_t k,
                           const BondLanes slope[3]) const {
    double* const own =
        KNOB_FORCES == KNOB_FORCES_PRIVATE ? slopes_ + omp_get_thread_num() * stride_ : slopes_;
    for (int l = 0; l < bond_lanes; ++l) {
      const std::int64_t p = atoms.bond(atom, k, l);
      if (p < 0) continue;
      const std::int64_t i = atom_lanes > 1 ? atom + l : atom, n = atoms.neighbour[p];
      for (int c = 0; c < 3; ++c) {
        const double value = lane<bond_lanes>(slope[c], l);
#if KNOB_FORCES == KNOB_FORCES_OWNER
        (void)i;
        (void)n;
        own[3 * p + c] = value;
#elif KNOB_FORCES == KNOB_FORCES_PRIVATE
        own[3 * i + c] += value;
        own[3 * n + c] -= value;
#else
        (void)own;
#pragma omp atomic
        force_[3 * i + c] += value;
#pragma omp atomic
        force_[3 * n + c] -= value;
#endif
      }
    }
  }

  void end(const Atoms& atoms) const {
    const double* const slopes = slopes_;
    double* const force = force_;
    (void)slopes;
    (void)force;
#if KNOB_FORCES == KNOB_FORCES_OWNER
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < atoms.count; ++i) {
      double sum[3] = {};
      for (std::int64_t p = atoms.first[i]; p < atoms.first[i + 1]; ++p)
        for (int c = 0; c < 3; ++c)
          sum[c] += slopes[3 * p + c] - slopes[3 * std::int64_t{atoms.mirror[p]} + c];
      for (int c = 0; c < 3; ++c) force[3 * i + c] = sum[c];
    }
#elif KNOB_FORCES == KNOB_FORCES_PRIVATE
    const std::int64_t count = 3 * atoms.count;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
      double sum = 0;
      for (int t = 0; t < threads_; ++t) sum += slopes[t * stride_ + i];
      force[i] = sum;
    }
#else
    (void)atoms;
#endif
  }

 private:
  /// Copies of different threads share no line.
  static std::int64_t padded(std::int64_t atoms) { return (3 * atoms + 15) / 8 * 8; }

  rooftune::Scratch memory_;
  double* slopes_ = nullptr;
  double* force_ = nullptr;
  std::int64_t stride_ = 0;
  int threads_ = 1;
};

}  // namespace snap_kernel
