// Small matrices with awkward shapes, and the search space in which every knob is active.
// The caller keeps them small: products are compared entry by entry.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "spmv_problem.h"

namespace rooftune::testing {

/// A small deterministic source of numbers.
class NumberSource {
 public:
  explicit NumberSource(std::uint64_t seed) : state_(seed) {}
  std::int64_t below(std::int64_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>(state_ >> 33) % count;
  }
  /// Exact in single precision.
  double value() { return static_cast<double>(below(2001) - 1000) / 512; }

 private:
  std::uint64_t state_;
};

using Columns = std::vector<std::int64_t>;
using Matrices = std::map<std::string, Sparse>;

/// Empty, tiny, thin.
Matrices small_matrices();
/// Those, and long rows, blocks, and columns too far apart for 16 bits.
Matrices awkward_matrices();
/// Equal to their transposes: empty, tiny, with and without diagonal, arrow, band, blocks, wide.
Matrices symmetric_matrices();
/// The space of a matrix that lets every knob be active.
SearchSpace whole_space(const Kernel& kernel);
/// y = A x by a variant, between pages that nobody may touch; x is found unchanged.
class BuiltFunction;
enum class Flush;
std::vector<double> product_of(const BuiltFunction& variant, const Sparse& a, Flush flush,
                               int calls);

}  // namespace rooftune::testing
