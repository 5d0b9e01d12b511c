// Whose code a record names. Records travel: by rsync from another node, by an archive of a CI run.
#pragma once
#include "store/study_record.h"

namespace rooftune::study {

/// Writes into the private cache that this user runs the code of the study. Nothing where the cache
/// cannot be written: the code is then not known as one's own.
void remember_own_code(const StudyRecord& record);
/// Call this before code named by a record on disk runs. Throws Error where this user has not tuned
/// the study, or other users may change the record, the kernel's folder, a file there, or one that
/// the program's command names.
void require_own_code(const StudyRecord& record);

}  // namespace rooftune::study
