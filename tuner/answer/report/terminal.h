// Output for the terminal: the summary of a study and its roofline drawn in characters.
// The caller prints; these functions only make text (lines end with \n, none is wider than
// `width`).
#pragma once
#include <string>

#include "report/roofline_view.h"

namespace rooftune::report {

/// Abilities of the terminal.
struct TerminalStyle {
  int width = 80;       ///< columns; 40 at least are used
  bool colour = false;  ///< ANSI colours
  bool unicode = true;  ///< braille and box characters; false: plain ASCII
  /// From the environment's words: COLUMNS or the window's width, NO_COLOR, TERM,
  /// LC_ALL/LC_CTYPE/LANG. `tty`: the output is a terminal. `columns`: its width, 0 unknown.
  static TerminalStyle detect(bool tty, int columns, const char* locale, const char* term,
                              const char* no_color);
};

/// The answer on one screen: headline with its doubts, times, limit, effective changes, next try.
std::string terminal_summary(const StudyResult& result, const TerminalStyle& style);
/// The evidence: roofline, gap, ledger, value of each change, counts, cost and notes.
std::string terminal_details(const StudyResult& result, const TerminalStyle& style);
/// Log-log chart, ceilings as lines, B baseline, * best, o bound, axes and a key of the roofs; no
/// line is wider than `style.width`.
std::string roofline_characters(RooflineView view, const TerminalStyle& style);
/// A machine's roofs and ceilings: chart and table.
std::string terminal_machine(const Machine& machine, const TerminalStyle& style, bool all = false);

}  // namespace rooftune::report
