// Studies read from the disk. Readers report unsound records line by line, and read on past them.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "store/study_record.h"

namespace rooftune::store {

/// A folder's record files, in the order in which their runs began.
Paths records_in(const fs::path& directory);
/// A study whose folder's name is read, and its record files in the order in which runs began.
struct StudyFiles : StudyKey {
  Paths files = {};
  /// The latest run's name: begins with a date.
  std::string latest() const { return files.back().filename(); }
};
/// Every study under results/records, sorted by id.
std::vector<StudyFiles> study_files(const fs::path& results);

/// The header in the first line that a study's latest run wrote. Throws Error where none can be
/// read.
StudyHeader read_header(const StudyFiles& study);
/// All records of a study; nullopt without any. Unreadable ones are among the faults; so are
/// records with a newer schema, and StudyRecord::require_setup() refuses them.
std::optional<StudyRecord> read_study(const fs::path& results, const StudyKey& study);
struct RecordFinding {
  enum class Kind {
    torn,       ///< a killed writer's last line
    damaged,    ///< no record can be read there
    newer,      ///< written by a later Rooftune
    foreign,    ///< from another study than its folder's
    duplicate,  ///< there already: a task run twice, a copied file
  };
  Kind kind;
  std::string text;  ///< "file:line: fault"
};
/// The cure for a finding of this kind.
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
