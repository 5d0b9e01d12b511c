// Records of several results folders in one: of nodes without a common disk, of colleagues, of a
// backup.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::store {

struct MergeCount {
  std::size_t added = 0;    ///< new record files
  std::size_t present = 0;  ///< with all records already here
  std::size_t longer = 0;   ///< with their beginning already here
  std::vector<std::string> notes;
};

/// Brings the record files of all studies of `source` into `results`, whole files by rename, and
/// those set aside into the study's "earlier". Files here with the same content stay, so a
/// repetition is harmless; of a file grown since, the longer one replaces its own beginning;
/// nothing else is replaced. Trials in two files count once when read. Throws Error without
/// records, for one and the same folder, or for a write error.
MergeCount merge_records(const std::filesystem::path& results, const std::filesystem::path& source);

}  // namespace rooftune::store
