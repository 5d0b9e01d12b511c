// Old records, found and removed.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::store {

/// Criteria of old records; all given ones must hold.
struct OldRecordsRule {
  std::optional<std::chrono::seconds> older_than;  ///< since the last record
  /// So many newest ones are not old: of the studies of a kernel, back end, machine and problem,
  /// and of a study's runs set aside.
  std::optional<std::size_t> keep;
  std::set<std::string> named;  ///< ids of studies that stay whole
};

struct OldRecords {
  std::vector<std::filesystem::path> studies;  ///< folders
  std::vector<std::filesystem::path> runs;     ///< record files set aside by a fresh run
  std::uintmax_t bytes = 0;
  std::size_t named = 0;           ///< old studies kept for their id in OldRecordsRule::named
  std::vector<std::string> notes;  ///< studies kept for unreadable records, or while they run
};

/// Reads the first record of every study, and changes nothing. Throws Error for an empty rule.
OldRecords old_records(const std::filesystem::path& results, const OldRecordsRule& rule);
/// Removes them; a study under way stays, with a note. Throws Error (ExitCode::io).
void remove(OldRecords& old);

/// Possible ids of studies in these files and folders (missing ones are skipped).
std::set<std::string> named_studies(const std::vector<std::filesystem::path>& places);

}  // namespace rooftune::store
