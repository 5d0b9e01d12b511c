// Where the records of studies are.
#pragma once
#include <filesystem>

#include "core/modules.h"

namespace rooftune::store {

/// results/records/<kernel>.<backend>.<id>, of a header or of files.
fs::path study_directory(const fs::path& results, const auto& study) {
  return results / "records" / (study.kernel + "." + study.backend + "." + study.id);
}

/// Place of a restarted study, below its own, for the records of its earlier runs.
inline constexpr const char* set_aside_folder = "earlier";
/// Behind the names of record files there (gzip); versions before left them as they were.
inline constexpr const char* compressed_suffix = ".gz";

}  // namespace rooftune::store
