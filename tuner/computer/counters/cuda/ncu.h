// Nsight Compute as a counter: the command to run and the values in its table.
#pragma once
#include <string>
#include <vector>

#include "counters/cuda/cupti_range.h"
#include "counters/cuda/ncu_csv.h"
#include "os/subprocess.h"

namespace rooftune::counters {

/// Launches of a program to count by ncu.
struct NcuRequest {
  std::string program;               ///< path of ncu
  std::string kernel;                ///< the kernel's function name
  int skip = 1;                      ///< launches before the counted one: it runs warm
  std::vector<std::string> metrics;  ///< of a chip's event set
  std::vector<std::string> argv;     ///< the program to profile
};
/// ncu with the caches and clocks left alone, numbers in the C locale and base units.
Command ncu_command(const NcuRequest& request);
/// The first kernel with `kernel` in its name, as values in the order of `metrics`; a metric left
/// out by ncu is NaN. Throws Error when no such kernel was profiled.
std::vector<double> ncu_values(const std::string& output, const std::string& kernel,
                               const std::vector<std::string>& metrics);
/// Runs the command and reads its table. Throws Error.
MetricSource ncu_source(NcuRequest request);

/// ncu as the words before a worker's own: it counts launches between cuProfilerStart and
/// cuProfilerStop, kernel by kernel, in its child process.
Command ncu_around(const std::string& program, const std::vector<std::string>& metrics);
/// Sums over all profiled kernels, in the order of `metrics`; NaN where one lacks a metric.
struct NcuSums {
  std::vector<double> values;
  std::size_t kernels = 0;
};
/// Throws as read_ncu_csv does, also when no kernel was profiled.
NcuSums ncu_sums(const std::string& output, const std::vector<std::string>& metrics);

}  // namespace rooftune::counters
