// Readable records with impossible contents: damaged by hand, by a disk or by a tool.
#pragma once
#include "space/search_space.h"
#include "store/study_record.h"

namespace rooftune::study {

/// Removes entries with a configuration outside `space` or an unknown input, each with a sentence
/// among the faults: they are measured again, and no reader of the study meets them.
void remove_impossible_entries(StudyRecord& study, const SearchSpace& space);

}  // namespace rooftune::study
