// The stages of a study after its search. Each reads the record and appends events; results of an
// earlier run on record are not measured again.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "study/prepare.h"
#include "study/search_loop.h"

namespace rooftune::study {

/// Context of the stages. Everything referred to must outlive it.
struct StageContext {
  PreparedStudy& study;
  Platform& platform;
  Recorder& recorder;
  const SearchEnd& end;
  Schedule& schedule;
  std::vector<Ceiling> anchors_before;   ///< read before the search; empty: none chosen
  std::vector<Ceiling> anchors_between;  ///< see AnchorReadings
  const std::function<void(const std::string&)>& say;

  /// With the input's name where there are several.
  void say_of(std::size_t input, const std::string& text) const;
  void throw_if_interrupted() const;
};

/// All of them, in their order.
void run_stages(StageContext& context);

/// Measured configurations worth counting: the best (of the race if there was one) first, then the
/// baseline.
std::vector<Configuration> worth_counting(const StudyRecord& study, const Configuration& baseline);
/// Likely time to count these [s].
double likely_to_count(const StudyRecord& study, const Configuration& baseline);

/// Counts best and baseline on every input with each chosen provider, except for counts of an
/// earlier run.
void count(StageContext& context);

/// Interleaved rounds of the steps that ran, on record; nothing for fewer than two.
void race_published_steps(StageContext& context);

}  // namespace rooftune::study
