// The user's terminal: what it can show, and progress while a study runs.
#pragma once
#include <optional>
#include <string>

#include "report/progress_line.h"
#include "study/prepare.h"
#include "study/result.h"
#include "study/search_loop.h"
#include "trial/card_span.h"

namespace rooftune::cli {

/// Whether this is a terminal with a movable cursor.
bool is_screen(int descriptor);
/// The style for standard output (file descriptor 1) or standard error (2).
TerminalStyle style_of(int descriptor);

// A file that the user names; it may be none (empty) or standard output.
bool is_stdout(const std::string& name);  ///< "-" or /dev/stdout: nothing else may be printed there
/// Throws Error with the cure if the file could not be written; called before there is anything to
/// write.
void require_output(const std::string& name);
void write_output(const std::string& name, const std::string& text);

/// Prints a study's answer on standard output; `verbose`: the evidence too.
void print_answer(const StudyResult& result, bool verbose);

/// Draws progress on standard error: a few rewritten lines on a terminal, plain lines (one per
/// important trial, at most one every few seconds) elsewhere.
class ProgressPrinter {
 public:
  /// The study must outlive the last show(): its bound moves when a ceiling turns out faster.
  ProgressPrinter(bool quiet, const PreparedStudy& study);
  ~ProgressPrinter();  ///< clears the rewritten lines
  void show(const Progress& progress);
  /// A permanent line.
  void say(const std::string& line);

 private:
  void clear();
  const PreparedStudy& study_;
  bool quiet_, tty_;
  std::optional<uint64_t> planned_;
  TerminalStyle style_;
  double last_shown_ = -1e9;
  std::optional<double> incumbent_;
  std::optional<Trial> latest_;
  Configuration baseline_;  ///< configurations are shown as their differences from it
  std::string failure_;
  Progress::Phase phase_ = Progress::Phase::search;
  int open_lines_ = 0;
};

/// Prints a line on standard error.
void print_note(const std::string& line);
/// Prints how a card fared, as notes; returns them.
Texts print_notes(const CardSpan& card);

}  // namespace rooftune::cli
