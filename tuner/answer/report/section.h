// A part of the evidence: a table between a sentence and remarks, the same for terminal and page.
#pragma once
#include <string>
#include <vector>

#include "report/html.h"
#include "report/terminal.h"

namespace rooftune::report {

struct Section {
  std::string title;    ///< with a capital
  std::string opening;  ///< a sentence; may be empty
  HtmlTable table;
  std::vector<std::string> remarks = {};  ///< below the table
  int joined_below = 0;  ///< terminals of fewer columns join the last two cells of a row
};

/// A heading with a rule up to the terminal's width.
std::string terminal_rule(std::string title, const TerminalStyle& style);
std::string terminal_section(const Section& section, const TerminalStyle& style);
/// The table alone; a column but the last is cut to `widest` characters, 0: to 9/20 of the width.
std::string terminal_table(const HtmlTable& table, const TerminalStyle& style, int joined_below = 0,
                           int widest = 0);
/// The section as a fold.
void html_section(Markup& page, const Section& section);

}  // namespace rooftune::report
