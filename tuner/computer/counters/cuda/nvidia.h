// NVIDIA GPUs for counting: driver, chip, right to profile; and the functions in CUDA's rows of the
// table of counter providers.
#pragma once
#include <string>
#include <vector>

#include "counters/provider.h"

namespace rooftune::counters {

/// Of the driver and its permissions; not of CUPTI or ncu.
Availability nvidia_availability();
/// CUPTI's range profiler, loaded at run time.
Availability cupti_availability();
/// Of the current CUDA context. Never run: no GPU was at hand.
std::unique_ptr<CallCounter> open_cupti(const CountingPlan& plan);
/// Nsight Compute as a program.
Availability ncu_availability();
/// All kernels of one call, replayed kernel by kernel.
Counts count_with_ncu(const CountingPlan& plan, const ProcessLauncher& launch);
/// Whether /proc/driver/nvidia/params keeps counters for administrators; `text` is its content.
bool profiling_restricted(const std::string& text);

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
