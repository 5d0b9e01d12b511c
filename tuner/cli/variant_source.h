// A variant as plain source, and the difference of two of them.
#pragma once
#include <string>
#include <vector>

#include "store/study_record.h"

namespace rooftune::cli {

/// The kernel's source as this configuration compiles it: one text, knobs as their numbers,
/// branches of other configurations gone; the flags of its knobs stand in front. Of today's folder
/// of the kernel. Throws Error without the folder, or for a study of a program.
std::string variant_source(const StudyRecord& study, const Configuration& configuration);

/// Names of a variant's files with contents changed since the study. Throws Error as above.
std::vector<std::string> changed_variant_sources(const StudyRecord& study);

/// Difference of the trial's source from the baseline's, as by `diff -u`; empty without any. Throws
/// Error as above, and without diff.
std::string source_difference(const StudyRecord& study, const Trial& trial);
/// The same; empty after a change of a file in changed_variant_sources().
std::string own_source_difference(const StudyRecord& study, const Trial& trial);

}  // namespace rooftune::cli
