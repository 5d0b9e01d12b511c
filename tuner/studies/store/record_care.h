// Old records, found and removed.
#pragma once
#include <cstdint>
#include <string>

#include "core/list.h"
#include "core/modules.h"
#include "core/quantity.h"

namespace rooftune::store {

/// How many nights of a plan stay whatever their age: the latest, which tell what is usual.
inline constexpr size_t nights_judged = 10;

struct OldRecords {
  Paths studies;  ///< folders
  Paths runs;     ///< record files set aside by a fresh run
  Paths nights;   ///< folders: results/sweeps/<plan>/<run>
  Paths pages;    ///< the studies'
  Paths parts;    ///< parts that no record names any more
  std::uintmax_t bytes = 0;
  Texts notes;  ///< studies that stay, as they run
};

/// "3 studies, 2 set-aside runs, 9 nights, 3 pages and 1 parts, 2.1 MB"
std::string to_text(const OldRecords& old);
/// Finds what was last written longer ago than `age`. Changes nothing.
OldRecords old_records(const fs::path& results, Seconds age);
/// Removes what was found; a study under way stays, with a note. Throws Error (ExitCode::io).
void remove(OldRecords& old);

}  // namespace rooftune::store
