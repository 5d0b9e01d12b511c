// The table of units, and numbers written with them.
#include "core/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace rooftune::core {
namespace {

struct Scale {
  std::string_view symbol;
  double factor;
};
constexpr std::array<Scale, 11> unit_prefixes{{{"", 1.0},
                                               {"k", 1e3},
                                               {"M", 1e6},
                                               {"G", 1e9},
                                               {"T", 1e12},
                                               {"P", 1e15},
                                               {"Ki", 0x1p10},
                                               {"Mi", 0x1p20},
                                               {"Gi", 0x1p30},
                                               {"Ti", 0x1p40},
                                               {"Pi", 0x1p50}}};
constexpr std::array<Scale, 9> time_spelling{{{"s", 1.0},
                                              {"", 1.0},
                                              {"ns", 1e-9},
                                              {"us", 1e-6},
                                              {"µs", 1e-6},
                                              {"ms", 1e-3},
                                              {"min", 60.0},
                                              {"h", 3600.0},
                                              {"d", 86400.0}}};

/// Spellings of the unit of one quantity; hints use the first one.
struct Spelling {
  const char* quantity;
  std::vector<std::string_view> units;
};
const Spelling byte_rate_spelling{"rate of bytes", {"B/s"}};
const Spelling flop_rate_spelling{"rate of operations", {"FLOP/s", "flop/s", "Flop/s"}};
const Spelling byte_spelling{"number of bytes", {"B"}};
const Spelling hertz_spelling{"frequency", {"Hz"}};

/// Possibly intended prefixes: those with a difference in case only.
std::string hint_for(const std::string& unit, const Spelling& spelling) {
  std::string choices;
  const std::string_view base = spelling.units.front();
  for (const Scale& prefix : unit_prefixes) {
    const std::string known = std::string(prefix.symbol) + std::string(base);
    const std::string plain = std::string(prefix.symbol.substr(0, 1)) + std::string(base);
    if (lower_case(unit) == lower_case(known) || lower_case(unit) == lower_case(plain))
      join(choices, known, " or ");
  }
  if (!choices.empty()) return choices;
  return fmt::format("write for example G{} or Gi{}", base, base);
}

double unit_factor(const std::string& unit, const Spelling& spelling) {
  for (const std::string_view base : spelling.units)
    if (unit.ends_with(base))
      if (const auto factor = prefix_factor({unit.data(), unit.size() - base.size()}))
        return *factor;
  throw Error(fmt::format("unknown unit \"{}\" for a {}", excerpt(unit), spelling.quantity), {},
              hint_for(unit, spelling));
}

struct Written {
  double number;
  std::string unit;
};

/// Splits "31.2 GB/s"; the number is finite and not negative, as every quantity here is.
Written written(const std::string& text, const char* quantity) {
  const auto bad = [&](const char* what) {
    return Error(fmt::format("{} \"{}\" for a {}", what, excerpt(text), quantity), {},
                 "write a number and its unit, as in 31.2 GB/s or 10min");
  };
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) throw bad("empty text");
  double number = 0;
  const auto end = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  if (end.ec == std::errc::result_out_of_range) throw bad("number out of range in");
  if (end.ec != std::errc{} || !std::isfinite(number)) throw bad("no number in");
  if (number < 0) throw bad("negative number in");
  const std::string_view unit(end.ptr, text.data() + text.size());
  return {number, std::string(trimmed(unit))};
}

std::string three_digits(double number) {
  const double size = std::abs(number);
  if (size != 0 && (size < 1e-4 || !std::isfinite(size))) return fmt::format("{:.2e}", number);
  int decimals = 2;
  double one = 1;
  // Rounding may carry into the next decade: 9.996 is 10.0, not 10.00.
  for (; size >= 9.995 * one && decimals > 0; one *= 10) --decimals;
  for (; size != 0 && size < 0.9995 * one; one /= 10) ++decimals;
  return fmt::format("{:.{}f}", number, decimals);
}

}  // namespace

std::optional<double> prefix_factor(std::string_view prefix) {
  for (const auto& [symbol, factor] : unit_prefixes)
    if (symbol == prefix) return factor;
  return std::nullopt;
}

Bytes parse_bytes(const std::string& text) {
  const Written parts = written(text, byte_spelling.quantity);
  const double value = parts.number * bytes_unit(parts.unit);
  if (!std::isfinite(value))
    throw Error(fmt::format("number out of range in \"{}\"", excerpt(text)));
  return Bytes(value);
}

Seconds parse_duration(const std::string& text) {
  const Written parts = written(text, "duration");
  for (const Scale& unit : time_spelling)
    if (parts.unit == unit.symbol && std::isfinite(parts.number * unit.factor))
      return Seconds(parts.number * unit.factor);
  throw Error(
      fmt::format("unknown unit \"{}\" in duration \"{}\"", excerpt(parts.unit), excerpt(text)), {},
      "ns, us, ms, s, min, h or d");
}

double byte_rate_unit(const std::string& unit) { return unit_factor(unit, byte_rate_spelling); }
double flop_rate_unit(const std::string& unit) { return unit_factor(unit, flop_rate_spelling); }
double bytes_unit(const std::string& unit) { return unit_factor(unit, byte_spelling); }
double hertz_unit(const std::string& unit) { return unit_factor(unit, hertz_spelling); }

std::string to_text(ByteRate rate) { return decimal_text(rate.value(), "B/s"); }
std::string to_text(FlopRate rate) { return decimal_text(rate.value(), "FLOP/s"); }
std::string to_text(Hertz frequency) { return decimal_text(frequency.value(), "Hz"); }

std::string decimal_text(double value, const char* unit) {
  const Scale* best = &unit_prefixes[0];
  for (size_t i = 1; i < 6; ++i)
    if (std::abs(value) >= unit_prefixes[i].factor * 0.9995) best = &unit_prefixes[i];
  if (value == 0 || !std::isfinite(value)) return fmt::format("{} {}", value, unit);
  return fmt::format("{} {}{}", three_digits(value / best->factor), best->symbol, unit);
}

std::string to_text(Bytes bytes) {
  const double value = bytes.value();
  const Scale* best = &unit_prefixes[0];
  for (size_t i = 6; i < unit_prefixes.size(); ++i)
    if (std::abs(value) >= unit_prefixes[i].factor) best = &unit_prefixes[i];
  const double number = value / best->factor;
  // Sizes are mostly whole: 48 KiB, not 48.0 KiB.
  const std::string digits =
      number == std::trunc(number) ? fmt::format("{:.0f}", number) : three_digits(number);
  return fmt::format("{} {}B", digits, best->symbol);
}

std::string to_text(Seconds time) {
  const double value = time.value();
  const double size = std::abs(value);
  if (value == 0 || !std::isfinite(value)) return fmt::format("{} s", value);
  if (size >= 7200) return three_digits(value / 3600) + " h";
  if (size >= 120) return three_digits(value / 60) + " min";
  if (size >= 0.9995) return three_digits(value) + " s";
  if (size >= 0.9995e-3) return three_digits(value * 1e3) + " ms";
  if (size >= 0.9995e-6) return three_digits(value * 1e6) + " us";
  return three_digits(value * 1e9) + " ns";
}

std::string to_text(Intensity intensity) { return three_digits(intensity.value()) + " flop/B"; }

}  // namespace rooftune::core
