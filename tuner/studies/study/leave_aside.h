// Records that can be read and still cannot be true: damaged by hand, by a disk or by a tool.
#pragma once
#include "space/search_space.h"
#include "store/study_record.h"

namespace rooftune::study {

/// Takes out what names a configuration that `space` does not have, or an input that the study does
/// not have, each with a sentence among the faults: it is measured again, and nothing that reads
/// the study meets it.
void leave_strangers_aside(StudyRecord& study, const SearchSpace& space);

}  // namespace rooftune::study
