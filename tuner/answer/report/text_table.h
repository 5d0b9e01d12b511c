// Tables and paragraphs for a terminal with a given width.
#pragma once
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::report {

/// ANSI colours by meaning; `none` prints without an escape.
enum class Ink { none, faint, strong, red, green, yellow };
/// The text in this colour when `colour`, else as it is.
std::string inked(const std::string& text, Ink ink, bool colour);

/// The characters in UTF-8 text, each as its own string.
Texts characters(const std::string& text);
/// A text's width in columns; every character counts as one.
int columns_of(const std::string& text);

/// Control characters, also those in terminal commands, become "?"; newlines and tabs become
/// blanks.
std::string printable(const std::string& text);
/// Everything beyond ASCII becomes "?".
std::string ascii_only(const std::string& text);

/// Fills words into lines `width` columns wide; the first line starts with `head`, the others are
/// indented to its end.
std::string paragraph(const std::string& head, const std::string& text, int width);

/// A table by rows; the last column takes the rest of the width and wraps.
class TextTable {
 public:
  struct Cell {
    std::string text;
    Ink ink = Ink::none;
    bool right = false;  ///< right-aligned
  };
  explicit TextTable(int width, int indent = 2) : width_(width), indent_(indent) {}
  void row(std::vector<Cell> cells);
  /// A row with faint words.
  void head(const Texts& names);
  bool empty() const { return rows_.empty(); }
  /// No line is wider than the width; cells wrap, in all but the last column at `widest`
  /// characters.
  std::string str(bool colour, int widest = 60) const;

 private:
  Integers widths(int widest) const;
  int height(const Integers& widths) const;  ///< how many lines the first rows take
  int width_, indent_;
  std::vector<std::vector<Cell>> rows_;
};

/// Cut to `columns` characters, three at least, "..." at the end when something was lost.
std::string fitted(const std::string& text, int columns);
/// Lines with at most `columns` columns; words longer than a line are broken.
Texts wrapped(const std::string& text, int columns);

}  // namespace rooftune::report
