// Products of other sparse libraries with the same matrix, for measuring against.
// The caller keeps the matrix alive, and x and y long enough.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "unit/kernels/spmv_problem.h"

namespace rooftune::testing {

struct Peer {
  std::string name;
  std::function<void(const double* x, double* y)> multiply;
};

/// The libraries that were there when this was built. `threads` above 1 leaves out those that have
/// none.
std::vector<Peer> sparse_peers(const Sparse& a, int threads);

}  // namespace rooftune::testing
