// Parts of a result: contenders with gap, counts and contradictions, the core's clock and
// published steps; and the stages after the search that measure them.
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

/// A measured trial with its time in the report.
Contender contender(const StudyResult& report, const StudyRecord& study, const Trial& trial,
                    const Estimate& seconds);

/// Counts of a configuration, one entry per provider.
std::vector<Counts> counts_of(const StudyResult& report, const Configuration& configuration);

/// "the core's clock was 2.90 GHz, 15 % below ...": where the slower of the two readings is more
/// than 5 % below the probe's. Empty otherwise, and where either is unknown.
std::string clock_drop(const Environment& environment, const Machine& machine);

/// Notes for the reader on the clock in the records of the run and its trials.
Texts clock_notes(const StudyRecord& study, const Machine& machine);

/// Decisions of the study for all inputs, while the result of one is made; empty for a study of one
/// input.
struct CommonChoice {
  size_t input = 0;
  std::optional<Configuration> best;       ///< by the trials
  std::optional<Race> race;                ///< for all inputs
  std::optional<SearchSpace> space;        ///< for all inputs
  std::optional<StaircaseRace> staircase;  ///< for all inputs
  Indices places;                          ///< climbed() of it; empty: there is none
};

/// The result of a study of one input (see on_input).
StudyResult analyse_one(const StudyRecord& study, const CommonChoice& common);

/// Knobs with another value, in their order.
std::vector<Step::Change> changes(const Configuration& from, const Configuration& to,
                                  const std::vector<Knob>& knobs);
/// Paradigms that a configuration exploits for sure: most of its flops were counted in fused
/// multiply-adds, most of its operations in vectors, most of its stores past the caches; it has
/// huge pages; it runs as many threads as the study may.
Paradigms exploited(const StudyResult& report, const Configuration& configuration);

/// Measured configurations worth counting: the best (of the staircase or race if there was one)
/// first, then the baseline, then the other stairs.
Configurations worth_counting(const StudyRecord& study, const Configuration& baseline);
/// Likely time to count the first two of these [s].
double likely_to_count(const StudyRecord& study, const Configuration& baseline, int builders);

}  // namespace rooftune::study
