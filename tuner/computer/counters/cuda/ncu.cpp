// Runs of ncu, and the reading of its table. Nothing of the device is changed: clocks and caches
// stay as they are.
#include "counters/cuda/ncu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/error.h"

namespace rooftune::counters {

namespace {

/// `name` as a regular expression for it alone, templates included.
std::string as_pattern(const std::string& name) {
  std::string pattern;
  for (const char c : name) {
    if (std::string_view(".*+?()[]{}|^$\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return "regex:^" + pattern + "($|<|\\()";
}

}  // namespace

Command ncu_command(const NcuRequest& request) {
  Command command;
  command.environment = {{"LC_ALL", "C"}};
  command.argv = {request.program,   "--csv",
                  "--page",          "raw",
                  "--print-units",   "base",
                  "--clock-control", "none",
                  "--cache-control", "none",
                  "--replay-mode",   "application",
                  "--kernel-name",   as_pattern(request.kernel),
                  "--launch-skip",   std::to_string(request.skip),
                  "--launch-count",  "1",
                  "--metrics",       fmt::format("{}", fmt::join(request.metrics, ","))};
  command.argv.insert(command.argv.end(), request.argv.begin(), request.argv.end());
  return command;
}

std::vector<double> ncu_values(const std::string& output, const std::string& kernel,
                               const std::vector<std::string>& metrics) {
  for (const NcuKernel& one : read_ncu_csv(output)) {
    if (one.name.find(kernel) == std::string::npos) continue;
    std::vector<double> values;
    for (const std::string& metric : metrics) {
      const auto found = one.metrics.find(metric);
      values.push_back(found == one.metrics.end() ? std::nan("") : found->second);
    }
    return values;
  }
  throw Error("ncu profiled no kernel " + excerpt(kernel), "ncu --csv",
              "check the kernel's name and the launch to count");
}

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

MetricSource ncu_source(NcuRequest request) {
  return [request](const std::vector<std::string>& metrics) {
    NcuRequest now = request;
    now.metrics = metrics;
    const Finished finished = execute(ncu_command(now));
    if (!finished.status.ok() && finished.output.find("==ERROR==") == std::string::npos)
      throw Error("ncu: " + finished.status.text(), now.program);
    if (finished.truncated)
      throw Error("ncu printed more than fits", now.program, "let the program print less");
    return ncu_values(finished.output, now.kernel, metrics);
  };
}

}  // namespace rooftune::counters
