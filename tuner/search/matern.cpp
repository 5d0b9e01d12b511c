#include "search/matern.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "search/wide.h"

namespace rooftune {
namespace {

/// Beyond this the exponential is as good as 0, and its exponent would leave the range of a double.
constexpr double farthest = 700;

/// exp(-r) to a few units in the last place, of operations that compilers put side by side:
/// 2^-k of the nearest k, and a series of what is left (|rest| <= ln(2) / 2: 0.35^13 / 13! <
/// 2e-16).
__attribute__((always_inline)) inline double falling(double r) {
  // Adding 1.5 * 2^52 rounds to a whole number, which is then in the low bits.
  constexpr double rounder = 6755399441055744.0;
  constexpr double ln2_high = 0.693145751953125, ln2_low = 1.42860682030941723212e-6;
  const double shifted = rounder - r * 1.4426950408889634;
  const double k = shifted - rounder;
  const double x = -r - k * ln2_high - k * ln2_low;
  double series = 1.0 / 39916800 + x * (1.0 / 479001600);
  series = 1.0 / 362880 + x * (1.0 / 3628800 + x * series);
  series = 1.0 / 5040 + x * (1.0 / 40320 + x * series);
  series = 1.0 / 120 + x * (1.0 / 720 + x * series);
  series = 1.0 / 6 + x * (1.0 / 24 + x * series);
  series = 1 + x * (1 + x * (0.5 + x * series));
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return series * std::bit_cast<double>(power);
}

__attribute__((always_inline)) inline double of(double squared_distance) {
  const double r = std::sqrt(5 * squared_distance);
  const double near = r < farthest ? r : farthest;
  return (1 + near + near * near / 3) * falling(near);
}

}  // namespace

double matern(double squared_distance) { return of(squared_distance); }

ROOFTUNE_WIDE
void matern(double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = of(values[i]);
}

}  // namespace rooftune
