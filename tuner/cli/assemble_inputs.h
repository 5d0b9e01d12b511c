// The parts of a report that several inputs share, and a study as one of its inputs saw it.
// The caller owes records whose setup names the inputs.
#pragma once
#include <optional>
#include <string>

#include "report/study_report.h"
#include "store/record_store.h"
#include "trial/specialisation.h"
#include "trial/race.h"

namespace rooftune {

inline constexpr const char* choice_event = "choice";
/// The name of an event ("counts", "experiments") of one input (from 0).
std::string event_of(const std::string& event, std::size_t inputs, std::size_t input);

/// What the study has decided for all inputs while one of them is looked at; empty for a study of
/// one input.
struct CommonChoice {
  std::size_t input = 0;
  std::optional<Configuration> best;  ///< by the trials
  std::optional<Race> race;           ///< of all inputs
  std::optional<SearchSpace> space;   ///< of all inputs
};

/// The report of one input, or of a study that has only one.
StudyReport assemble_one(const StoredStudy& study, const std::string& record_file,
                         const CommonChoice& common);

/// The race of the best of every input against the common one.
std::optional<Specialisation> stored_choice(const StoredStudy& study);

}  // namespace rooftune
