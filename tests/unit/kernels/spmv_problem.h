// An input of spmv in the memory of a test, made by problem.cpp, and the reference called on it.
// The caller names parameters as kernels/spmv/kernel.json does.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "support/memory_problem.h"

namespace rooftune::testing {

/// A sparse matrix with rows in order and the vector that it meets.
struct Sparse {
  std::int64_t rows = 0, cols = 0;
  std::vector<std::int32_t> pointer{0}, column;
  std::vector<double> value, x;

  std::int64_t entries() const { return pointer.back(); }
  /// Row-major, rows x cols.
  std::vector<double> dense() const;
  /// kernels/spmv/reference.cpp
  std::vector<double> product() const;
};

/// The input that kernels/spmv/problem.cpp makes of the parameters. Throws Refusal.
Sparse loaded(const MemoryProblem& problem);
MemoryProblem solved(const Parameters& parameters);
/// Writes `text` to a file that is gone afterwards, and loads it. Throws Refusal, whose `where` has
/// no directory.
MemoryProblem solved_text(const std::string& text);

}  // namespace rooftune::testing
