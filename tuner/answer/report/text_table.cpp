#include "report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>

#include "core/list.h"
#include "core/text.h"

namespace rooftune::report {
namespace {

/// How narrow a wrapped cell may be, in columns.
constexpr int least_columns = 4;

/// The parameter of ANSI's "select graphic rendition" for each Ink.
constexpr std::array<const char*, 6> renditions{"", "2", "1", "31", "32", "33"};

std::string blanks(int count) { return std::string(size_t(std::max(0, count)), ' '); }

}  // namespace

std::string inked(const std::string& text, Ink ink, bool colour) {
  if (!colour || ink == Ink::none || text.empty()) return text;
  return std::string("\033[") + renditions[size_t(ink)] + 'm' + text + "\033[0m";
}

Texts characters(const std::string& text) {
  Texts all;
  for (const char c : text)
    if (!all.empty() && !starts_point(c))
      all.back() += c;
    else
      all.emplace_back(1, c);
  return all;
}

int columns_of(const std::string& text) { return int(text_points(text)); }

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
    out += uint8_t(character[0]) < 0x80 ? character : "?";
  return out;
}

std::string fitted(const std::string& text, int columns) {
  const Texts all = characters(text);
  if (int(all.size()) <= columns) return text;
  return joined(std::views::take(all, std::max(0, columns - 3)), "") + "...";
}

Texts wrapped(const std::string& text, int columns) {
  columns = std::max(least_columns, columns);
  Texts lines;
  std::string line, word;
  const auto flush_word = [&] {
    while (columns_of(word) > columns) {
      if (!line.empty()) lines.push_back(std::move(line)), line.clear();
      const Texts all = characters(word);
      lines.push_back(joined(std::views::take(all, columns), ""));
      word = joined(std::views::drop(all, columns), "");
    }
    if (word.empty()) return;
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > columns)
      lines.push_back(std::move(line)), line.clear();
    join(line, word, " ");
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

void TextTable::head(const Texts& names) {
  row(members(names, [](const std::string& name) { return Cell{name, Ink::faint}; }));
}

int TextTable::height(const Integers& widths) const {
  constexpr size_t looked_at = 50;
  int all = 0;
  for (const auto& row : std::views::take(rows_, looked_at)) {
    size_t lines = 1;
    for (size_t i = 0; i < row.size() && row.size() == widths.size(); ++i)
      if (columns_of(row[i].text) > widths[i])
        lines = std::max(lines, wrapped(row[i].text, widths[i]).size());
    all += int(lines);
  }
  return all;
}

Integers TextTable::widths(int widest) const {
  // The last cell of a shorter row goes on below the other columns.
  size_t columns = 0;
  for (const auto& row : rows_) columns = std::max(columns, row.size());
  Integers widths(columns, 1);
  std::vector<bool> wraps(columns, true);
  for (const auto& row : rows_)
    for (const size_t i : indices(row)) {
      const bool last = i + 1 == columns;
      if (!last && i + 1 == row.size()) continue;
      const int own = columns_of(row[i].text);
      widths[i] = std::max(widths[i], last ? own : std::min(widest, own));
      if (row[i].right) wraps[i] = false;
    }
  const auto used = [&] {
    int sum = indent_ - 2;
    for (const int width : widths) sum += width + 2;
    return sum;
  };
  // In a narrow terminal, columns with words are wrapped until all fits, first where that costs no
  // line; columns with numbers come last.
  bool numbers = false;
  while (used() > width_) {
    std::optional<size_t> chosen;
    int least = 0;
    for (size_t i = 0; i < columns; ++i) {
      if (wraps[i] == numbers || widths[i] <= least_columns) continue;
      --widths[i];
      const int lines = height(widths);
      ++widths[i];
      if (chosen && (lines > least || (lines == least && widths[i] <= widths[*chosen]))) continue;
      chosen = i;
      least = lines;
    }
    if (chosen)
      --widths[*chosen];
    else if (!numbers)
      numbers = true;
    else
      break;
  }
  return widths;
}

std::string TextTable::str(bool colour, int widest) const {
  const Integers widths = this->widths(widest);
  std::string out;
  for (const auto& row : rows_) {
    std::vector<Texts> cells;
    size_t height = row.empty() ? 0 : 1;
    int used = indent_;
    for (const size_t i : indices(row)) {
      cells.push_back(wrapped(row[i].text, i + 1 < row.size() ? widths[i] : width_ - used));
      height = std::max(height, cells.back().size());
      used += widths[i] + 2;
    }
    for (size_t k = 0; k < height; ++k) {
      std::string line = blanks(indent_);
      for (const size_t i : indices(row)) {
        const std::string text = k < cells[i].size() ? cells[i][k] : "";
        const std::string pad = i + 1 < row.size() ? blanks(widths[i] - columns_of(text)) : "";
        const std::string cell = inked(text, row[i].ink, colour);
        line += (row[i].right ? pad + cell : cell + pad) + (i + 1 < row.size() ? "  " : "");
      }
      while (!line.empty() && line.back() == ' ') line.pop_back();
      out += line + '\n';
    }
  }
  return out;
}

}  // namespace rooftune::report
