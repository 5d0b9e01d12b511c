// An input of snap in the memory of a test, and calls of functions on it.
// The caller links kernels/snap/problem.cpp and names parameters as kernel.json does.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "built_function.h"
#include "guarded_array.h"
#include "support/memory_problem.h"
#include "variant_sample.h"

namespace rooftune::testing {

/// The input that kernels/snap/problem.cpp makes. Throws Refusal.
MemoryProblem solved(const Parameters& parameters);
/// A file with `text`, until the process ends.
std::string file_with(const std::string& text);

struct Result {
  std::vector<double> force, energy;

  double total_energy() const;
  double largest_force() const;
};

/// Arguments of one call between forbidden pages; outputs hold NaN before.
class SnapCall {
 public:
  SnapCall(const MemoryProblem& problem, Flush flush);
  /// Prepares unless told not to, calls, and checks that inputs are as they were.
  Result run(const BuiltFunction& function, bool prepares);

 private:
  const MemoryProblem& problem_;
  std::int64_t atoms_, pairs_, max_neighbours_, twojmax_, coefficients_;
  double cutoff_;
  GuardedArray beta_, displacement_, force_, energy_;
  std::vector<std::int32_t> first_, neighbour_, mirror_;
};

/// The reference on a problem.
Result reference(const MemoryProblem& problem);

}  // namespace rooftune::testing
