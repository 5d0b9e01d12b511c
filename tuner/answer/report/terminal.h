// Output for the terminal: a study's summary, its evidence, a machine; and the evidence's sections,
// for terminal and page. The caller prints; these functions only make text (lines end with \n, none
// is wider than `width`).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/list.h"
#include "report/markup.h"
#include "study/result.h"

namespace rooftune::report {

/// TERM where nothing but plain characters in lines is understood.
inline constexpr std::string_view dumb_terminal = "dumb";

/// What the terminal can show.
struct TerminalStyle {
  int width = 100;      ///< columns; at least 40 are used
  bool colour = false;  ///< ANSI colours
  bool unicode = true;  ///< it shows any character; false: plain ASCII
  /// From the environment's words: COLUMNS or the window's width, NO_COLOR, TERM,
  /// LC_ALL/LC_CTYPE/LANG. `tty`: the output is a terminal. `columns`: its width, 0 unknown.
  static TerminalStyle detect(bool tty, int columns, const std::string& locale,
                              const std::string& term, const std::string& no_color);
};

/// The answer on one screen, at most a hundred columns wide: headline, staircase, what is left, and
/// a line for each doubt and each further claim.
std::string terminal_summary(const StudyResult& result, const TerminalStyle& style);
/// The evidence: bound, each step in full, counts, ceilings, cost and notes.
std::string terminal_details(const StudyResult& result, const TerminalStyle& style);
/// A machine and its roofs; all its ceilings where asked for.
std::string terminal_machine(const Machine& machine, const TerminalStyle& style, bool all = false);

struct Section {
  std::string title;    ///< with a capital
  std::string opening;  ///< a sentence; may be empty
  HtmlTable table;
  Texts remarks = {};  ///< below the table
};

/// "busy       memory 98 %", wrapped; an empty text leaves no line.
std::string terminal_line(const std::string& name, const std::string& text,
                          const TerminalStyle& style);
/// The table alone; columns but the last are cut to `widest` characters, 0: to 9/20 of the width.
std::string terminal_table(const HtmlTable& table, const TerminalStyle& style, int widest = 0);

}  // namespace rooftune::report
