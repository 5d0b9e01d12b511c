// Tables and paragraphs for a terminal of a given width.
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

/// Characters of UTF-8 text, each as its own string.
Texts characters(const std::string& text);
/// Width of a text in columns; every character counts as one.
int columns_of(const std::string& text);

/// Control characters, among them commands of a terminal, become "?"; newlines and tabs blanks.
std::string printable(const std::string& text);
/// Everything beyond ASCII becomes "?".
std::string ascii_only(const std::string& text);

/// Words filled into lines of `width`; the first line starts with `head`, the others are indented
/// to it.
std::string paragraph(const std::string& head, const std::string& text, int width);

/// Rows of cells; the last column takes the rest of the width and wraps.
class TextTable {
 public:
  struct Cell {
    std::string text;
    Ink ink = Ink::none;
    bool right = false;  ///< right-aligned
  };
  explicit TextTable(int width, int indent = 2) : width_(width), indent_(indent) {}
  void row(std::vector<Cell> cells);
  /// A row of faint words.
  void head(const Texts& names);
  bool empty() const { return rows_.empty(); }
  /// No line is wider than the width; cells wrap, those of a column but the last at `widest`
  /// characters.
  std::string str(bool colour, int widest = 60) const;

 private:
  std::vector<int> widths(int widest) const;
  int height(const std::vector<int>& widths) const;  ///< lines of the first rows
  int width_, indent_;
  std::vector<std::vector<Cell>> rows_;
};

/// Cut to `columns` characters, "..." at the end when something was lost.
std::string fitted(const std::string& text, int columns);
/// Lines of at most `columns`; words longer than a line are broken.
Texts wrapped(const std::string& text, int columns);

}  // namespace rooftune::report
