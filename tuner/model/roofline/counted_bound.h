// A lower bound on the time of one variant on one card, from a profiler's counts of it on this card
// or another one.
// Another compiler may do with fewer instructions: a variant faster than the bound disproves the
// counts.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "core/quantity.h"
#include "roofline/machine.h"

namespace rooftune::roofline {

/// Work of a variant, independent of clock and size of caches. Traffic below L1 is left out: a card
/// with larger caches moves less.
struct CountedWork {
  double instructions = 0;  ///< of warps
  double fp32 = 0;          ///< of threads: single precision
  double integer = 0;       ///< of threads
  double memory = 0;        ///< of threads: loads and stores of any kind
  double wavefronts = 0;  ///< passes through the data stage of L1: shared memory, and at least one
                          ///< per global load
};

/// From counters named as Nsight Compute names them; nullopt when none of them is known.
std::optional<CountedWork> counted_work(const std::map<std::string, double>& counters);

struct CountedBound {
  Seconds time;
  std::string
      ceiling;  ///< "issue", "fp32 lanes", "integer lanes", "lanes", "load/store", "L1 data"
};

/// The largest of the counts over the throughput of all multiprocessors at their fastest clock, as
/// implied by the high end of the fastest fp32 ceiling. Rates per cycle from the CUDA C++
/// Programming Guide, "Throughput of Native Arithmetic Instructions". nullopt when the machine has
/// no such ceiling or is of an unknown generation.
std::optional<CountedBound> counted_bound(const CountedWork& work, const Machine& machine);

}  // namespace rooftune::roofline
