// Old records, found and removed.
#pragma once
#include <cstdint>
#include <string>

#include "core/list.h"
#include "core/modules.h"
#include "core/quantity.h"

namespace rooftune::store {

/// So many latest nights of a plan tell what is usual, and stay whatever their age.
inline constexpr size_t nights_judged = 10;

struct OldRecords {
  Paths studies;  ///< folders
  Paths runs;     ///< record files set aside by a fresh run
  Paths nights;   ///< folders: results/sweeps/<plan>/<run>
  Paths pages;    ///< the studies'
  Paths parts;    ///< parts of records, named by none any more
  std::uintmax_t bytes = 0;
  Texts notes;  ///< studies that stay, as they run
};

/// "3 studies, 2 set-aside runs, 9 nights, 3 pages and 1 parts, 2.1 MB"
std::string to_text(const OldRecords& old);
/// Last written longer ago. Changes nothing.
OldRecords old_records(const fs::path& results, Seconds age);
/// Removes them; a study under way stays, with a note. Throws Error (ExitCode::io).
void remove(OldRecords& old);

}  // namespace rooftune::store
