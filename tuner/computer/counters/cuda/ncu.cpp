// Counting of all kernels of one call with Nsight Compute around a worker of its own. Clocks and
// caches are left alone; ncu replays each kernel and restores the memory in between.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "core/error.h"
#include "counters/csv.h"
#include "counters/cuda/cupti.h"
#include "counters/cuda/nvidia.h"

namespace rooftune::counters {
namespace {

constexpr const char* ncu_csv = "ncu --csv";

[[noreturn]] void fail(const std::string& line) {
  if (line.find("ERR_NVGPUCTRPERM") != std::string::npos)
    throw Error("counting on this GPU is for administrators (ERR_NVGPUCTRPERM)", ncu_csv,
                "load the driver with NVreg_RestrictProfilingToAdminUsers=0, or run as root",
                ExitCode::unavailable);
  if (line.find("LibraryNotLoaded") != std::string::npos)
    throw Error("ncu cannot load its libraries here (LibraryNotLoaded)", ncu_csv,
                "containers in gVisor cannot profile: use another runtime", ExitCode::unavailable);
  throw Error("ncu: " + excerpt(line, 200), ncu_csv, {}, ExitCode::unavailable);
}

std::size_t column(const std::vector<std::string>& header, const std::string& name) {
  return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
}

/// Of ncu's raw page: a line of units, then one line per launch.
struct Table {
  std::vector<std::string> header, units;
  std::vector<std::vector<std::string>> kernels;

  /// Metrics have "__" in their names.
  bool is_metric(std::size_t column) const {
    return header[column].find("__") != std::string::npos;
  }
};

/// Cells of the table's lines; other text between them is the program's.
std::vector<std::vector<std::string>> lines_of_table(const std::string& text) {
  std::vector<std::vector<std::string>> table;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("==ERROR==")) fail(line);
    if (!line.starts_with('"')) continue;
    auto cells = csv_cells(line);
    const bool is_header =
        column(cells, "ID") < cells.size() && column(cells, "Kernel Name") < cells.size();
    if (!table.empty() || is_header) table.push_back(std::move(cells));
  }
  return table;
}

Table read_table(const std::string& text) {
  auto lines = lines_of_table(text);
  if (lines.empty())
    throw Error("ncu printed no table", ncu_csv,
                "no kernel was profiled: check the kernel's name and the launch to count");
  const std::size_t columns = lines.front().size();
  for (const auto& cells : lines)
    if (cells.size() != columns)
      throw Error(fmt::format("a line of {} cells below {} columns: {}", cells.size(), columns,
                              excerpt(cells.front())),
                  ncu_csv, "the output was cut: count again");
  if (lines.size() > 1 && !lines[1][column(lines[0], "ID")].empty())
    throw Error("the table has no row of units", ncu_csv, "run ncu with --page raw --csv");
  if (lines.size() < 3) throw Error("ncu's table has no kernel", ncu_csv);
  return {lines[0], lines[1], {lines.begin() + 2, lines.end()}};
}

bool not_collected(const std::string& value) {
  static const std::set<std::string> words{"", "n/a", "N/A", "nan", "-nan"};
  return words.count(value) > 0;
}

/// The number style belongs to the table: one value settles the others.
NumberStyle style_of(const Table& table) {
  NumberStyle style = NumberStyle::unknown;
  for (const auto& kernel : table.kernels)
    for (std::size_t i = 0; i < kernel.size(); ++i) {
      if (!table.is_metric(i) || not_collected(kernel[i])) continue;
      const NumberStyle one = number_style(kernel[i]);
      if (one == NumberStyle::unknown) continue;
      if (style != NumberStyle::unknown && style != one)
        throw Error("numbers of two locales in one table: " + excerpt(kernel[i]), ncu_csv,
                    "run ncu with LC_ALL=C");
      style = one;
    }
  return style;
}

/// With --print-units base everything understood here is a byte, a nanosecond or a count.
bool is_base_unit(const std::string& unit) {
  static const std::set<std::string> known{"",       "inst",    "cycle", "warp",    "thread",
                                           "sector", "request", "byte",  "nsecond", "ns"};
  return known.count(unit) > 0;
}

/// On PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin.
std::optional<std::filesystem::path> ncu_program() {
  if (auto found = find_program("ncu")) return found;
  std::error_code error;
  const char* home = std::getenv("CUDA_HOME");
  for (const std::filesystem::path root : {home ? home : "", "/usr/local/cuda"})
    if (!root.empty() && std::filesystem::exists(root / "bin" / "ncu", error))
      return root / "bin" / "ncu";
  return std::nullopt;
}

/// A chip of each generation, as the event sets name it.
const EventSet& event_set_of(int compute_capability) {
  static const std::map<int, const char*> chips{{70, "GV100"},  {80, "GA100"}, {86, "GA102"},
                                                {89, "AD102"},  {90, "GH100"}, {100, "GB100"},
                                                {103, "GB100"}, {120, "GB202"}};
  const auto chip = chips.find(compute_capability);
  const EventSet* set =
      chip == chips.end() ? nullptr : event_set_of_chip(event_sets(), chip->second);
  if (!set)
    throw Error(fmt::format("no event set knows cards of compute capability {}.{}",
                            compute_capability / 10, compute_capability % 10),
                "--counters ncu", "add its metrics as a file in machines/events");
  return *set;
}

}  // namespace

NumberStyle number_style(const std::string& text) {
  const auto commas = std::count(text.begin(), text.end(), ',');
  const auto points = std::count(text.begin(), text.end(), '.');
  if (commas > 0 && points > 0)
    return text.rfind(',') > text.rfind('.') ? NumberStyle::comma : NumberStyle::point;
  if (commas > 1) return NumberStyle::point;
  if (points > 1) return NumberStyle::comma;
  if (commas + points == 0) return NumberStyle::unknown;
  const std::size_t at = text.find_first_of(",.");
  const std::size_t digits = std::min(text.find_first_of("eE"), text.size()) - at - 1;
  if (digits == 3 && at <= 3 + (text.starts_with('-') ? 1u : 0u) && at > 0)
    return NumberStyle::unknown;
  return commas > 0 ? NumberStyle::comma : NumberStyle::point;
}

double ncu_number(const std::string& text, NumberStyle style) {
  const char decimal = style == NumberStyle::comma ? ',' : '.';
  const char thousands = style == NumberStyle::comma ? '.' : ',';
  std::string plain;
  for (const char c : text)
    if (c != thousands && c != ' ') plain += c == decimal ? '.' : c;
  double value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc{} || end != plain.data() + plain.size() || plain.empty())
    throw Error("\"" + excerpt(text) + "\" is no number", ncu_csv);
  return value;
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
  const Table table = read_table(output);
  const NumberStyle style = style_of(table);
  NcuSums sums;
  sums.kernels = table.kernels.size();
  for (const std::string& metric : metrics) {
    const std::size_t at = column(table.header, metric);
    const bool known = at < table.header.size() && is_base_unit(table.units[at]);
    double sum = 0;
    for (const auto& kernel : table.kernels)
      sum += known && !not_collected(kernel[at]) ? ncu_number(kernel[at], style) : std::nan("");
    sums.values.push_back(sum);
  }
  return sums;
}

Availability ncu_availability() {
  const auto program = ncu_program();
  if (!program)
    return {false, "ncu is not on PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin",
            "install Nsight Compute"};
  const Availability gpu = nvidia_availability();
  if (!gpu.available) return {false, program->string() + " is here, but " + gpu.reason, gpu.cure};
  return {true, program->string(), {}};
}

Counts count_with_ncu(const CountingPlan& plan, const ProcessLauncher& launch) {
  const EventSet& set = event_set_of(plan.compute_capability);
  const auto program = ncu_program();
  if (!program)
    throw Error("ncu is not installed", "--counters ncu", "install Nsight Compute",
                ExitCode::unavailable);
  std::size_t kernels = 0;
  const MetricSource source = [&](const std::vector<std::string>& metrics) {
    try {
      const ProcessRun run = launch(ncu_around(program->string(), metrics), 1);
      const NcuSums sums = ncu_sums(run.output, metrics);
      kernels = sums.kernels;
      return sums.values;
    } catch (const UnfinishedRun& run) {
      // ncu's own message is better than the worker's end.
      if (run.output.find("==ERROR==") != std::string::npos) ncu_sums(run.output, {});
      throw;
    }
  };
  Counts counts = counts_of(count_metrics(set, source), "ncu", "Nsight Compute, " + set.title);
  counts.notes.push_back(
      fmt::format("the sum of {} kernels of one call, each replayed with its memory restored, so "
                  "that it finds the caches as the restoring left them",
                  kernels));
  counts.notes.insert(counts.notes.end(), set.traps.begin(), set.traps.end());
  return counts;
}

}  // namespace rooftune::counters
