// A number with its interval, and where it comes from: no figure travels without them.
#pragma once
#include <string>

#include "core/modules.h"

namespace rooftune::core {

/// value within [low, high], all in the owner's base unit.
struct Estimate {
  double value = 0, low = 0, high = 0;
  static Estimate exact(double value) { return {value, value, value}; }
  /// True when the two intervals share a point.
  bool overlaps(const Estimate& other) const { return low <= other.high && other.low <= high; }
  bool operator==(const Estimate&) const = default;
};

/// Source of a number.
struct Source {
  enum class Kind { vendor, measured, modelled, counted, instrumented, declared };
  Kind kind = Kind::measured;
  std::string text;  ///< tool, document or rule, readable by a person
  std::string date;  ///< ISO 8601, empty where it has no meaning
};
const char* to_text(Source::Kind kind);
/// Throws Error for an unknown word.
Source::Kind source_kind(const std::string& text);

}  // namespace rooftune::core
