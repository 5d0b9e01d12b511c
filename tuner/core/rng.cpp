// SplitMix64 from (seed, position). A position is never used twice with one seed for unrelated
// draws.
#include "core/rng.h"

#include <cassert>

namespace rooftune::inline core {
namespace {

constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;

/// The finaliser of SplitMix64: a bijection of 64 bits.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

// Mixing twice keeps the streams of neighbouring positions from being shifts of each other.
Rng::Rng(std::uint64_t seed, std::uint64_t position)
    : state_(mixed(mixed(seed + gamma) ^ mixed(position ^ 0xd1b54a32d192ed03))) {}

std::uint64_t Rng::next() {
  state_ += gamma;
  return mixed(state_);
}

// Rejects the first 2^64 mod bound values, so that each residue is equally frequent.
std::uint64_t Rng::below(std::uint64_t bound) {
  assert(bound > 0);
  const std::uint64_t unfair = (0 - bound) % bound;
  std::uint64_t draw = next();
  while (draw < unfair) draw = next();
  return draw % bound;
}

double Rng::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

}  // namespace rooftune::inline core
