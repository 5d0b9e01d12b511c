// Measurements of sweeps, night after night: the figures of one problem on one machine in the order
// of time. Read from the files of sweeps; the input of pages, formats and comparisons.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/estimate.h"
#include "core/json.h"
#include "report/answer.h"
#include "sweep/exports.h"
#include "sweep/regression.h"

namespace rooftune::sweep {

/// One study of one run. Figures are absent where nothing was measured.
struct Night {
  std::string date;           ///< UTC, ISO 8601: when the study ended, else when the sweep began
  std::filesystem::path run;  ///< folder of the sweep
  std::string plan, name;     ///< of the sweep, and of the study in it
  std::string study;          ///< its id; empty when it failed before it had one
  std::string state, message;
  /// Of the best, and of the bound of all variants [s per call]; of several inputs the geometric
  /// mean.
  std::optional<Estimate> seconds, bound;
  std::optional<double> gap, speedup;
  std::string ceiling;                 ///< the binding one
  std::optional<double> ceiling_rate;  ///< its rate in this night
  std::string ceiling_unit;            ///< "B/s" or "flop/s"
  std::string compiler, version;
  Json configuration;                     ///< of the best; null when there is none
  std::vector<std::string> inconclusive;  ///< why the answer may be wrong; empty: no doubt
  HeadlineDoubts doubts;                  ///< of `speedup` and `gap`
  std::optional<SeriesVerdict> verdict;   ///< against the baseline; absent: not held
  std::vector<ExportVerdict> exports;     ///< against the applications' exports

  bool failed() const { return state == "failed"; }
  bool conclusive() const { return inconclusive.empty(); }
};

/// All nights of one problem on one machine. Another machine id is another series; another compiler
/// is not, but every night names its own.
struct Series {
  std::string key;  ///< 16 hexadecimal digits of a hash of the members below
  std::string kernel, problem, backend, machine, machine_id, cache;
  int threads = 0;
  double amortize = 0;                ///< calls per conversion; 0: not counted
  std::vector<Night> nights;          ///< oldest first, at least one
  std::vector<Acceptance> baselines;  ///< references of later nights, oldest first
  /// The present baseline; nullptr without one.
  const Acceptance* baseline() const { return baselines.empty() ? nullptr : &baselines.back(); }
};

/// Contents of a folder of sweeps. An unreadable file is a fault, and the rest is there.
struct SweepHistory {
  std::vector<Series> series;       ///< by kernel, problem, back end, machine
  std::vector<std::string> faults;  ///< "file: fault", a line each
};

/// `folder`: results, the sweeps of one plan, or one sweep. A study that failed without a result
/// stands in the series of its name in other runs of its plan. Throws Error without such a folder
/// or a sweep below it.
SweepHistory read_history(const std::filesystem::path& folder);

/// A night and its series.
struct NightOf {
  const Series& series;
  const Night& night;
};
/// All nights of the newest sweep of each plan, in the order of the series: the present state.
std::vector<NightOf> newest_nights(const SweepHistory& history);

}  // namespace rooftune::sweep
