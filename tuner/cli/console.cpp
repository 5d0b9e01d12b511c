#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/file.h"

namespace rooftune::inline cli {
namespace {

/// A log gets at most one line per this many seconds, improvements aside.
constexpr double plain_interval = 5;

}  // namespace

TerminalStyle style_of(int descriptor) {
  const auto environment = [](const char* name) -> const char* {
    const char* value = std::getenv(name);
    return value && *value ? value : nullptr;
  };
  const char* locale = environment("LC_ALL");
  if (!locale) locale = environment("LC_CTYPE");
  if (!locale) locale = environment("LANG");
  winsize window{};
  int columns = ioctl(descriptor, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
  if (const char* wanted = environment("COLUMNS"); wanted && columns == 0)
    columns = std::atoi(wanted);
  return TerminalStyle::of(isatty(descriptor) == 1, columns, locale, environment("TERM"),
                           environment("NO_COLOR"));
}

bool is_stdout(const std::string& name) { return name == "-" || name == "/dev/stdout"; }

void require_output(const std::string& name) {
  if (!name.empty() && !is_stdout(name)) require_writable_target(name);
}

void write_output(const std::string& name, const std::string& text) {
  if (is_stdout(name))
    std::fputs(text.c_str(), stdout);
  else if (!name.empty())
    write_atomically(name, text);
}

ProgressPrinter::ProgressPrinter(bool quiet, double bound_seconds,
                                 std::optional<std::uint64_t> planned)
    : quiet_(quiet),
      tty_(isatty(2) == 1),
      bound_seconds_(bound_seconds),
      planned_(planned),
      style_(style_of(2)) {}

ProgressPrinter::~ProgressPrinter() { clear(); }

void ProgressPrinter::clear() {
  if (open_line_) std::fputs("\r\033[K", stderr);
  open_line_ = false;
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
  const Trial* const best = progress.history.best();
  if (best) {
    state.incumbent = best->measurement->seconds.value;
    if (bound_seconds_ > 0) state.gap = *state.incumbent / bound_seconds_;
  }
  if (progress.latest) state.latest = *progress.latest;
  // A resumed study knows a best before its first new trial.
  state.improved = best && state.latest && best->index == state.latest->index &&
                   (!incumbent_ || *state.incumbent < *incumbent_);
  if (tty_) {
    std::fprintf(stderr, "\r%s\033[K", progress_line(state, style_).c_str());
    std::fflush(stderr);
    open_line_ = true;
  } else if (progress.latest &&
             (state.improved || progress.elapsed - last_shown_ >= plain_interval)) {
    std::fputs(plain_progress(state).c_str(), stderr);
    last_shown_ = progress.elapsed;
  }
  if (progress.latest) incumbent_ = state.incumbent;
}

}  // namespace rooftune::inline cli
