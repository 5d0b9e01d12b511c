// The unit table, and numbers written with units.
#include "core/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/list.h"
#include "core/text.h"

namespace rooftune::core {
namespace {

constexpr std::array<Prefix, 11> unit_prefixes{{{"", 1.0},
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
constexpr std::array<Prefix, 9> time_spelling{{{"s", 1.0},
                                               {"", 1.0},
                                               {"ns", 1e-9},
                                               {"us", 1e-6},
                                               {"µs", 1e-6},
                                               {"ms", 1e-3},
                                               {"min", 60.0},
                                               {"h", 3600.0},
                                               {"d", 86400.0}}};

/// How one quantity's unit may be spelt; hints use the first spelling.
struct Spelling {
  const char* quantity;
  std::vector<std::string_view> units;
};
const Spelling byte_rate_spelling{"rate of bytes", {"B/s"}};
const Spelling flop_rate_spelling{"rate of operations", {"FLOP/s", "flop/s", "Flop/s"}};
const Spelling byte_spelling{"number of bytes", {"B"}};
const Spelling hertz_spelling{"frequency", {"Hz"}};

/// Prefixes that the user may have meant: those that differ in case only.
std::string hint_for(const std::string& unit, const Spelling& spelling) {
  std::string choices;
  const std::string_view base = spelling.units.front();
  for (const Prefix& prefix : unit_prefixes) {
    const std::string known = std::string(prefix.text) + std::string(base);
    const std::string plain = std::string(prefix.text.substr(0, 1)) + std::string(base);
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

constexpr std::array<Prefix, 4> second_prefixes{{{"", 1}, {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}}};

/// 999.95 with three digits would round up to "1000", a figure of the next prefix.
bool has_one(double value, const Prefix& prefix) {
  return std::abs(value) >= prefix.factor * 0.9995;
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
  for (const Prefix& unit : time_spelling)
    if (parts.unit == unit.text && std::isfinite(parts.number * unit.factor))
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

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return value > 0 ? "inf" : value < 0 ? "-inf" : "nan";
  if (value == 0) return "0";
  const double magnitude = std::floor(std::log10(std::abs(value)));
  if (magnitude < -5 || magnitude > 8) return fmt::format("{:.{}e}", value, digits - 1);
  int decimals = std::max(0, digits - 1 - int(magnitude));
  const double rounded = std::round(value * std::pow(10, decimals)) / std::pow(10, decimals);
  // 9.996 becomes 10.00 with three digits: one decimal too many.
  if (decimals > 0 && rounded != 0 && std::floor(std::log10(std::abs(rounded))) > magnitude)
    --decimals;
  return fmt::format("{:.{}f}", value, decimals);
}

const Prefix& prefix_of(double value) {
  size_t best = 5;
  while (best > 0 && !has_one(value, unit_prefixes[best])) --best;
  return unit_prefixes[best];
}

const Prefix& prefix_of_seconds(double value) {
  const auto* const found =
      first_where(second_prefixes, [&](const Prefix& one) { return has_one(value, one); });
  return found ? *found : second_prefixes.back();
}

std::string decimal_text(double value, const char* unit) {
  const Prefix& prefix = prefix_of(std::isfinite(value) ? value : 0);
  return fmt::format("{} {}{}", significant(value / prefix.factor, 3), prefix.text, unit);
}

std::string to_text(Bytes bytes) {
  const double value = bytes.value();
  const Prefix* best = &unit_prefixes[0];
  for (size_t i = 6; i < unit_prefixes.size(); ++i)
    if (std::abs(value) >= unit_prefixes[i].factor) best = &unit_prefixes[i];
  const double number = value / best->factor;
  // Sizes are mostly whole: 48 KiB, not 48.0 KiB.
  const std::string digits =
      number == std::trunc(number) ? fmt::format("{:.0f}", number) : significant(number, 3);
  return fmt::format("{} {}B", digits, best->text);
}

std::string to_text(Seconds time) {
  const double value = time.value(), size = std::abs(value);
  if (value == 0 || !std::isfinite(value)) return fmt::format("{} s", value);
  if (size >= 7200) return significant(value / 3600, 3) + " h";
  if (size >= 120) return significant(value / 60, 3) + " min";
  const Prefix& prefix = prefix_of_seconds(value);
  return fmt::format("{} {}s", significant(value / prefix.factor, 3), prefix.text);
}

}  // namespace rooftune::core
