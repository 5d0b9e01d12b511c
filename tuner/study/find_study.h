// Finding a study among the records: by kernel, machine, back end, problem or id.
#pragma once
#include <filesystem>
#include <string>

#include "store/study_store.h"
#include "study/spec.h"

namespace rooftune::inline study {

/// Empty members do not restrict.
struct RecordFilter {
  std::string kernel = {};  ///< name, or a folder whose name is the kernel's
  std::string machine = {}, backend = {}, id = {};
  /// One input finds studies of one, several a study of all of them.
  std::vector<InputSpec> inputs = {};
  int threads = 0;  ///< 0 does not restrict
};

/// The study that matches and was worked on last. Throws Error when none does, naming what there
/// is.
StudyRecord find_study(const std::filesystem::path& results, const RecordFilter& filter);

}  // namespace rooftune::inline study
