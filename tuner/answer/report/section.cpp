#include "report/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/text_table.h"

namespace rooftune::report {

std::string terminal_rule(std::string title, const TerminalStyle& style) {
  title[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(title[0])));
  std::string line;
  for (int i = columns_of(title) + 4; i < style.width; ++i) line += style.unicode ? "\u2500" : "-";
  return fmt::format("\n{} {}\n", inked(title, Ink::strong, style.colour),
                     inked(line, Ink::faint, style.colour));
}

std::string terminal_table(const HtmlTable& table, const TerminalStyle& style, int joined_below,
                           int widest) {
  TextTable text(style.width);
  const auto add = [&](const std::vector<HtmlCell>& row, bool head) {
    std::vector<TextTable::Cell> cells;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (style.width >= table.head[i].from)
        cells.push_back({row[i].brief.empty() ? row[i].text : row[i].brief,
                         head ? Ink::faint : row[i].ink, table.head[i].classes.starts_with('n')});
    if (style.width < joined_below) {
      const std::string last = cells.back().text;
      cells.pop_back();
      if (!last.empty()) cells.back().text += "; " + last;
    }
    text.row(std::move(cells));
  };
  add(table.head, true);
  for (const auto& row : table.rows) add(row, false);
  return text.str(style.colour, widest > 0 ? widest : std::max(16, style.width * 9 / 20));
}

std::string terminal_section(const Section& section, const TerminalStyle& style) {
  std::string text = terminal_rule(section.title, style);
  if (!section.opening.empty()) text += paragraph("  ", section.opening, style.width);
  text += terminal_table(section.table, style, section.joined_below);
  for (const std::string& remark : section.remarks) text += paragraph("  ", remark, style.width);
  return text;
}

void html_section(Markup& page, const Section& section) {
  const HtmlFold fold(page, section.title);
  html_paragraph(page, section.opening, "sub");
  html_table(page, section.table);
  for (const std::string& remark : section.remarks) html_paragraph(page, remark, "sub");
}

}  // namespace rooftune::report
