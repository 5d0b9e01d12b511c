// Runs of likwid-perfctr around workers, its tables, and its metrics translated. Its counts are of
// hardware threads, not of a program: they include other work there.
#include "counters/likwid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

#include "core/error.h"
#include "counters/csv.h"
#include "counters/provider.h"
#include "os/topology.h"

namespace rooftune::counters {
namespace {

constexpr const char* likwid_csv = "likwid-perfctr -O";
constexpr const char* run_time = "Runtime (RDTSC) [s]";
constexpr std::string_view table_begin = "TABLE", information_begin = "STRUCT";

[[noreturn]] void no_access(const std::string& line) {
  throw Error("likwid may not count here: " + excerpt(line, 120), likwid_csv,
              "load the msr module and install likwid-accessD set-uid root, or use perf events "
              "(kernel.perf_event_paranoid)",
              ExitCode::unavailable);
}

void check_remark(const std::string& line) {
  for (const char* part :
       {"Cannot get access to MSRs", "Permission denied", "Operation not permitted",
        "Failed to open device file", "Access to performance monitoring"})
    if (line.find(part) != std::string::npos) no_access(line);
  for (const char* part :
       {"Cannot find group", "Failed to read performance group", "Cannot add event",
        "Failed to add event", "Unsupported processor", "Unsupported Processor"})
    if (line.find(part) != std::string::npos)
      throw Error("likwid: " + excerpt(line, 160), likwid_csv,
                  "likwid-perfctr -a lists the groups of this machine", ExitCode::unavailable);
}

double likwid_number(const std::string& cell) {
  static const std::set<std::string> idle{"", "-", "nan", "-nan"};
  if (idle.count(cell) > 0) return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size())
    throw Error("\"" + excerpt(cell) + "\" is no number", likwid_csv);
  return value;
}

/// Of "TABLE,Group 1 Metric,FLOPS_DP,7,": the group of the metrics beginning here; empty for
/// another table. Of a marked region the region comes first.
std::string metric_group(const std::vector<std::string>& cells) {
  for (std::size_t i = 1; i + 1 < cells.size(); ++i)
    if (cells[i].starts_with("Group ") && cells[i].ends_with(" Metric")) return cells[i + 1];
  return {};
}

/// Columns of hardware threads in a table's head: "Event,Counter,HWThread 0,HWThread 1".
std::vector<std::size_t> thread_columns(const std::vector<std::string>& head) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < head.size(); ++i)
    if (head[i].starts_with("HWThread ") || head[i].starts_with("Core ")) columns.push_back(i);
  return columns;
}

void take(const std::vector<std::string>& cells, const std::vector<std::size_t>& columns,
          LikwidGroup& group) {
  if (cells.size() <= columns.back())
    throw Error(fmt::format("a line of {} cells: {}", cells.size(), excerpt(cells[0])), likwid_csv,
                "the output was cut: count again");
  double sum = 0, most = 0;
  for (const std::size_t column : columns) {
    const double value = likwid_number(cells[column]);
    sum += value;
    most = std::max(most, value);
  }
  if (cells[0] == run_time) group.seconds = std::max(group.seconds, most);
  group.metrics[cells[0]] += sum;
}

/// A metric's names over LIKWID's versions and processors: MFLOP/s, or GBytes.
struct Metric {
  const char* quantity;
  std::vector<const char*> names;  ///< best first
};

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> table = {
      {"flops.fp64", {"DP [MFLOP/s]", "DP (FP+SVE512) [MFLOP/s]", "DP MFLOP/s"}},
      {"flops.fp32", {"SP [MFLOP/s]", "SP (FP+SVE512) [MFLOP/s]", "SP MFLOP/s"}},
      {"L2.read",
       {"L2D load data volume [GBytes]", "L2 load data volume [GBytes]",
        "L1D<-L2 load data volume [GBytes]"}},
      {"L2.write",
       {"L2D evict data volume [GBytes]", "L2 evict data volume [GBytes]",
        "L1D->L2 evict data volume [GBytes]"}},
      {"L3.read", {"L3 load data volume [GBytes]"}},
      {"L3.write", {"L3|MEM evict data volume [GBytes]", "L3 evict data volume [GBytes]"}},
      {"DRAM.read", {"Memory read data volume [GBytes]"}},
      {"DRAM.write", {"Memory write data volume [GBytes]"}},
      {"DRAM.total", {"Memory data volume [GBytes]"}},
  };
  return table;
}

void take(const Metric& metric, const LikwidGroup& group, std::map<std::string, double>& all) {
  for (const char* name : metric.names) {
    const auto found = group.metrics.find(name);
    if (found == group.metrics.end()) continue;
    const bool rate = std::string_view(name).find("FLOP/s") != std::string_view::npos;
    all[metric.quantity] = found->second * (rate ? 1e6 * group.seconds : 1e9);
    return;
  }
}

Command likwid_command(const std::string& program, const std::vector<int>& cpus,
                       const std::string& group, const std::vector<std::string>& argv) {
  Command command;
  command.environment = {{"LC_ALL", "C"}};
  command.argv = {program, "-C", fmt::format("{}", fmt::join(cpus, ",")), "-g", group, "-O"};
  command.argv.insert(command.argv.end(), argv.begin(), argv.end());
  return command;
}

/// Calls for a time long enough to change LIKWID's printed digits.
std::int64_t enough_calls(double call_seconds) {
  constexpr double wanted_seconds = 1;
  constexpr std::int64_t least = 4, most = 2000;
  if (!(call_seconds > 0)) return most;
  return std::clamp(static_cast<std::int64_t>(std::ceil(wanted_seconds / call_seconds)), least,
                    most);
}

struct Run {
  std::vector<LikwidGroup> groups;
  double call_seconds = 0;
};

/// One run and its tables. After an early end the tool's own message is the better one.
Run counted(const Command& tool, std::int64_t calls, const ProcessLauncher& launch) {
  try {
    const ProcessRun run = launch(tool, calls);
    return {read_likwid_csv(run.output), run.call_seconds};
  } catch (const UnfinishedRun& run) {
    try {
      read_likwid_csv(run.output);
    } catch (const Error& error) {
      if (error.message().find("no table") == std::string::npos) throw;
    }
    throw;
  }
}

/// This machine's LIKWID has no such group; it may have the others.
bool is_lack(const Error& error) { return error.message().starts_with("likwid: "); }

std::string sentence(const std::string& group, const Error& error) {
  return fmt::format("group {} was not counted: {}{}", group, error.message(),
                     error.hint().empty() ? "" : " (" + error.hint() + ")");
}

/// All groups of both runs, and the reasons for missing ones.
struct Measured {
  std::vector<LikwidGroup> few, many;
  std::int64_t calls = 0;  ///< difference of the runs
  std::vector<std::string> lacking, denied;
};

/// The groups that together give FLOPs and bytes per level.
constexpr const char* likwid_groups[] = {"FLOPS_DP", "FLOPS_SP", "L2", "L3", "MEM"};

Measured measured(const std::string& program, const std::vector<int>& cpus,
                  const ProcessLauncher& launch) {
  Measured all;
  std::optional<Error> last;
  for (const char* const group : likwid_groups) {
    const Command tool = likwid_command(program, cpus, group, {});
    try {
      const Run few = counted(tool, 1, launch);
      if (all.calls == 0) all.calls = enough_calls(few.call_seconds);
      const Run many = counted(tool, 1 + all.calls, launch);
      all.few.insert(all.few.end(), few.groups.begin(), few.groups.end());
      all.many.insert(all.many.end(), many.groups.begin(), many.groups.end());
    } catch (const Error& error) {
      last = error;
      if (is_lack(error)) {
        all.lacking.push_back(sentence(group, error));
        continue;
      }
      // Denied from the start: nothing to keep. Denied meanwhile: the counts so far stand.
      if (all.few.empty()) throw;
      all.denied.push_back(sentence(group, error));
      break;
    }
  }
  if (all.few.empty()) throw *last;
  return all;
}

}  // namespace

std::vector<LikwidGroup> read_likwid_csv(const std::string& text) {
  std::vector<LikwidGroup> groups;
  std::string group;
  std::vector<std::size_t> columns;
  bool head = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    check_remark(line);
    const auto cells = csv_cells(line);
    if (cells[0] == table_begin || cells[0] == information_begin) {
      group = metric_group(cells);
      head = !group.empty();
      columns.clear();
    } else if (head) {
      columns = thread_columns(cells);
      head = false;
      groups.push_back({group, {}, 0});
    } else if (!columns.empty() && cells.size() > 1 && !cells[0].empty()) {
      take(cells, columns, groups.back());
    }
  }
  if (groups.empty())
    throw Error("likwid printed no table", likwid_csv,
                "likwid-perfctr -a lists the groups of this machine", ExitCode::unavailable);
  return groups;
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

Counts count_with_likwid(const CountingPlan& plan, const ProcessLauncher& launch) {
  if (!plan.warm)
    throw Error(
        "LIKWID counts whole programs: what empties the caches before every call would be "
        "counted with it",
        "--counters likwid", "tune with --cache warm, or count with perf or instrumented");
  const auto program = find_program("likwid-perfctr");
  if (!program)
    throw Error("likwid-perfctr is not installed", "--counters likwid",
                "install LIKWID (Debian: likwid)", ExitCode::unavailable);
  std::vector<int> cpus = topology().cpus;
  if (cpus.size() > static_cast<std::size_t>(plan.threads))
    cpus.resize(static_cast<std::size_t>(std::max(plan.threads, 1)));
  const Measured all = measured(program->string(), cpus, launch);
  HardwareCounts hardware = likwid_difference(all.few, all.many, static_cast<double>(all.calls));
  hardware.notes.insert(hardware.notes.end(), all.lacking.begin(), all.lacking.end());
  hardware.flags.insert(hardware.flags.end(), all.denied.begin(), all.denied.end());
  return counts_of(hardware, "likwid",
                   fmt::format("likwid-perfctr, two runs that differ by {} calls", all.calls));
}

}  // namespace rooftune::counters
