// A running study's progress in one line: share done, time left, best so far.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "report/terminal.h"
#include "study/search_loop.h"

namespace rooftune::report {

/// A running study's state.
struct ProgressState {
  uint64_t trials = 0;              ///< finished
  std::optional<uint64_t> planned;  ///< budget in trials or space size, when known
  double elapsed = 0;               ///< [s]
  double done = 0;                  ///< which share of the budget is used, [0, 1]; 0: not known yet
  std::optional<double> incumbent;  ///< best seconds so far
  std::optional<double> gain;       ///< the baseline's time over the incumbent's
  std::optional<OwnFigure> own_figure = {};  ///< as in StudyResult
  Progress::Phase phase = Progress::Phase::search;
  std::optional<Trial> latest;  ///< the trial just ended
  bool improved = false;        ///< `latest` is the new incumbent
  std::string has;              ///< what the incumbent changes in the baseline
  std::string failure;          ///< the last trial without a time, and why
};

/// Seconds left, from elapsed and share done; nullopt before 1 % is done.
std::optional<double> remaining(const ProgressState& state);
/// For a terminal: lines within `style.width`, drawn over the last ones: the study's progress, what
/// the best changes, the last failure.
Texts progress_view(const ProgressState& state, const TerminalStyle& style);
/// The study's progress.
std::string progress_line(const ProgressState& state, const TerminalStyle& style);
/// For logs: a single line with at most 120 columns, ends with \n.
std::string plain_progress(const ProgressState& state);

}  // namespace rooftune::report
