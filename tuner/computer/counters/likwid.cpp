// Runs of likwid-perfctr, and its metrics translated. Its counts are of hardware threads, not of a
// program: they include other work there.
#include "counters/likwid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/error.h"
#include "counters/provider.h"

namespace rooftune::counters {

namespace {

/// A metric's names over LIKWID's versions and processors, and its factor to base units.
struct Metric {
  const char* quantity;
  std::vector<const char*> names;  ///< best first
  double scale;
  bool per_second;
};

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> table = {
      {"flops.fp64", {"DP [MFLOP/s]", "DP (FP+SVE512) [MFLOP/s]", "DP MFLOP/s"}, 1e6, true},
      {"flops.fp32", {"SP [MFLOP/s]", "SP (FP+SVE512) [MFLOP/s]", "SP MFLOP/s"}, 1e6, true},
      {"L2.read",
       {"L2D load data volume [GBytes]", "L2 load data volume [GBytes]",
        "L1D<-L2 load data volume [GBytes]"},
       1e9,
       false},
      {"L2.write",
       {"L2D evict data volume [GBytes]", "L2 evict data volume [GBytes]",
        "L1D->L2 evict data volume [GBytes]"},
       1e9,
       false},
      {"L3.read", {"L3 load data volume [GBytes]"}, 1e9, false},
      {"L3.write",
       {"L3|MEM evict data volume [GBytes]", "L3 evict data volume [GBytes]"},
       1e9,
       false},
      {"DRAM.read", {"Memory read data volume [GBytes]"}, 1e9, false},
      {"DRAM.write", {"Memory write data volume [GBytes]"}, 1e9, false},
      {"DRAM.total", {"Memory data volume [GBytes]"}, 1e9, false},
  };
  return table;
}

void take(const Metric& metric, const LikwidGroup& group, std::map<std::string, double>& all) {
  for (const char* name : metric.names) {
    const auto found = group.metrics.find(name);
    if (found == group.metrics.end()) continue;
    all[metric.quantity] = found->second * metric.scale * (metric.per_second ? group.seconds : 1);
    return;
  }
}

}  // namespace

const std::vector<std::string>& likwid_groups() {
  static const std::vector<std::string> groups{"FLOPS_DP", "FLOPS_SP", "L2", "L3", "MEM"};
  return groups;
}

Command likwid_command(const std::string& program, const std::vector<int>& cpus,
                       const std::string& group, const std::vector<std::string>& argv) {
  Command command;
  command.environment = {{"LC_ALL", "C"}};
  command.argv = {program, "-C", fmt::format("{}", fmt::join(cpus, ",")), "-g", group, "-O"};
  command.argv.insert(command.argv.end(), argv.begin(), argv.end());
  return command;
}

std::map<std::string, double> likwid_quantities(const std::vector<LikwidGroup>& groups) {
  std::map<std::string, double> all;
  for (const LikwidGroup& group : groups)
    for (const Metric& metric : metrics()) take(metric, group, all);
  // Reads and writes are more precise than their sum.
  if (all.count("DRAM.read") > 0 && all.count("DRAM.write") > 0) all.erase("DRAM.total");
  return all;
}

HardwareCounts likwid_difference(const std::vector<LikwidGroup>& few,
                                 const std::vector<LikwidGroup>& many, double launches) {
  // LIKWID prints metrics with four decimals or five digits.
  constexpr double printed = 1e-4;
  HardwareCounts counts;
  const auto less = likwid_quantities(few), more = likwid_quantities(many);
  for (const auto& [name, value] : more) {
    const auto found = less.find(name);
    if (found == less.end()) {
      counts.missing[name] = "counted in one of two runs only";
      continue;
    }
    const double one = (value - found->second) / launches;
    const double open = printed * (value + found->second) / launches;
    if (std::isfinite(one) && one >= -open)
      counts.quantities[name] = {one, one - open, one + open};
    else
      counts.missing[name] =
          fmt::format("the longer run counted less: {} after {}", value, found->second);
  }
  counts.notes.push_back("counted on whole hardware threads, from the difference of two runs");
  return counts;
}

Availability likwid_availability() {
  const auto program = find_program("likwid-perfctr");
  if (!program)
    return {false, "likwid-perfctr is not installed", "install LIKWID (Debian: likwid)"};
  try {
    const Finished finished = execute(likwid_command(program->string(), {0}, "FLOPS_DP", {"true"}));
    read_likwid_csv(finished.output);
    return {true, program->string() + " counts", {}};
  } catch (const Error& error) {
    return {false, error.message(), error.hint()};
  }
}

}  // namespace rooftune::counters
