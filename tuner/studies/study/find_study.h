// Finding a study among the records: by kernel, machine, back end, problem or id.
#pragma once
#include <filesystem>
#include <string>

#include "store/study_store.h"
#include "study/spec.h"

namespace rooftune::study {

/// Empty members do not restrict.
struct RecordFilter {
  std::string kernel = {};  ///< name, or a folder whose name is the kernel's
  std::string machine = {}, backend = {}, id = {};
  /// One input finds studies of one, several a study of all of them.
  std::vector<InputSpec> inputs = {};
  int threads = 0;  ///< 0 does not restrict
  std::optional<bool> warm = {};
  double amortize = 0;  ///< 0 does not restrict
};
/// What the spec of a command that reads studies asks for. An `id` names a study of any machine: a
/// spec's machine is this host where nobody typed one.
RecordFilter filter_of(const StudySpec& spec, const std::string& id = {});

/// All that match and have a trial, the one worked on last at the end. Throws Error when none does,
/// naming what there is.
std::vector<StudyRecord> find_studies(const std::filesystem::path& results,
                                      const RecordFilter& filter);
/// The study that matches and was worked on last. Throws Error when none does, naming what there
/// is.
StudyRecord find_study(const std::filesystem::path& results, const RecordFilter& filter);

}  // namespace rooftune::study
