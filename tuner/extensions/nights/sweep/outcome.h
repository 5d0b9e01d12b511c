// How a study in a sweep ended, with its figures for later nights, pages and comparisons, a file
// for each study; and measurements night after night: the figures for one problem on one machine,
// ordered by time. Read from the sweeps' files; pages and formats are written from them.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/file.h"
#include "core/list.h"
#include "study/result.h"
#include "sweep/regression.h"

namespace rooftune::sweep {

/// Nights with equal identity can be compared. Another machine id makes another series; another
/// compiler does not.
struct SeriesIdentity : StudySubject {
  std::string problem, machine_id, cache;
  double amortize = 0;  ///< calls per conversion; 0: not counted
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, kernel, problem, backend, machine, machine_id, cache, threads,
                  amortize);
    visit.check("kernel", !self.kernel.empty(), "must name one");
  }
};

/// Why a headline's figures may be off, a sentence each.
struct FigureDoubts {
  Texts speedup, gap;
  ROOFTUNE_FIELDS(speedup, gap)
  bool operator==(const FigureDoubts&) const = default;
};

/// Figures are absent where nothing was measured; several inputs share their figures.
struct NightFigures {
  std::string date;   ///< UTC, ISO 8601: when the study ended
  std::string study;  ///< its id; empty when it failed before it had one
  /// Times [s per call]: the best variant's, and the bound for all variants; over several inputs
  /// the geometric mean.
  std::optional<Estimate> seconds = {}, bound = {};
  std::optional<double> gap = {}, speedup = {};
  std::string ceiling;                      ///< the binding one
  std::optional<double> ceiling_rate = {};  ///< its rate this night
  std::string ceiling_unit;                 ///< "B/s" or "flop/s"
  std::string compiler, version, revision;
  Json configuration;  ///< the best's; null when there is none
  Texts inconclusive;  ///< why the answer may be wrong; empty: no doubt
  FigureDoubts doubts;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, date, study, seconds, bound, gap, speedup, ceiling, ceiling_rate,
                  ceiling_unit, compiler, version);
    visit.defaulted("revision", self.revision);
    ROOFTUNE_EACH(visit, self, configuration, inconclusive, doubts);
    visit.check("seconds", !self.seconds || self.seconds->low > 0, "must be positive");
    visit.check("bound", !self.bound || self.bound->low > 0, "must be positive");
  }
};

/// What a sweep keeps from a study's result.
struct StudyFigures : SeriesIdentity, NightFigures {
  StopReason stop = StopReason::exhausted;  ///< the search's
  double searched = 0;                      ///< all trials' time [s]
  ByName<int> trials;                       ///< how many by outcome, zeros included
  static void fields(auto& self, auto& visit) {
    SeriesIdentity::fields(self, visit);
    NightFigures::fields(self, visit);
    ROOFTUNE_EACH(visit, self, stop, searched, trials);
  }
};
StudyFigures figures_of(const StudyResult& result);

/// How a study in a sweep ended, without its figures.
struct StudyEnd {
  ROOFTUNE_NESTED_ENUM(State, done, failed, interrupted, left)
  std::string name;  ///< PlannedStudy::name
  State state = State::done;
  std::string message;                        ///< why it failed
  std::optional<SeriesVerdict> verdict = {};  ///< against the baseline; absent: not compared
};

struct StudyOutcome : StudyEnd {
  std::optional<StudyFigures> result = {};  ///< absent when it failed before a result
  double seconds = 0;                       ///< wall time
  bool earlier = false;                     ///< finished in an earlier, killed run of this sweep
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, name, state);
    visit.defaulted("message", self.message);
    ROOFTUNE_FIELD(result).defaulted("seconds", self.seconds);
    visit.defaulted("verdict", self.verdict);
    visit.open();  // Nights from earlier versions say more.
    visit.check("name", !self.name.empty(), "must name the study");
  }
  std::optional<double> gap() const { return result ? result->gap : std::nullopt; }
};

/// The unit of a rate's amount: "flop" for "flop/s".
std::string amount_unit(const std::string& rate);

fs::path outcome_file(const std::string& study, const fs::path& directory);
/// How a study ended in a run; nullopt when it has not, or its file cannot be read.
std::optional<StudyOutcome> outcome_of(const std::string& study, const fs::path& directory);
/// A line for a log.
std::string ended_text(const StudyOutcome& outcome);

/// One study in one run; without a result its date is the sweep's.
struct Night : NightFigures, StudyEnd {
  fs::path run;      ///< the sweep's folder
  std::string plan;  ///< the sweep's
  /// The form that other programs read.
  static void fields(auto& self, auto& visit) {
    visit("run", file_name(self.run));
    ROOFTUNE_EACH(visit, self, plan, name, state, message);
    NightFigures::fields(self, visit);
    ROOFTUNE_FIELD(verdict);
  }
  bool failed() const { return state == StudyOutcome::State::failed; }
  bool conclusive() const { return inconclusive.empty(); }
  Standing standing() const;
};
using NightList = std::vector<Night>;

/// All nights for one problem on one machine.
struct Series : SeriesIdentity {
  std::string key;                    ///< the identity's hash, 16 hexadecimal digits
  NightList nights;                   ///< oldest first, at least one
  std::vector<Acceptance> baselines;  ///< what later nights were compared with, oldest first
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(key);
    SeriesIdentity::fields(self, visit);
    ROOFTUNE_EACH(visit, self, baselines, nights);
  }
  /// The present baseline; nullptr without one.
  const Acceptance* baseline() const { return baselines.empty() ? nullptr : &baselines.back(); }
};

/// What a folder of sweeps holds. An unreadable file becomes a fault; the rest is still there.
struct SweepHistory {
  std::vector<Series> series;  ///< by kernel, problem, back end, machine
  Texts faults;                ///< "file: fault", a line each
};

/// `folder`: results, the sweeps of one plan, or one sweep. A study that failed without a result
/// goes into the series that its name has in the plan's other runs, and so do the `missing`
/// studies, which have no file. Throws Error without such a folder or a sweep below it.
SweepHistory read_history(const fs::path& folder, const NightList& missing = {});

/// A night and its series.
struct NightOf {
  const Series& series;
  const Night& night;
};
/// The present state: all nights from each plan's newest sweep, ordered by series.
std::vector<NightOf> newest_nights(const SweepHistory& history);

}  // namespace rooftune::sweep
