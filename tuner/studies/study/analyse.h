// A study's record turned into its result: pure. It reads no file, asks no machine, and says the
// same of a run that just ended and of an old one.
#pragma once
#include "store/study_record.h"
#include "study/result.h"

namespace rooftune::study {

/// `record_file`: where the trials are, for the reader. Of a study of several inputs it is about
/// one: number `input`, from 1; 0: the farthest from its bound. Throws Error for an input that the
/// study does not have, and for a record without a setup (StudyRecord::require_setup).
StudyResult analyse(const StudyRecord& study, const std::string& record_file,
                    std::size_t input = 0);

}  // namespace rooftune::study
