// Studies read from the disk; unsound parts of their records are told, line by line, and
// readers go on over all of it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "store/study_record.h"

namespace rooftune::store {

/// The record files of a folder, in the order of their begin.
Paths records_in(const fs::path& directory);
/// The name of a study's folder in parts, and its record files in the order of their begin.
struct StudyFiles {
  std::string kernel, backend, id;
  Paths files;
  /// The name of the latest run: begins with a date.
  std::string latest() const { return files.back().filename(); }
};
/// Every study under results/records, in order of id.
std::vector<StudyFiles> study_files(const fs::path& results);

/// The header of a study's latest run, its first line. Throws Error where none can be read.
StudyHeader read_header(const StudyFiles& study);
/// All records of one study; nullopt without any. Unreadable ones are among the faults; so are
/// records of a newer schema, and StudyRecord::require_setup() refuses them.
std::optional<StudyRecord> read_study(const fs::path& results, const std::string& kernel,
                                      const std::string& backend, const std::string& id);
struct RecordFinding {
  enum class Kind {
    torn,       ///< the last line of a killed writer
    damaged,    ///< no record can be read there
    newer,      ///< by a later version of Rooftune
    foreign,    ///< from another study than its folder's
    duplicate,  ///< there already: a task run twice, a copied file
  };
  Kind kind;
  std::string text;  ///< "file:line: fault"
};
/// The cure for such a finding.
const char* cure(RecordFinding::Kind kind);

struct RecordCheck {
  size_t studies = 0, files = 0, records = 0;
  std::vector<RecordFinding> findings;  ///< by study and file
  /// Duplicates harm nothing: readers take the first.
  bool sound() const;
};
/// Reads every record file of these results, several studies at a time.
RecordCheck verify_records(const fs::path& results);

}  // namespace rooftune::store
