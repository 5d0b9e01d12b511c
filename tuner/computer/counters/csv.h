// Rows of comma-separated values as profilers print them: quoted cells, doubled quotes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/modules.h"

namespace rooftune::counters {

/// Cells of one line, quotes removed; an unfinished quote ends with the line.
inline std::vector<std::string> csv_cells(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

}  // namespace rooftune::counters
