// Finding a study among the records: by kernel, machine, back end, problem or id.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "store/record_store.h"

namespace rooftune {

/// Empty members do not restrict.
struct StudyFilter {
  std::string kernel;  ///< name, or a folder whose name is the kernel's
  std::string machine, backend, id;
  /// Words of each --problem: one finds studies of one input, several a study of all of them.
  std::vector<std::map<std::string, std::string>> problems;
  int threads = 0;  ///< 0 does not restrict
};

/// The study that matches and was worked on last. Throws Error when none does, naming what there
/// is.
StoredStudy stored_study(const std::filesystem::path& results, const StudyFilter& filter);

}  // namespace rooftune
