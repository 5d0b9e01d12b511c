#include "report/progress_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/text_table.h"

namespace rooftune::report {
namespace {

/// A state in words.
struct StateWords : ProgressState {
  std::string position() const {
    std::string text = std::to_string(trials);
    if (planned) text += '/' + std::to_string(*planned);
    return text;
  }

  std::string standing() const {
    if (!incumbent) return "nothing measured yet";
    std::string text = "best " + figure_text(own_figure, *incumbent);
    if (gain && *gain > 1)
      text += fmt::format(", {} {}", ratio_text(*gain), own_figure ? "better" : "faster");
    return text;
  }

  std::string latest_text() const {
    // In the order of Phase.
    static constexpr const char* words[] = {"", "building the next ones together",
                                            "racing the finalists",
                                            "measuring the steps from the baseline to the winner"};
    if (phase != Progress::Phase::search) return words[size_t(phase)];
    if (!latest) return "starting";
    const Trial& trial = *latest;
    std::string text =
        trial.ok() ? figure_text(own_figure, trial.seconds()) : readable(to_text(trial.outcome));
    if (improved) text += " (new best)";
    return text;
  }

  std::string times() const {
    std::string text = duration_text(elapsed);
    if (const auto left = remaining(*this)) text += fmt::format(", {} left", duration_text(*left));
    return text;
  }
};

std::string bar(double done, const TerminalStyle& style) {
  constexpr int cells = 12;
  const int full = int(std::clamp(done, 0.0, 1.0) * cells + 0.5);
  std::string text;
  for (int i = 0; i < cells; ++i)
    text += style.unicode ? (i < full ? "\u2588" : "\u2591") : (i < full ? "#" : ".");
  return text;
}

}  // namespace

std::optional<double> remaining(const ProgressState& state) {
  if (in_finals(state.phase) || state.done < 0.01) return std::nullopt;
  return state.elapsed * (1 - std::min(state.done, 1.0)) / state.done;
}

std::string progress_line(const ProgressState& state, const TerminalStyle& style) {
  const StateWords words{state};
  // One column stays free: a full line would wrap on some terminals.
  const int width = style.width - 1;
  const std::string head = bar(state.done, style) + " " + words.position();
  std::string line = head;
  for (const std::string& part : {words.standing(), words.times(), words.latest_text()})
    if (columns_of(line) + 3 + columns_of(part) <= width) line += " | " + part;
  line = fitted(printable(line), width);
  return state.improved ? inked(line, Ink::green, style.colour) : line;
}

Texts progress_view(const ProgressState& state, const TerminalStyle& style) {
  Texts lines{progress_line(state, style)};
  const auto add = [&](const char* about, const std::string& text) {
    if (!text.empty())
      lines.push_back(inked(fitted(printable(fmt::format("  {} {}", about, text)), style.width - 1),
                            Ink::faint, style.colour));
  };
  add("best has", state.has);
  add("failed last:", state.failure);
  return lines;
}

std::string plain_progress(const ProgressState& state) {
  constexpr int columns = 120;
  const StateWords words{state};
  const std::string head = fmt::format("[{}] {}, {}; {}", words.position(), words.latest_text(),
                                       words.standing(), words.times());
  std::string more;
  if (state.latest && state.improved && !in_finals(state.phase))
    more = state.has;
  else if (state.latest && !state.latest->ok())
    more = state.latest->detail;
  return fitted(printable(head + (more.empty() ? "" : "; " + more)), columns) + '\n';
}

}  // namespace rooftune::report
