// Nsight Compute's output with --csv, in either of its forms and in any locale.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::counters {

/// Metrics of one profiled launch in base units: bytes, ns, counts.
struct NcuKernel {
  std::string name;
  std::map<std::string, double> metrics;
  std::map<std::string, std::string> left_out;  ///< metric and why: "n/a", an unknown unit
};

/// Kernels in the order of their launches. `text`: everything printed by ncu; skips its own remarks
/// (==PROF==) and the program's output. Understands one line per metric and, of `--page raw`, one
/// line per launch. Throws Error: no permission (with the cure), ncu's own error, no table, a torn
/// line, a value other than a number, numbers of two locales.
std::vector<NcuKernel> read_ncu_csv(const std::string& text);

/// Number format of a table: its decimal sign, as far as its values show.
enum class NumberStyle { unknown, point, comma };
/// Style shown by one value: "9,00" comma; "1.5" and "1,234,567" point; "1,234" nothing.
NumberStyle number_style(const std::string& text);
/// "1,234,567", "1.234.567,5", "9,00", "1.5e+09"; "1,234" is 1234 unless the style is comma. Throws
/// Error when it is no number.
double ncu_number(const std::string& text, NumberStyle style);
/// Factor from `unit` to bytes, ns or a plain count; nullopt for an unknown unit.
std::optional<double> ncu_scale(const std::string& unit);

}  // namespace rooftune::counters
