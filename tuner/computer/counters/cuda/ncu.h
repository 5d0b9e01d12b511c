// Nsight Compute as a counter: the command to run and the values in its table.
#pragma once
#include <string>
#include <vector>

#include "counters/cuda/ncu_csv.h"
#include "os/subprocess.h"

namespace rooftune::counters {

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
