// Figures as people read them: value, unit and interval in one short text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/list.h"
#include "core/units.h"
#include "study/result.h"

namespace rooftune::report {

/// Units of amounts; a rate in another unit names that unit, "1.20 G element/s".
inline constexpr std::string_view flop_unit = "flop", byte_unit = "B", byte_rate_unit = "B/s";
inline constexpr std::string_view time_unit = "s", ratio_unit = "x", percent_unit = "%";

/// "1.234 ms"; whole units from minutes on: "2 min 05 s".
std::string seconds_text(double seconds);
/// "1.234 ms [1.220, 1.251]": the interval in the value's unit.
std::string seconds_interval(const Estimate& seconds);
/// A time from the study's trials, or the program's own figure: "72.50 points".
std::string figure_text(const std::optional<OwnFigure>& own, double seconds);
std::string figure_interval(const std::optional<OwnFigure>& own, const Estimate& seconds);
/// "time per call", or "points, more is better".
std::string figure_name(const std::optional<OwnFigure>& own);
/// Three digits at most: "84 MB", "651 Mflop", "98 %", "3.21x", "7.07 ms", "1.2 M loads".
std::string amount_text(double value, std::string_view unit);
/// Both in the larger value's unit: "204 -> 142 MB".
std::string amount_change(double before, double after, const std::string& unit);
/// "3.12x" and "3.12x [3.05, 3.18]".
std::string ratio_text(double ratio);
std::string ratio_interval(const Estimate& ratio);
/// "6.02 GFLOP/s" for unit "flop", "1.20 G element/s", "31.0 GB/s" for unit "B".
std::string rate_text(double per_second, std::string_view unit);
/// A rate's unit with a prefix for short axis labels: {1e9, "GFLOP/s"} for values around `typical`.
struct AxisUnit {
  double factor = 1;
  std::string text;
};
AxisUnit axis_unit(double typical, const std::string& unit);
/// The same for times: {1e-3, "ms"}.
AxisUnit seconds_unit(double typical);
/// "31.0 GB/s [30.8, 31.2]".
std::string rate_interval(const Estimate& per_second, const std::string& unit);
/// "1,234,567".
std::string count_text(double count);
/// A cost: "0.8 s", "12.4 s", "3 min 20 s".
std::string duration_text(double seconds);

/// "flop" for in-core ceilings, "B" for memory ceilings.
std::string rate_unit(const Ceiling& ceiling);
/// The rate with its interval where `wide`. A latency is kept as a rate, the bytes in the lines
/// that all threads load one after the other, and shown as the time that one load takes: "1.08 ns
/// [1.07, 1.09]".
std::string ceiling_text(const Ceiling& ceiling, bool wide);
/// "measured 2026-11-21: tune probe 0.1.0".
std::string source_text(const Source& source);
/// "n=1000, matrix=a.mtx".
std::string facts_text(const Facts& facts);
/// "a, b and c".
std::string list_text(const Texts& words);

}  // namespace rooftune::report
