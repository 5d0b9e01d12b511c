// The findings about walls of traffic in a result.
#pragma once
#include "store/study_record.h"
#include "study/result.h"

namespace rooftune::study {

/// Fills `walls` of a result with its contenders and counts, from a study of one input.
void fill_walls(StudyResult& report, const StudyRecord& study);

}  // namespace rooftune::study
