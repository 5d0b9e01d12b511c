// Measurements of sweeps, night after night: the figures of one problem on one machine in the order
// of time. Read from the files of sweeps; the input of pages, formats and comparisons.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sweep/outcome.h"

namespace rooftune::sweep {

/// One study of one run; without a result its date is the sweep's.
struct Night : NightFigures, StudyEnd {
  std::filesystem::path run;  ///< folder of the sweep
  std::string plan;           ///< of the sweep
  /// As other programs read it.
  static void fields(auto& self, auto& visit) {
    visit("run", self.run.filename().string())("plan", self.plan)("name", self.name);
    visit("state", self.state)("message", self.message);
    NightFigures::fields(self, visit);
    visit("verdict", self.verdict)("exports", self.exports);
  }
  bool failed() const { return state == StudyOutcome::State::failed; }
  bool conclusive() const { return inconclusive.empty(); }
  Standing standing() const;
};

/// All nights of one problem on one machine.
struct Series : SeriesIdentity {
  std::string key;                    ///< 16 hexadecimal digits of the identity
  std::vector<Night> nights;          ///< oldest first, at least one
  std::vector<Acceptance> baselines;  ///< references of later nights, oldest first
  static void fields(auto& self, auto& visit) {
    visit("key", self.key);
    SeriesIdentity::fields(self, visit);
    visit("baselines", self.baselines)("nights", self.nights);
  }
  /// The present baseline; nullptr without one.
  const Acceptance* baseline() const { return baselines.empty() ? nullptr : &baselines.back(); }
};

/// Contents of a folder of sweeps. An unreadable file is a fault, and the rest is there.
struct SweepHistory {
  std::vector<Series> series;       ///< by kernel, problem, back end, machine
  std::vector<std::string> faults;  ///< "file: fault", a line each
};

/// `folder`: results, the sweeps of one plan, or one sweep. A study that failed without a result
/// stands in the series of its name in other runs of its plan, and so do the `missing` ones, which
/// have no file. Throws Error without such a folder or a sweep below it.
SweepHistory read_history(const std::filesystem::path& folder,
                          const std::vector<Night>& missing = {});

/// A night and its series.
struct NightOf {
  const Series& series;
  const Night& night;
};
/// All nights of the newest sweep of each plan, in the order of the series: the present state.
std::vector<NightOf> newest_nights(const SweepHistory& history);

}  // namespace rooftune::sweep
