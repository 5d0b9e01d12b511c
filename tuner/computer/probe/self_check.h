// Contradictions in a set of measured ceilings, and conclusions beyond its single figures: a rate
// reached by one of them is possible for each one above it. A figure measured too low is raised,
// never left out. And of two measurements of a ceiling the faster one stays, whenever it was taken.
#pragma once
#include <set>

#include "roofline/machine.h"

namespace rooftune::probe {

/// Shows figures beyond any core only, with the reason. In core: more than 4 floating-point
/// instructions per cycle and core. Memory: more than 4 full vectors of `vector_bits` per cycle and
/// core.
void show_impossible(Machine& machine, int vector_bits);

/// Raises rates (value and high; the source names the evidence and the new rate) until
/// - a level is at least as fast as the next one out (same pattern, threads, kind of pages where
///   the inner level has it),
/// - one thread reaches at least 1/n of the rate of n,
/// - n threads are at least as fast as fewer,
/// - n threads sharing nothing (computing, private caches) are at least n times as fast as one, in
///   cycles, at the fastest clock seen with n threads
/// under the same pattern. Ceilings shown only neither raise nor are raised.
/// Returns the indices of the raised ones.
std::set<size_t> close_upwards(Machine& machine);

/// A later run gets another clock than the best window: rates on the core's clock may reach the
/// highest clock seen by this probe with vectors of the same width; pure moves of data, with any.
void widen_by_clock(Machine& machine);

/// Floating-point instructions per cycle and thread; 0 when the clock is unknown.
double instructions_per_cycle(const Ceiling& ceiling);

/// Takes over rate, samples, clock, size and source of the other measurement when it is faster;
/// then returns true.
bool keep_faster(Ceiling& ceiling, const Ceiling& other);

/// Adds the gains of an earlier probe of the same machine: its faster ceilings, ceilings missing
/// here, levels not seen this time, larger capacities and more caches of a level. A note counts
/// them. Ceilings shown only are left out.
void keep_faster(Machine& machine, const Machine& earlier);

}  // namespace rooftune::probe
