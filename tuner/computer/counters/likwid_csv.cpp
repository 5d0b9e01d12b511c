// The reading of likwid-perfctr's tables. likwid prints errors between the tables: they come first
// here.
#include "counters/likwid_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "counters/csv.h"

namespace rooftune::counters {

namespace {

constexpr const char* likwid_csv = "likwid-perfctr -O";

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
  if (cell == "-" || cell == "nan" || cell == "-nan" || cell.empty()) return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size())
    throw Error("\"" + excerpt(cell) + "\" is no number", likwid_csv);
  return value;
}

/// "TABLE,Group 1 Raw,FLOPS_DP,7,": the table beginning here. Of a marked region the region comes
/// first.
struct Title {
  bool raw = false, metric = false;
  std::string group;
};
Title title(const std::vector<std::string>& cells) {
  Title found;
  for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
    const std::string& cell = cells[i];
    if (!cell.starts_with("Group ")) continue;
    found.raw = cell.ends_with(" Raw");
    found.metric = cell.ends_with(" Metric");
    found.group = cells[i + 1];
  }
  return found;
}

/// Columns of hardware threads in a table's head: "Event,Counter,HWThread 0,HWThread 1".
std::vector<std::size_t> thread_columns(const std::vector<std::string>& head) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < head.size(); ++i)
    if (head[i].starts_with("HWThread ") || head[i].starts_with("Core ")) columns.push_back(i);
  return columns;
}

/// The group of this name, a new one where the last has another.
LikwidGroup& group_named(std::vector<LikwidGroup>& groups, const std::string& name) {
  if (groups.empty() || groups.back().name != name) groups.push_back({name, {}, {}, 0});
  return groups.back();
}

void take(const std::vector<std::string>& cells, const std::vector<std::size_t>& columns, bool raw,
          LikwidGroup& group) {
  if (columns.empty() || cells.size() <= columns.back())
    throw Error(fmt::format("a line of {} cells: {}", cells.size(), excerpt(cells[0])), likwid_csv,
                "the output was cut: count again");
  double sum = 0, most = 0;
  for (const std::size_t column : columns) {
    const double value = likwid_number(cells[column]);
    sum += value;
    most = std::max(most, value);
  }
  if (cells[0] == "Runtime (RDTSC) [s]") group.seconds = std::max(group.seconds, most);
  (raw ? group.events : group.metrics)[cells[0]] += sum;
}

}  // namespace

std::vector<LikwidGroup> read_likwid_csv(const std::string& text) {
  std::vector<LikwidGroup> groups;
  Title now;
  std::vector<std::size_t> columns;
  bool head = false;
  for (const std::string& line : text_lines(text)) {
    check_remark(line);
    const auto cells = csv_cells(line);
    if (cells[0] == "TABLE" || cells[0] == "STRUCT") {
      now = title(cells);
      head = now.raw || now.metric;
      columns.clear();
    } else if (head) {
      columns = thread_columns(cells);
      head = false;
      group_named(groups, now.group);
    } else if (!columns.empty() && cells.size() > 1 && !cells[0].empty()) {
      take(cells, columns, now.raw, groups.back());
    }
  }
  if (groups.empty())
    throw Error("likwid printed no table", likwid_csv,
                "likwid-perfctr -a lists the groups of this machine", ExitCode::unavailable);
  return groups;
}

}  // namespace rooftune::counters
