// What a set of measured ceilings cannot be: figures that contradict the core's clock or each
// other. A fault is data and goes into the machine file.
#pragma once
#include <string>
#include <vector>

#include "roofline/machine.h"

namespace rooftune::microbench {

struct Contradiction {
  std::size_t ceiling;  ///< index of the one that cannot be trusted
  std::string text;
};

/// In core: at most 4 floating-point instructions per cycle and core; fp32 and fp64 siblings take
/// the same number of cycles within 5 %; the clocks of one width and mix agree within 10 %. Memory:
/// at most 4 full vectors per cycle and core; a level is not slower than the next one out by more
/// than 5 % (same mix, stride, threads; non-temporal stores bypass the caches and are left out).
/// Both: n threads are not faster than n times one thread by more than 5 %, clocks allowed for.
std::vector<Contradiction> contradictions(const Machine& machine, int vector_bits);

/// Floating-point instructions per cycle and thread; 0 when the clock is unknown.
double instructions_per_cycle(const Ceiling& ceiling);

}  // namespace rooftune::microbench
