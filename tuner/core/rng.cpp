#include "core/rng.h"

#include <cassert>

namespace rooftune::inline core {

// Rejects the first 2^64 mod bound values, so that each residue is equally frequent.
std::uint64_t Rng::below(std::uint64_t bound) {
  assert(bound > 0);
  const std::uint64_t unfair = (0 - bound) % bound;
  std::uint64_t draw = next();
  while (draw < unfair) draw = next();
  return draw % bound;
}

}  // namespace rooftune::inline core
