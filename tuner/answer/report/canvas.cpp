#include "report/canvas.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rooftune::report {
namespace {

/// Bit of each dot inside a braille character, [row][column] (Unicode U+2800).
constexpr std::array<std::array<unsigned, 2>, 4> braille_bits{
    {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}};

std::string braille(unsigned dots) {
  const unsigned code = 0x2800 + dots;
  return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

/// Of each Ink, the parameter of ANSI's "select graphic rendition".
constexpr std::array<const char*, 9> renditions{"", "2", "1", "31", "32", "33", "34", "35", "36"};

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

Canvas::Canvas(int columns, int rows, bool unicode)
    : columns_(columns),
      rows_(rows),
      unicode_(unicode),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

std::size_t Canvas::at(int column, int row) const {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
         static_cast<std::size_t>(column);
}

void Canvas::dot(int x, int y, Ink ink, char stroke) {
  if (x < 0 || y < 0 || x >= dots_across() || y >= dots_down()) return;
  Cell& cell = cells_[at(unicode_ ? x / 2 : x, unicode_ ? y / 4 : y)];
  if (unicode_)
    cell.dots |= braille_bits[static_cast<std::size_t>(y % 4)][static_cast<std::size_t>(x % 2)];
  cell.stroke = stroke;
  cell.ink = ink;
}

void Canvas::line(double x1, double y1, double x2, double y2, Ink ink, int gap, char stroke) {
  const int steps =
      std::max(1, static_cast<int>(std::ceil(std::max(std::abs(x2 - x1), std::abs(y2 - y1)))));
  for (int i = 0; i <= steps; i += gap) {
    const double t = static_cast<double>(i) / steps;
    dot(static_cast<int>(std::lround(x1 + t * (x2 - x1))),
        static_cast<int>(std::lround(y1 + t * (y2 - y1))), ink, stroke);
  }
}

bool Canvas::free(int column, int row, int length) const {
  if (row < 0 || row >= rows_ || column < 0 || column + length > columns_) return false;
  for (int i = 0; i < length; ++i)
    if (!cells_[at(column + i, row)].glyph.empty()) return false;
  return true;
}

void Canvas::text(int column, int row, const std::string& text, Ink ink) {
  if (row < 0 || row >= rows_) return;
  for (const std::string& character : characters(text)) {
    if (column >= 0 && column < columns_) {
      Cell& cell = cells_[at(column, row)];
      cell.glyph = character;
      cell.ink = ink;
    }
    ++column;
  }
}

std::string Canvas::row(int row, bool colour) const {
  std::string out, run;
  Ink ink = Ink::none;
  for (int column = 0; column < columns_; ++column) {
    const Cell& cell = cells_[at(column, row)];
    std::string glyph = cell.glyph;
    if (glyph.empty())
      glyph = unicode_ ? (cell.dots ? braille(cell.dots) : " ") : std::string(1, cell.stroke);
    if (cell.ink != ink) {
      out += inked(run, ink, colour);
      run.clear();
      ink = cell.ink;
    }
    run += glyph;
  }
  out += inked(run, ink, colour);
  // Blanks at the end only cost when a terminal is resized.
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace rooftune::report
