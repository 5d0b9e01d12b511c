// A counter-based random source: the same {seed, position} gives the same numbers on every machine.
#pragma once
#include <cstdint>

namespace rooftune::inline core {

/// SplitMix64 (Steele, Lea, Flood 2014) started from (seed, position). Strategies get Rng{seed,
/// history.size()}, which makes resume and replay exact. Not Boost.Random's: none of its generators
/// starts anywhere (mt19937_64 takes 880 ns to seed for one proposal, this 6), and every other
/// sequence changes every proposal of the studies on record.
class Rng {
 public:
  Rng(std::uint64_t seed, std::uint64_t position);
  std::uint64_t next();
  /// Uniform in [0, bound), without modulo bias. bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1).
  double unit();

 private:
  std::uint64_t state_;
};

}  // namespace rooftune::inline core
