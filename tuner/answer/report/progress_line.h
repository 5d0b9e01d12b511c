// Progress of a running study in one line: share done, time left, best so far.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "report/terminal.h"
#include "study/search_loop.h"

namespace rooftune::report {

/// State of a running study.
struct ProgressState {
  uint64_t trials = 0;              ///< finished
  std::optional<uint64_t> planned;  ///< budget in trials or size of the space, when known
  double elapsed = 0;               ///< [s]
  double done = 0;                  ///< share of the budget used, [0, 1]; 0 = nothing known yet
  std::optional<double> incumbent;  ///< best seconds so far
  std::optional<double> gain;       ///< the baseline's time over the incumbent's
  std::optional<OwnFigure> own_figure = {};  ///< as in StudyResult
  Progress::Phase phase = Progress::Phase::search;
  std::optional<Trial> latest;  ///< the trial just ended
  bool improved = false;        ///< `latest` is the new incumbent
  std::string has;              ///< the incumbent's changes of the baseline
  std::string failure;          ///< the last trial without a time, and why
};

/// Seconds left, from elapsed and share done; nullopt before 1 % is done.
std::optional<double> remaining(const ProgressState& state);
/// For a terminal: lines within `style.width`, drawn over each other: the progress of the study,
/// the best's changes, the last failure.
Texts progress_view(const ProgressState& state, const TerminalStyle& style);
/// Progress of the study.
std::string progress_line(const ProgressState& state, const TerminalStyle& style);
/// For logs: a single line of at most 120 columns, ends with \n.
std::string plain_progress(const ProgressState& state);

}  // namespace rooftune::report
