// Rows of comma-separated values as profilers print them: quoted cells, doubled quotes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/modules.h"

namespace rooftune::counters {

/// Cells of one line, quotes removed; an unfinished quote ends with the line.
std::vector<std::string> csv_cells(std::string_view line);
/// Lines of a text, without line ends.
std::vector<std::string> text_lines(const std::string& text);

}  // namespace rooftune::counters
