// A variant as plain source, and what two of them differ in.
#pragma once
#include <string>
#include <vector>

#include "store/study_record.h"

namespace rooftune::cli {

/// The kernel's source as this configuration compiles it: one text, knobs as their numbers,
/// branches of other configurations gone; the flags of its knobs stand in front. Of today's folder
/// of the kernel. Throws Error when that is gone, or the study is of a program.
std::string variant_source(const StudyRecord& study, const Configuration& configuration);

/// Names of the files that a variant is compiled from whose contents are not those of the study any
/// more. Throws Error as above.
std::vector<std::string> changed_variant_sources(const StudyRecord& study);

/// What the trial's source changes of the baseline's, as `diff -u` writes it; empty when nothing.
/// Throws Error as above, and where there is no diff.
std::string source_difference(const StudyRecord& study, const Trial& trial);
/// The same; empty where a file of changed_variant_sources no longer is what the trial compiled.
std::string own_source_difference(const StudyRecord& study, const Trial& trial);

}  // namespace rooftune::cli
