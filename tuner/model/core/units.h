// Units as people write them, to and from base units; one tested table.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/quantity.h"

namespace rooftune::core {

/// "2 MiB" in base units. Decimal prefixes k M G T P are powers of 1000, binary Ki Mi Gi Ti Pi of
/// 1024. Throws Error with a hint for an unknown unit ("KB": kB or KiB).
Bytes parse_bytes(const std::string& text);
/// "90", "90s", "10min", "1.5h", "250ms"; a bare number is seconds.
Seconds parse_duration(const std::string& text);
inline void from_text(const std::string& text, Seconds& time) { time = parse_duration(text); }
/// 1000 for "k", 1024 for "Ki", 1 for ""; nullopt: it is no prefix.
std::optional<double> prefix_factor(std::string_view prefix);
/// The factor from `unit` to the named quantity's base units: "GB/s" -> 1e9.
double byte_rate_unit(const std::string& unit);
double flop_rate_unit(const std::string& unit);
double bytes_unit(const std::string& unit);
double hertz_unit(const std::string& unit);

/// `digits` significant digits, without an exponent for ordinary numbers: 3.12, 0.0021, 12300.
std::string significant(double value, int digits);
/// A decimal prefix: "G" for 1e9.
struct Prefix {
  std::string_view text;
  double factor;
};
/// The largest prefix, at most "P", that leaves `value` at 1 or more in three digits; else none.
const Prefix& prefix_of(double value);
/// The same for seconds: none, "m", "u" or "n".
const Prefix& prefix_of_seconds(double value);

/// Three significant digits and the fitting prefix: "31.2 GB/s", "1.25 ms", "48 KiB".
std::string to_text(ByteRate rate);
std::string to_text(FlopRate rate);
std::string to_text(Bytes bytes);
/// With the largest decimal prefix that leaves at least 1: "403 MB", for traffic, since rates are
/// decimal too.
std::string decimal_text(double value, const char* unit);
inline std::string decimal_text(Bytes bytes) { return decimal_text(bytes.value(), "B"); }
std::string to_text(Seconds time);
std::string to_text(Hertz frequency);

}  // namespace rooftune::core
