// Old records, found by a rule and removed.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::store {

/// Criteria of old records; all given ones must hold.
struct OldRecordsRule {
  std::optional<std::chrono::seconds> older_than;  ///< since the last record
  /// So many newest ones are not old: of the studies of a kernel, back end, machine and problem, of
  /// a study's runs set aside, and of the outcomes of a plan's study.
  std::optional<size_t> keep;
};

/// So many latest nights of a study tell what is usual, and stay whatever the rule.
inline constexpr size_t nights_judged = 10;

struct OldRecords {
  Paths studies;   ///< folders
  Paths runs;      ///< record files set aside by a fresh run
  Paths outcomes;  ///< of nights: results/sweeps/<plan>/<run>/<study>
  Paths pages;     ///< of studies that are gone or going
  Paths parts;     ///< of records, named by none any more
  std::uintmax_t bytes = 0;
  size_t recent = 0;  ///< studies, runs and outcomes that are not old by the rule
  size_t judged = 0;  ///< old outcomes among the latest nights_judged, or of the newest night
  Texts notes;        ///< studies kept for unreadable records, or while they run
};

/// "3 studies, 2 set-aside runs, 9 outcomes of nights, 3 pages and 1 parts, 2.1 MB"
std::string to_text(const OldRecords& old);
/// Reads the first record of every study and the outcomes of old nights, and changes nothing.
/// Throws Error for an empty rule.
OldRecords old_records(const fs::path& results, const OldRecordsRule& rule);
/// Removes them, and nights without any outcome left; a study under way stays, with a note. Throws
/// Error (ExitCode::io).
void remove(OldRecords& old);

}  // namespace rooftune::store
