// The pure step from the record of a study to its result. It reads no file and asks no machine, and
// gives the same for a run just ended and an old one.
#pragma once
#include "store/study_record.h"
#include "study/result.h"

namespace rooftune::study {

/// A result of several inputs is about one of them: number `input`, from 1; 0: the farthest from
/// its bound. Throws Error for an unknown input, and for a record without a setup
/// (StudyRecord::require_setup).
StudyResult analyse(const StudyRecord& study, std::size_t input = 0);

}  // namespace rooftune::study
