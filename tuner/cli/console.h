// The user's terminal: what it can show, and progress while a study runs.
#pragma once
#include <optional>
#include <string>

#include "report/progress_line.h"
#include "study/search_loop.h"

namespace rooftune::inline cli {

/// Style of standard output (file descriptor 1) or standard error (2).
TerminalStyle style_of(int descriptor);

// Files that the user named: none (empty), or standard output.
bool is_stdout(const std::string& name);  ///< "-" or /dev/stdout: nothing else may be printed there
/// Throws Error with the cure where it could not be written; before there is anything to write.
void require_output(const std::string& name);
void write_output(const std::string& name, const std::string& text);

/// Draws progress on standard error: one rewritten line on a terminal, plain lines (one per trial
/// that matters, at most one every few seconds) elsewhere.
class ProgressPrinter {
 public:
  ProgressPrinter(bool quiet, double bound_seconds, std::optional<std::uint64_t> planned);
  ~ProgressPrinter();  ///< ends the rewritten line
  void show(const Progress& progress);
  /// A line that stays.
  void say(const std::string& line);

 private:
  void clear();
  bool quiet_, tty_;
  double bound_seconds_;
  std::optional<std::uint64_t> planned_;
  TerminalStyle style_;
  double last_shown_ = -1e9;
  std::optional<double> incumbent_;
  bool open_line_ = false;
};

}  // namespace rooftune::inline cli
