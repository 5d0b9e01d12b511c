#include "core/rng.h"

#include <cassert>
#include <numeric>
#include <utility>

namespace rooftune::core {

// Rejects the first 2^64 mod bound values, so each residue is equally frequent.
std::uint64_t Rng::below(std::uint64_t bound) {
  assert(bound > 0);
  const std::uint64_t unfair = (0 - bound) % bound;
  std::uint64_t draw = next();
  while (draw < unfair) draw = next();
  return draw % bound;
}

std::vector<std::size_t> shuffled(std::size_t size, Rng rng) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

}  // namespace rooftune::core
