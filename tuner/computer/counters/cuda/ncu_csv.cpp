// The reading of ncu's tables, long and wide. The number style belongs to the table, not to the
// line: one value settles the others.
#include "counters/cuda/ncu_csv.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "counters/csv.h"

namespace rooftune::counters {

namespace {

constexpr const char* ncu_csv = "ncu --csv";

/// A cell of a metric with its launch, kernel and unit.
struct Cell {
  std::string launch, kernel, metric, unit, value;
};

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

bool is_header(const std::vector<std::string>& cells) {
  return column(cells, "ID") < cells.size() && column(cells, "Kernel Name") < cells.size();
}

/// The rows of the table under `header`; other text between them is the program's.
std::vector<std::vector<std::string>> rows(const std::vector<std::string>& lines, std::size_t first,
                                           std::size_t columns) {
  std::vector<std::vector<std::string>> table;
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (!lines[i].starts_with('"')) continue;
    auto cells = csv_cells(lines[i]);
    if (cells.size() != columns)
      throw Error("a line of " + std::to_string(cells.size()) + " cells below " +
                      std::to_string(columns) + " columns: " + excerpt(lines[i]),
                  ncu_csv, "the output was cut: count again");
    table.push_back(std::move(cells));
  }
  return table;
}

std::vector<Cell> long_cells(const std::vector<std::string>& header,
                             const std::vector<std::vector<std::string>>& table) {
  const std::size_t id = column(header, "ID"), kernel = column(header, "Kernel Name"),
                    metric = column(header, "Metric Name"), unit = column(header, "Metric Unit"),
                    value = column(header, "Metric Value");
  if (unit == header.size() || value == header.size())
    throw Error("a table with metric names, but without units or values", ncu_csv);
  std::vector<Cell> cells;
  for (const auto& row : table)
    cells.push_back({row[id], row[kernel], row[metric], row[unit], row[value]});
  return cells;
}

/// The first row of a wide table holds the units; metrics have "__" in their names.
std::vector<Cell> wide_cells(const std::vector<std::string>& header,
                             const std::vector<std::vector<std::string>>& table) {
  const std::size_t id = column(header, "ID"), kernel = column(header, "Kernel Name");
  std::vector<Cell> cells;
  if (table.empty()) return cells;
  if (!table[0][id].empty())
    throw Error("the table has no row of units", ncu_csv, "run ncu with --page raw --csv");
  for (std::size_t row = 1; row < table.size(); ++row)
    for (std::size_t i = 0; i < header.size(); ++i)
      if (header[i].find("__") != std::string::npos)
        cells.push_back(
            {table[row][id], table[row][kernel], header[i], table[0][i], table[row][i]});
  return cells;
}

bool not_collected(const std::string& value) {
  return value.empty() || value == "n/a" || value == "nan" || value == "N/A" || value == "-nan";
}

NumberStyle style_of(const std::vector<Cell>& cells) {
  NumberStyle style = NumberStyle::unknown;
  for (const Cell& cell : cells) {
    if (cell.metric.find("__") == std::string::npos || not_collected(cell.value)) continue;
    const NumberStyle one = number_style(cell.value);
    if (one == NumberStyle::unknown) continue;
    if (style != NumberStyle::unknown && style != one)
      throw Error("numbers of two locales in one table: " + excerpt(cell.value), ncu_csv,
                  "run ncu with LC_ALL=C");
    style = one;
  }
  return style;
}

void take(const Cell& cell, NumberStyle style, NcuKernel& kernel) {
  if (not_collected(cell.value)) {
    kernel.left_out[cell.metric] = "ncu did not collect it";
    return;
  }
  const auto scale = ncu_scale(cell.unit);
  if (scale)
    kernel.metrics[cell.metric] = *scale * ncu_number(cell.value, style);
  else
    kernel.left_out[cell.metric] = "unknown unit \"" + excerpt(cell.unit) + "\"";
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

std::optional<double> ncu_scale(const std::string& unit) {
  static const std::map<std::string, double> known = {
      {"", 1},         {"inst", 1},      {"cycle", 1},   {"warp", 1},     {"thread", 1},
      {"sector", 1},   {"request", 1},   {"byte", 1},    {"Kbyte", 1e3},  {"Mbyte", 1e6},
      {"Gbyte", 1e9},  {"Tbyte", 1e12},  {"nsecond", 1}, {"ns", 1},       {"usecond", 1e3},
      {"us", 1e3},     {"msecond", 1e6}, {"ms", 1e6},    {"second", 1e9}, {"s", 1e9},
      {"Kinst", 1e3},  {"Minst", 1e6},   {"Ginst", 1e9}, {"Kcycle", 1e3}, {"Mcycle", 1e6},
      {"Gcycle", 1e9}, {"Tinst", 1e12}};
  const auto found = known.find(unit);
  if (found == known.end()) return std::nullopt;
  return found->second;
}

std::vector<NcuKernel> read_ncu_csv(const std::string& text) {
  const std::vector<std::string> lines = text_lines(text);
  std::vector<std::string> header;
  std::size_t first = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("==ERROR==")) fail(lines[i]);
    if (!header.empty() || lines[i].starts_with("==")) continue;
    if (auto cells = csv_cells(lines[i]); is_header(cells)) {
      header = std::move(cells);
      first = i + 1;
    }
  }
  if (header.empty())
    throw Error("ncu printed no table", ncu_csv,
                "no kernel was profiled: check the kernel's name and the launch to count");
  const auto table = rows(lines, first, header.size());
  const bool is_long = column(header, "Metric Name") < header.size();
  const auto cells = is_long ? long_cells(header, table) : wide_cells(header, table);
  const NumberStyle style = style_of(cells);
  std::vector<NcuKernel> kernels;
  std::string launch;
  for (const Cell& cell : cells) {
    if (kernels.empty() || cell.launch != launch) kernels.push_back({cell.kernel, {}, {}});
    launch = cell.launch;
    // The details page adds rows of its own, with names for people.
    if (cell.metric.find("__") != std::string::npos) take(cell, style, kernels.back());
  }
  if (kernels.empty()) throw Error("ncu's table has no kernel", ncu_csv);
  return kernels;
}

}  // namespace rooftune::counters
