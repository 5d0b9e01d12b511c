// Records that nobody asks for any more.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::store {

/// What is old: all that is asked for together.
struct OldRecordsRule {
  std::optional<std::chrono::seconds> older_than;  ///< since the last record
  /// So many newest ones are not old: of the studies of a kernel, back end, machine and problem,
  /// and of the runs that a study has set aside.
  std::optional<std::size_t> keep;
  std::set<std::string> named;  ///< ids of studies that stay whole
};

struct OldRecords {
  std::vector<std::filesystem::path> studies;  ///< folders
  std::vector<std::filesystem::path> runs;     ///< record files that a fresh run has set aside
  std::uintmax_t bytes = 0;
  std::size_t named = 0;           ///< studies that would be old if nothing named them
  std::vector<std::string> notes;  ///< what stays because it cannot be told
};

/// Reads the first record of every study, and changes nothing. Throws Error for a rule that says
/// nothing.
OldRecords old_records(const std::filesystem::path& results, const OldRecordsRule& rule);
/// Removes them but for studies that a process runs, which are noted. Throws Error (ExitCode::io).
void remove(OldRecords& old);

/// Words in these files and folders (missing ones are skipped) that may be ids of studies.
std::set<std::string> named_studies(const std::vector<std::filesystem::path>& places);

}  // namespace rooftune::store
