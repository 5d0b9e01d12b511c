// A lower bound on the time of one variant on one card, from what a profiler counted of it, on that
// card or on another one.
// Another compiler may do with fewer instructions: a variant that beats the bound disproves the
// counts.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "core/quantity.h"
#include "roofline/machine.h"

namespace rooftune::roofline {

/// What a variant executes whatever the size of the caches and the clock. Traffic below L1 is left
/// out: a card with larger caches moves less.
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

/// The largest of the counts over what all multiprocessors do at their fastest clock: the one that
/// the high end of the fastest fp32 ceiling stands for. Rates per cycle from the CUDA C++
/// Programming Guide, "Throughput of Native Arithmetic Instructions". nullopt when the machine has
/// no such ceiling or its generation is not known.
std::optional<CountedBound> counted_bound(const CountedWork& work, const Machine& machine);

}  // namespace rooftune::roofline
