// Whose code a record names. Records travel: by rsync from another node, in a CI run's archive.
#pragma once
#include "store/study_record.h"

namespace rooftune::study {

/// Notes in the private cache that this user runs the study's code. Does nothing where the cache
/// cannot be written: the code then does not count as the user's own.
void remember_own_code(const StudyRecord& record);
/// Call this before running code that a record on disk names. Throws Error where this user has not
/// tuned the study, or other users may change the record, the kernel's folder, a file there, or one
/// that the program's command names.
void require_own_code(const StudyRecord& record);

}  // namespace rooftune::study
