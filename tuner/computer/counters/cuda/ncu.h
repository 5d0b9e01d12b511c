// Nsight Compute as a counter: the command to run and the values in its table.
#pragma once
#include <string>
#include <vector>

#include "os/subprocess.h"

namespace rooftune::counters {

/// ncu as the words before a worker's own: it counts launches between cuProfilerStart and
/// cuProfilerStop, kernel by kernel, in its child process.
Command ncu_around(const std::string& program, const std::vector<std::string>& metrics);

/// Sums over all profiled kernels, in the order of `metrics`, in bytes, ns and counts; NaN where a
/// kernel lacks a metric, or where its unit is unknown.
struct NcuSums {
  std::vector<double> values;
  std::size_t kernels = 0;
};
/// `output`: everything printed by ncu, in any locale; skips its own remarks (==PROF==) and the
/// program's output. Throws Error: no permission (with the cure), ncu's own error, no table, no
/// kernel, a torn line, a value other than a number, numbers of two locales.
NcuSums ncu_sums(const std::string& output, const std::vector<std::string>& metrics);

/// Number format of a table: its decimal sign, as far as its values show.
enum class NumberStyle { unknown, point, comma };
/// Style shown by one value: "9,00" comma; "1.5" and "1,234,567" point; "1,234" nothing.
NumberStyle number_style(const std::string& text);
/// "1,234,567", "1.234.567,5", "9,00", "1.5e+09"; "1,234" is 1234 unless the style is comma. Throws
/// Error when it is no number.
double ncu_number(const std::string& text, NumberStyle style);

}  // namespace rooftune::counters
