// What sweeps measured, night after night: the figures of one problem on one machine in the order
// of time. Read from the files that sweeps leave; pages, formats and comparisons are made of it.
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
  /// Of the best, and of what no variant beats [s per call]; of several inputs the geometric mean.
  std::optional<Estimate> seconds, bound;
  std::optional<double> gap, speedup;
  std::string ceiling;                 ///< that binds
  std::optional<double> ceiling_rate;  ///< what it gave in this night
  std::string ceiling_unit;            ///< "B/s" or "flop/s"
  std::string compiler, version;
  Json configuration;                     ///< of the best; null when there is none
  std::vector<std::string> inconclusive;  ///< why the answer may be wrong; empty: it stands
  HeadlineDoubts doubts;                  ///< of `speedup` and `gap`
  std::optional<SeriesVerdict> verdict;   ///< against the baseline; absent: not held
  std::vector<ExportVerdict> exports;     ///< against what applications load

  bool failed() const { return state == "failed"; }
  bool conclusive() const { return inconclusive.empty(); }
};

/// All nights of one problem on one machine. Another machine id is another series; another compiler
/// is not, but every night names its own.
struct Series {
  std::string key;  ///< 16 hexadecimal digits of what follows
  std::string kernel, problem, backend, machine, machine_id, cache;
  int threads = 0;
  double amortize = 0;                ///< calls that share a conversion; 0: not counted
  std::vector<Night> nights;          ///< oldest first, at least one
  std::vector<Acceptance> baselines;  ///< what later nights were held against, oldest first
  /// What they are held against now; nullptr when nothing is accepted.
  const Acceptance* baseline() const { return baselines.empty() ? nullptr : &baselines.back(); }
};

/// What a folder of sweeps holds. A file that cannot be read is a fault, and the rest is there.
struct SweepHistory {
  std::vector<Series> series;       ///< by kernel, problem, back end, machine
  std::vector<std::string> faults;  ///< "file: what is wrong", a line each
};

/// `folder`: results, the sweeps of one plan, or one sweep. A study that failed before it had a
/// result stands in the series that its name had in other runs of its plan. Throws Error when
/// there is no such folder or no sweep below it.
SweepHistory read_history(const std::filesystem::path& folder);

/// A night and the series that it belongs to.
struct NightOf {
  const Series& series;
  const Night& night;
};
/// All nights of the newest sweep of each plan, in the order of the series: how things stand.
std::vector<NightOf> newest_nights(const SweepHistory& history);

}  // namespace rooftune::sweep
