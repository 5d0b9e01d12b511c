// A study's result: analyse() derives it from the record, and every report draws on it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "kernel/published.h"
#include "roofline/drift.h"
#include "roofline/machine.h"
#include "roofline/roofline.h"
#include "space/search_space.h"
#include "store/study_record.h"
#include "study/staircase.h"
#include "trial/evaluator.h"
#include "trial/objective.h"
#include "trial/trial.h"

namespace rooftune::study {

/// A configuration with its time and gap in the study.
struct Contender {
  Configuration configuration;
  uint64_t trial = 0;  ///< its trial's Trial::index in StudyResult::trials
  Estimate seconds;    ///< per call: from the final race where it ran, else from its trial
  Gap gap;
  std::optional<Counts> counts;        ///< by all providers, combined; absent: not counted
  std::string not_counted_because;     ///< reason when `counts` is absent
  std::optional<CallTime> reach = {};  ///< a card's, by its compiled code
};

/// The space as the study searched it.
struct SpaceSummary {
  Knobs knobs;                ///< with `collapsed` filled where only the default is left
  double cartesian_size = 0;  ///< product of all knobs' value counts
  double size = 0;            ///< allowed and distinct configurations, rounded from 2^53 on
};

/// The common configuration's result on one input.
struct InputRow {
  std::string name;  ///< as the user gave it: "n=1000"
  Facts problem;     ///< parameters, as chosen or defaulted
  Bound bound;
  std::optional<Estimate> baseline, best;  ///< [s] per call; absent: it did not run
  std::optional<Estimate> speedup;         ///< baseline / best, paired
};

struct InputsAnswer {
  Objective::Aim aim = Objective::Aim::mean;
  std::vector<InputRow> rows;
  std::optional<Estimate> gap, baseline_gap;  ///< the objective's
  std::optional<Estimate> speedup;            ///< the objective's, paired
  size_t shown = 0;                           ///< the row shown in the rest of the report
};

struct StudyResult {
  StudyHeader header;
  StudySetup setup;
  std::string date;  ///< UTC, ISO 8601: when the study (last) ended
  fs::path place;    ///< where its records are
  Facts problem;     ///< parameters, as chosen or defaulted
  Facts facts;       ///< found by problem.cpp (rows, nnz); may be empty
  Roofline roofline;
  Bound bound;
  /// The bound for the configurations in the space, where it states their movements: never below
  /// the general bound, which holds for any code.
  std::optional<RestrictedBound> space_bound;

  /// All inputs, if the study has several. The rest is about the one shown.
  std::optional<InputsAnswer> inputs;
  std::optional<Contender> baseline;  ///< absent: not reached, or it failed
  std::string no_baseline_because;    ///< reason when `baseline` is absent
  std::optional<Contender> best;      ///< absent: nothing was measured
  std::vector<Contender> ties;        ///< others that the final race cannot tell from the best
  std::optional<Estimate> speedup;    ///< baseline / best, paired; absent when it was not measured
  std::optional<OwnFigure> own_figure;  ///< a program's; absent: its time
  ByName<bool> goals;                   ///< its figures with a direction: whether more is better
  std::string no_speedup_because;       ///< reason when `speedup` is absent
  bool baseline_stands = false;         ///< nothing beats the baseline beyond the noise
  /// Undecided, for neighbours disturbed the race; `inconclusive` says so too.
  bool busy = false;
  int race_rounds = 0;  ///< interleaved rounds behind ties and speedup; 0 = no race

  /// The best's time over the bound, with the binding ceiling at the rate that it had in the same
  /// rounds: how far the best was from the machine's limit at that moment. Absent: nothing ran
  /// beside it.
  std::optional<Estimate> paired_gap;
  LedgerEntries ledger;
  /// From the baseline to the best. Absent: `no_staircase_because`.
  std::optional<Staircase> staircase;
  std::string no_staircase_because;
  /// How busy the best keeps the machine; absent: it was not counted.
  std::optional<Limit> limit;
  /// All trials, by index; their intervals hold from run to run where `between_runs` is known.
  TrialList trials;
  std::vector<StudyNode> nodes;        ///< in a study on several; else empty
  std::optional<double> between_runs;  ///< raced configurations: race over trial; see statistics.h
  std::vector<CountedRun> counted;     ///< every counting run, in order
  SpaceSummary space;
  Stopped stop;
  Cost cost;           ///< all trials'
  double waited = 0;   ///< over all runs and stages [s]; 0: not on record
  Drifts drifts;       ///< the anchors'; empty: none was measured again
  Texts inconclusive;  ///< why the answer may be wrong; empty: no doubt
  /// Contradictions among figures: a rate factor below 1, disagreeing sources. One sentence each
  /// with both figures, their sources and the probable error; the figures stay as they are.
  Texts flags;
  Texts notes;  ///< warnings and remarks for the reader, most important first
};

/// How many trials had each outcome, with 0 for absent outcomes.
std::map<Outcome, int> counts(const StudyResult& report);
/// Least bytes across a level's boundary [B]; 0 for a level that the machine lacks.
double least_bytes(const StudyResult& report, const std::string& level);
/// The trial with this Trial::index; nullptr when the report does not hold it.
const Trial* find_trial(const StudyResult& report, uint64_t index);

/// The unit for a kernel's speed: nominal flops, else items, else calls.
struct Performance {
  double amount = 1;          ///< per call, in `unit`
  std::string unit = "call";  ///< "flop" or the kernel's item or "call"
  double rate(double seconds) const { return amount / seconds; }
};
Performance performance(const Work& work);
/// The memory level whose traffic is charted: the binding bandwidth ceiling's, else the outermost
/// level with traffic; empty for a kernel without traffic in the model.
std::string charted_level(const StudyResult& report);

/// For several inputs, the result is about a single one: number `input`, from 1; 0: the farthest
/// from its bound. Throws Error for an unknown input, and for a record without a setup
/// (StudyRecord::require_setup).
StudyResult analyse(const StudyRecord& study, size_t input = 0);

}  // namespace rooftune::study
