#include "cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/file.h"
#include "core/list.h"
#include "os/paths.h"
#include "report/sentences.h"
#include "report/terminal.h"

namespace rooftune::cli {
namespace {

/// A log gets at most one line in this time [s], improvements aside.
constexpr double plain_interval = 5;

/// "build failed: unroll=8: error: ...".
std::string failure_text(const Trial& trial, const Configuration& baseline) {
  return fmt::format("{}: {}{}{}", readable(to_text(trial.outcome)),
                     difference_text(trial.configuration, baseline),
                     trial.detail.empty() ? "" : ": ", trial.detail);
}

}  // namespace

bool is_screen(int descriptor) {
  const std::string term = environment_text("TERM");
  return isatty(descriptor) == 1 && !term.empty() && term != dumb_terminal;
}

TerminalStyle style_of(int descriptor) {
  std::string locale;
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (locale.empty()) locale = environment_text(name);
  winsize window{};
  if (ioctl(descriptor, TIOCGWINSZ, &window) != 0) window = {};
  int columns = window.ws_col;
  if (columns == 0) columns = std::atoi(environment_text("COLUMNS").c_str());
  return TerminalStyle::detect(isatty(descriptor) == 1, columns, locale, environment_text("TERM"),
                               environment_text("NO_COLOR"));
}

bool is_stdout(const std::string& name) { return name == "-" || name == "/dev/stdout"; }

void require_output(const std::string& name) {
  if (!name.empty() && !is_stdout(name)) require_writable_target(name);
}

void write_output(const std::string& name, const std::string& text) {
  if (is_stdout(name))
    std::fputs(text.c_str(), stdout);
  else if (!name.empty())
    write_for_user(name, text);
}

void print_answer(const StudyResult& result, bool verbose) {
  const TerminalStyle style = style_of(1);
  std::fputs(terminal_summary(result, style).c_str(), stdout);
  if (verbose) std::fputs(terminal_details(result, style).c_str(), stdout);
}

ProgressPrinter::ProgressPrinter(bool quiet, const PreparedStudy& study)
    : study_(study),
      quiet_(quiet),
      tty_(is_screen(2)),
      planned_(study.spec.budget.evaluations),
      style_(style_of(2)),
      baseline_(study.first().space->baseline()) {}

ProgressPrinter::~ProgressPrinter() { clear(); }

void ProgressPrinter::clear() {
  if (open_lines_ == 0) return;
  // The cursor goes to the first line, and everything below is cleared.
  if (open_lines_ > 1) std::fprintf(stderr, "\033[%dA", open_lines_ - 1);
  std::fputs("\r\033[J", stderr);
  open_lines_ = 0;
}

void ProgressPrinter::say(const std::string& line) {
  if (quiet_) return;
  clear();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void ProgressPrinter::show(const Progress& progress) {
  if (quiet_) return;
  ProgressState state;
  state.trials = progress.history.size();
  state.planned = planned_;
  state.elapsed = progress.elapsed;
  state.done = progress.done;
  state.phase = progress.phase;
  state.own_figure = study_.own_figure();
  const Trial* const best = progress.history.best();
  if (best) {
    state.incumbent = best->seconds();
    if (const Trial* const first = progress.history.find(baseline_); first && first->ok())
      state.gain = first->seconds() / *state.incumbent;
    state.has = difference_text(best->configuration, baseline_);
  }
  if (progress.latest) latest_ = *progress.latest;
  // Between two trials, a screen still shows the one before.
  if (tty_ || progress.latest) state.latest = latest_;
  if (progress.latest && failed(latest_->outcome)) failure_ = failure_text(*latest_, baseline_);
  state.failure = failure_;
  // A resumed study knows a best before its first new trial.
  state.improved = best && progress.latest && best->index == progress.latest->index &&
                   (!incumbent_ || *state.incumbent < *incumbent_);
  const bool begins_finals = progress.phase != phase_ && in_finals(progress.phase);
  if (tty_) {
    clear();
    const Texts lines = progress_view(state, style_);
    fmt::print(stderr, "{}", joined(lines, "\n"));
    std::fflush(stderr);
    open_lines_ = int(lines.size());
  } else if (state.improved || begins_finals ||
             (progress.latest && progress.elapsed - last_shown_ >= plain_interval)) {
    std::fputs(plain_progress(state).c_str(), stderr);
    last_shown_ = progress.elapsed;
  }
  phase_ = progress.phase;
  if (progress.latest) incumbent_ = state.incumbent;
}

void print_note(const std::string& line) { fmt::print(stderr, "{}\n", line); }

Texts print_notes(const CardSpan& card) {
  Texts notes = card_doubts(card);
  append(notes, card_notes(card));
  for (const std::string& note : notes) print_note("note: " + note);
  return notes;
}

}  // namespace rooftune::cli
