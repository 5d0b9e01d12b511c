// Parts of a result: contenders with gap, counts and contradictions, and the core's clock; and
// which configurations are worth counting.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "roofline/machine.h"
#include "space/knob.h"
#include "store/study_record.h"
#include "study/prepare.h"
#include "study/result.h"
#include "study/search_loop.h"

namespace rooftune::study {

/// A measured trial as a contender, with the time that the report gives it.
Contender contender(const StudyResult& report, const StudyRecord& study, const Trial& trial,
                    const Estimate& seconds);

/// A configuration's counts, by all providers; nullopt: it was not counted.
std::optional<Counts> counted(const StudyResult& report, const Configuration& configuration);

/// "the core's clock was 2.90 GHz, 15 % below ...": if the slower reading is more than 5 % below
/// the probe's. Empty otherwise, and where either is unknown.
std::string clock_drop(const Environment& environment, const Machine& machine);

/// Notes for the reader on the clock that was recorded around the run and its trials.
Texts clock_notes(const StudyRecord& study, const Machine& machine);

/// What the study decided for all inputs, given while one input's result is made; empty for a study
/// with a single input.
struct CommonChoice {
  size_t input = 0;
  std::optional<Configuration> best;       ///< by the trials
  std::optional<Race> race;                ///< for all inputs
  std::optional<SearchSpace> space;        ///< for all inputs
  std::optional<StaircaseRace> staircase;  ///< for all inputs
  Indices places;                          ///< climbed() for it; empty: there is no staircase
};

/// The result of a study with a single input (see on_input).
StudyResult analyse_one(const StudyRecord& study, const CommonChoice& common);

/// Knobs with another value, in their order.
Step::Changes changes(const Configuration& from, const Configuration& to, const Knobs& knobs);
/// Paradigms that a configuration exploits for sure: counts show that most flops are in fused
/// multiply-adds, most operations in vectors, most stores past the caches; it has huge pages; it
/// runs as many threads as the study may.
Paradigms exploited(const StudyResult& report, const Configuration& configuration);

/// Measured configurations worth counting: first the best (by the staircase or race if there was
/// one), then the baseline, then the other stairs.
Configurations worth_counting(const StudyRecord& study, const Configuration& baseline);
/// How long it is likely to take to count them all [s].
double likely_to_count(const StudyRecord& study, const Configuration& baseline, int builders);

}  // namespace rooftune::study
