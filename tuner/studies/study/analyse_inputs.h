// Parts of a result shared by several inputs.
#pragma once
#include <optional>
#include <string>

#include "store/study_record.h"
#include "study/result.h"

namespace rooftune::study {

/// Decisions of the study for all inputs, while the result of one is made; empty for a study of one
/// input.
struct CommonChoice {
  std::size_t input = 0;
  std::optional<Configuration> best;  ///< by the trials
  std::optional<Race> race;           ///< of all inputs
  std::optional<SearchSpace> space;   ///< of all inputs
};

/// The result of a study of one input (see on_input).
StudyResult analyse_one(const StudyRecord& study, const std::string& record_file,
                        const CommonChoice& common);

}  // namespace rooftune::study
