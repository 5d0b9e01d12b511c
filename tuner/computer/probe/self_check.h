// What a set of measured ceilings cannot be, and what it shows beyond its single figures: a rate
// that one of them reached is possible for each that lies above it. What only was measured too
// slowly is raised, never left out.
#pragma once
#include <string>
#include <vector>

#include "roofline/machine.h"

namespace rooftune::probe {

/// The mix of a ceiling that some plain loop has shown (verification.h). No kernel of the probe
/// repeats it, and nothing is known of other levels or threads.
inline constexpr const char* shown_by_loops = "verify";

/// A figure that no core can reach.
struct Impossible {
  std::size_t ceiling;  ///< its index
  std::string text;
};

/// In core: more than 4 floating-point instructions per cycle and core. Memory: more than 4 full
/// vectors of `vector_bits` per cycle and core.
std::vector<Impossible> impossible(const Machine& machine, int vector_bits);

/// Raises rates (value and high; the source says from what and to what) until
/// - a level is at least as fast as the next one out (same pattern, threads, kind of pages where
///   the inner level has it),
/// - one thread reaches at least 1/n of what n reach,
/// - n threads are at least as fast as fewer,
/// - n threads that share nothing (computing, private caches) are at least n times as fast as one,
///   in cycles, at the fastest clock that n threads were seen with
/// under the same pattern. What is shown only, or by plain loops, neither raises nor is raised.
/// Returns the indices of what was raised, ascending.
std::vector<std::size_t> close_upwards(Machine& machine);

/// Floating-point instructions per cycle and thread; 0 when the clock is unknown.
double instructions_per_cycle(const Ceiling& ceiling);

}  // namespace rooftune::probe
