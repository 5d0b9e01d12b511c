// A number with its interval, and where it comes from: no figure travels without them.
#pragma once
#include <cmath>
#include <string>

#include "core/words.h"

namespace rooftune::core {

/// value within [low, high], all in the owner's base unit.
struct Estimate {
  double value = 0, low = 0, high = 0;
  static Estimate exact(double value) { return {value, value, value}; }
  /// True when the two intervals share a point.
  bool overlaps(const Estimate& other) const { return low <= other.high && other.low <= high; }
  /// Whether the interval holds the value and ends below infinity.
  bool holds() const { return low <= value && value <= high && std::isfinite(high); }
  bool operator==(const Estimate&) const = default;
  static void fields(auto& self, auto& visit) {
    visit("value", self.value)("low", self.low)("high", self.high);
  }
};

/// Source of a number.
struct Source {
  enum class Kind { vendor, measured, modelled, counted, instrumented, declared };
  Kind kind = Kind::measured;
  std::string text;  ///< tool, document or rule, readable by a person
  std::string date;  ///< ISO 8601, empty where it has no meaning
  static void fields(auto& self, auto& visit) {
    visit("kind", self.kind)("text", self.text).sparse("date", self.date);
  }
};
inline Words words(Source::Kind) {
  static constexpr const char* all[] = {"vendor",  "measured",     "modelled",
                                        "counted", "instrumented", "declared"};
  return all;
}

}  // namespace rooftune::core
