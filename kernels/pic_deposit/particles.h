// Where the seven quantities of a particle lie: the caller's arrays, or the variant's own memory in
// one of three layouts. Reads the KNOB_ macros. The caller provides store_size() elements.
#pragma once
#include "rooftune/vector.h"

namespace pic_deposit_kernel {

constexpr bool aos = KNOB_STORE == KNOB_STORE_AOS;
constexpr bool aosoa = KNOB_STORE == KNOB_STORE_AOSOA;
constexpr bool sorts = KNOB_SORT != KNOB_SORT_NONE;
/// The variant deposits from memory of its own.
constexpr bool own_particles = sorts || aos || aosoa;
/// Particles side by side in the layout of blocks.
constexpr std::int64_t group = 8;

enum Quantity { at_x, at_y, at_z, at_w, at_vx, at_vy, at_vz, quantity_count };

/// The caller's particles.
struct CallerParticles {
  const double* of[quantity_count];
  std::int64_t count;
};

/// Particles as a variant reads them: structure of arrays, eight doubles per particle (a 1 before
/// the velocities makes them the factors of the four moments), or arrays of `group` in blocks.
struct Store {
  const double* of[quantity_count];  ///< start of each quantity
  double operator()(Quantity q, std::int64_t p) const {
    if (aos) return of[q][p * 8];
    if (aosoa) return of[q][p / group * (group * quantity_count) + p % group];
    return of[q][p];
  }
};

inline std::int64_t store_size(std::int64_t particles) {
  if (aos) return particles * 8;
  return (particles + group - 1) / group * group * quantity_count;
}

/// Place of a quantity within a particle of eight doubles.
constexpr int in_line[quantity_count] = {0, 1, 2, 3, 5, 6, 7};

inline Store own_store(const double* memory, std::int64_t particles) {
  const std::int64_t length = (particles + group - 1) / group * group;
  Store s{};
  for (int q = 0; q < quantity_count; ++q)
    s.of[q] = memory + (aos ? in_line[q] : aosoa ? q * group : q * length);
  return s;
}

/// A line of its own past the caches, where particles are lines and KNOB_NT_STORE says so.
inline void put_line(const double (&line)[8], double* to) {
  using namespace rooftune;
  for (int k = 0; k < 8; k += widest_vector)
    KNOB_NT_STORE ? stream<widest_vector>(to + k, load<widest_vector>(line + k))
                  : store<widest_vector>(to + k, load<widest_vector>(line + k));
}

inline void put_particle(const CallerParticles& from, std::int64_t p, const Store& layout,
                         double* memory, std::int64_t to) {
  if (aos) {
    double line[8];
    line[4] = 1;
    for (int q = 0; q < quantity_count; ++q) line[in_line[q]] = from.of[q][p];
    return put_line(line, memory + to * 8);
  }
  const std::int64_t at = aosoa ? to / group * (group * quantity_count) + to % group : to;
  for (int q = 0; q < quantity_count; ++q) memory[layout.of[q] - memory + at] = from.of[q][p];
}

}  // namespace pic_deposit_kernel
