// Where a study's records lie.
#pragma once
#include <filesystem>

#include "store/study_subject.h"

namespace rooftune::store {

/// results/records/<kernel>.<backend>.<id>
inline fs::path study_directory(const fs::path& results, const StudyKey& study) {
  return results / "records" / (study.kernel + "." + study.backend + "." + study.id);
}

/// The folder, below a restarted study's own, for records from its earlier runs.
inline constexpr const char* set_aside_folder = "earlier";
/// Ends the names of record files there (gzip); earlier versions left the files as they were.
inline constexpr const char* compressed_suffix = ".gz";

}  // namespace rooftune::store
