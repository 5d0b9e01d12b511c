// A counter-based random source: the same {seed, position} gives the same numbers on every machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::core {

/// SplitMix64 (Steele, Lea, Flood 2014) started from (seed, position). Strategies get Rng{seed,
/// history.size()}, for exact resume and replay. Not Boost.Random's: its generators cannot start at
/// any position (mt19937_64 takes 880 ns to seed for one proposal, this 6), and another sequence
/// would change every proposal in the studies on record. Inline: arrays are filled with it.
class Rng {
 public:
  /// Mixing twice keeps neighbouring positions' streams from being shifts of each other.
  Rng(uint64_t seed, uint64_t position)
      : state_(mixed(mixed(seed + gamma) ^ mixed(position ^ 0xd1b54a32d192ed03))) {}
  uint64_t next() {
    state_ += gamma;
    return mixed(state_);
  }
  /// Uniform in [0, bound), without modulo bias. bound > 0.
  uint64_t below(uint64_t bound) {
    // Rejects the first 2^64 mod bound values, so each residue is equally frequent.
    const uint64_t unfair = (0 - bound) % bound;
    uint64_t draw = next();
    while (draw < unfair) draw = next();
    return draw % bound;
  }
  /// Uniform in [0, 1).
  double unit() { return double(next() >> 11) * 0x1p-53; }

 private:
  static constexpr uint64_t gamma = 0x9e3779b97f4a7c15;
  /// SplitMix64's finaliser: a bijection on 64 bits.
  static uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

/// 0 to size - 1 in random order.
inline Indices shuffled(size_t size, Rng rng) {
  Indices order = all_places(size);
  for (size_t i = size; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

}  // namespace rooftune::core
