// A grid of characters with lines drawn finer than a character: braille dots, or ASCII strokes.
// Columns count from the left, rows from the top; texts lie over dots.
#pragma once
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::report {

/// ANSI colours by meaning; `none` prints without an escape.
enum class Ink { none, faint, strong, red, green, yellow, blue, magenta, cyan };
/// The text in this colour when `colour`, else as it is.
std::string inked(const std::string& text, Ink ink, bool colour);

class Canvas {
 public:
  Canvas(int columns, int rows, bool unicode);
  int columns() const { return columns_; }
  int rows() const { return rows_; }
  /// Dots across and down: 2 x 4 per character in braille, 1 x 1 in ASCII.
  int dots_across() const { return columns_ * (unicode_ ? 2 : 1); }
  int dots_down() const { return rows_ * (unicode_ ? 4 : 1); }
  /// A straight line between two points in dots; every `gap`th dot only. Parts outside are cut off.
  /// Later lines win the colour of a character; `stroke` is the ASCII character.
  void line(double x1, double y1, double x2, double y2, Ink ink, int gap = 1, char stroke = '.');
  /// Text over the dots; cut off at the edges. `free` tells whether no text is there yet.
  void text(int column, int row, const std::string& text, Ink ink);
  bool free(int column, int row, int length) const;
  std::string row(int row, bool colour) const;

 private:
  struct Cell {
    unsigned dots = 0;
    char stroke = ' ';
    std::string glyph;  ///< a text's character, one column wide
    Ink ink = Ink::none;
  };
  std::size_t at(int column, int row) const;
  void dot(int x, int y, Ink ink, char stroke);
  int columns_, rows_;
  bool unicode_;
  std::vector<Cell> cells_;
};

/// Characters of UTF-8 text, each as its own string.
std::vector<std::string> characters(const std::string& text);
/// Width of a text in columns; every character counts as one.
int columns_of(const std::string& text);

}  // namespace rooftune::report
