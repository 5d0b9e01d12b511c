#include "report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"

namespace rooftune::report {
namespace {

/// Least columns for a readable wrapped last cell.
constexpr int least_last_column = 8;

/// Of each Ink, the parameter of ANSI's "select graphic rendition".
constexpr std::array<const char*, 6> renditions{"", "2", "1", "31", "32", "33"};

std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(std::max(0, count)), ' ');
}

std::string points_text(const std::vector<std::string>& all, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i) text += all[i];
  return text;
}

}  // namespace

std::string inked(const std::string& text, Ink ink, bool colour) {
  if (!colour || ink == Ink::none || text.empty()) return text;
  return std::string("\033[") + renditions[static_cast<std::size_t>(ink)] + 'm' + text + "\033[0m";
}

std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> all;
  for (const char c : text)
    if (!all.empty() && (static_cast<unsigned char>(c) & 0xC0) == 0x80)
      all.back() += c;
    else
      all.emplace_back(1, c);
  return all;
}

int columns_of(const std::string& text) { return static_cast<int>(characters(text).size()); }

std::string printable(const std::string& text) {
  std::string out;
  for (const std::string& character : characters(text)) {
    const bool blank = character[0] == '\n' || character[0] == '\t';
    out += blank ? " " : shown_point(character) == 0 ? "?" : character;
  }
  return out;
}

std::string ascii_only(const std::string& text) {
  std::string out;
  for (const std::string& character : characters(text))
    out += static_cast<unsigned char>(character[0]) < 0x80 ? character : "?";
  return out;
}

std::string fitted(const std::string& text, int columns) {
  const auto all = characters(text);
  if (static_cast<int>(all.size()) <= columns) return text;
  if (columns <= 3) return points_text(all, 0, static_cast<std::size_t>(std::max(0, columns)));
  return points_text(all, 0, static_cast<std::size_t>(columns - 3)) + "...";
}

std::vector<std::string> wrapped(const std::string& text, int columns) {
  columns = std::max(least_last_column, columns);
  std::vector<std::string> lines;
  std::string line, word;
  const auto flush_word = [&] {
    while (columns_of(word) > columns) {
      if (!line.empty()) lines.push_back(std::move(line)), line.clear();
      const auto all = characters(word);
      lines.push_back(points_text(all, 0, static_cast<std::size_t>(columns)));
      word = points_text(all, static_cast<std::size_t>(columns), all.size());
    }
    if (word.empty()) return;
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > columns)
      lines.push_back(std::move(line)), line.clear();
    line += (line.empty() ? "" : " ") + word;
    word.clear();
  };
  for (const char c : text) {
    if (c == ' ' || c == '\n')
      flush_word();
    else
      word += c;
    if (c == '\n' && !line.empty()) lines.push_back(std::move(line)), line.clear();
  }
  flush_word();
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

std::string paragraph(const std::string& head, const std::string& text, int width) {
  const int indent = columns_of(head);
  std::string out;
  for (const std::string& line : wrapped(printable(text), width - indent))
    out += (out.empty() ? head : blanks(indent)) + line + '\n';
  return out;
}

void TextTable::row(std::vector<Cell> cells) {
  for (Cell& cell : cells) cell.text = printable(cell.text);
  rows_.push_back(std::move(cells));
}

std::vector<int> TextTable::widths(int widest) const {
  std::vector<int> widths;
  for (const auto& row : rows_)
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], std::min(widest, columns_of(row[i].text)));
    }
  const auto used = [&] {
    int sum = indent_ + least_last_column;
    for (const int width : widths) sum += width + 2;
    return sum;
  };
  // Too narrow a terminal cuts the widest column, until everything fits.
  while (!widths.empty() && used() > width_) {
    const auto most = std::max_element(widths.begin(), widths.end());
    if (*most <= 4) break;
    --*most;
  }
  return widths;
}

std::string TextTable::str(bool colour, int widest) const {
  const std::vector<int> widths = this->widths(widest);
  std::string out;
  for (const auto& row : rows_) {
    std::string line = blanks(indent_);
    int used = indent_;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      const std::string text = fitted(row[i].text, widths[i]);
      const std::string pad = blanks(widths[i] - columns_of(text));
      const std::string cell = inked(text, row[i].ink, colour);
      line += (row[i].right ? pad + cell : cell + pad) + "  ";
      used += widths[i] + 2;
    }
    if (row.empty()) continue;
    const auto lines = wrapped(row.back().text, width_ - used);
    for (std::size_t k = 0; k < lines.size(); ++k) {
      std::string full = (k == 0 ? line : blanks(used)) + inked(lines[k], row.back().ink, colour);
      while (!full.empty() && full.back() == ' ') full.pop_back();
      out += full + '\n';
    }
  }
  return out;
}

}  // namespace rooftune::report
