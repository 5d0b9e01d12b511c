// Unsound parts of the records, line by line. Readers go on over all of it; people may want to see
// and mend it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::store {

struct RecordFinding {
  enum class Kind {
    torn,       ///< the last line of a killed writer
    damaged,    ///< no record can be read there
    newer,      ///< of a later version of Rooftune
    foreign,    ///< of another study than its folder's
    duplicate,  ///< there already: a task run twice, a copied file
  };
  Kind kind;
  std::string text;  ///< "file:line: fault"
};
/// The cure for such a finding.
const char* cure(RecordFinding::Kind kind);

struct RecordCheck {
  std::size_t studies = 0, files = 0, records = 0;
  std::vector<RecordFinding> findings;  ///< by study and file
  /// Duplicates harm nothing: readers take the first.
  bool sound() const;
};
/// Reads every record file of these results, several studies at a time.
RecordCheck verify_records(const std::filesystem::path& results);

/// Whether the longer file begins with all of the shorter one. False where one cannot be read.
bool begins_with(const std::filesystem::path& longer, const std::filesystem::path& shorter);

}  // namespace rooftune::store
