// The command of ncu and the sums of its table. Clocks and caches of the device stay as they are.
#include "counters/cuda/ncu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace rooftune::counters {

Command ncu_around(const std::string& program, const std::vector<std::string>& metrics) {
  Command command;
  command.environment = {{"LC_ALL", "C"}};
  command.argv = {program,
                  "--csv",
                  "--page",
                  "raw",
                  "--print-units",
                  "base",
                  "--clock-control",
                  "none",
                  "--cache-control",
                  "none",
                  "--replay-mode",
                  "kernel",
                  "--profile-from-start",
                  "off",
                  "--metrics",
                  fmt::format("{}", fmt::join(metrics, ","))};
  return command;
}

NcuSums ncu_sums(const std::string& output, const std::vector<std::string>& metrics) {
  NcuSums sums;
  sums.values.assign(metrics.size(), 0);
  for (const NcuKernel& kernel : read_ncu_csv(output)) {
    ++sums.kernels;
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      const auto found = kernel.metrics.find(metrics[m]);
      sums.values[m] += found == kernel.metrics.end() ? std::nan("") : found->second;
    }
  }
  return sums;
}

}  // namespace rooftune::counters
