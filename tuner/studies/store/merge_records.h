// Records of several results folders in one: of nodes without a common disk, of colleagues, of a
// backup.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::store {

struct MergeCount {
  std::size_t added = 0;    ///< record files that were not here
  std::size_t present = 0;  ///< whose records were all here
  std::size_t longer = 0;   ///< of which a beginning was here
  std::vector<std::string> notes;
};

/// Brings the record files of all studies of `source` into `results`, whole files by rename, and
/// those of runs that a study has set aside into its "earlier". What
/// is here by content stays as it is, so that it can be done again at any time; of a file that has
/// grown since, the longer one takes the place of its own beginning; nothing else is replaced.
/// Trials that two files hold are one when they are read. Throws Error when there are no records,
/// when both are the same folder, or when a file cannot be written.
MergeCount merge_records(const std::filesystem::path& results, const std::filesystem::path& source);

}  // namespace rooftune::store
