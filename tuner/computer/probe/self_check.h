// Finds contradictions among measured ceilings, and concludes from one figure to others: a rate
// that a ceiling reaches is possible for each ceiling above it. A figure measured too low is
// raised, never left out. And when a ceiling was measured twice, the faster figure stays, whenever
// it was taken.
#pragma once
#include <set>

#include "roofline/machine.h"

namespace rooftune::probe {

/// Marks figures that no core can reach as shown only, with the reason. In core: more than 4
/// instructions per cycle and core (12 for scalar whole numbers). Memory: more than 4 full vectors
/// of `vector_bits` per cycle and core.
void show_impossible(Machine& machine, int vector_bits);

/// Raises rates (value and high; the source names the evidence and the new rate) until
/// - a level is at least as fast as the next one out (same pattern, threads, kind of pages where
///   the inner level has it),
/// - one thread reaches at least 1/n of the rate that n reach,
/// - n threads are at least as fast as fewer,
/// - n threads sharing nothing (computing, private caches) are at least n times as fast as one, in
///   cycles, at the fastest clock seen with n threads
/// under the same pattern. Ceilings shown only neither raise nor are raised.
/// Returns the indices of the raised ceilings.
std::set<size_t> close_upwards(Machine& machine);

/// A later run may get another clock than the best window had. So the high end of a rate on the
/// core's clock goes to the highest clock that this probe saw with vectors of the same width; for
/// pure moves of data, with any vectors.
void widen_by_clock(Machine& machine);

/// Floating-point instructions per cycle and thread; 0 when the clock is unknown.
double instructions_per_cycle(const Ceiling& ceiling);

/// Takes over the other measurement's rate, samples, clock, size and source when it is faster; then
/// returns true.
bool keep_faster(Ceiling& ceiling, const Ceiling& other);

/// Adds what an earlier probe of the same machine gained: faster ceilings, ceilings missing here,
/// levels not seen this time, larger capacities, and more caches in a level. A note counts the
/// ceilings. Those that are only shown are left out.
void keep_faster(Machine& machine, const Machine& earlier);

}  // namespace rooftune::probe
