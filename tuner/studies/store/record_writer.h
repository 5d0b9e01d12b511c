// Studies on their way to the disk: one append-only JSON-lines file per writer is the truth.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/callback.h"
#include "core/json.h"
#include "core/list.h"
#include "core/unique.h"
#include "os/file_lock.h"
#include "store/study_record.h"

namespace rooftune::store {

/// One process at a time runs a study: see lock_or_wait(). Makes the folder for its records.
FileLock lock_study(const fs::path& results, const StudyHeader& header, bool wait,
                    const TextCallback& say);

/// Appends to its own file: results/records/<kernel>.<backend>.<id>/<utc>.<host>.<pid>.jsonl, one
/// write() and fdatasync per record. Its time is later than that of every file there. Throws Error
/// (read-only or full disk) before anything is measured.
class RecordWriter : Unique {
 public:
  RecordWriter(const fs::path& results, const StudyHeader& header);
  ~RecordWriter();
  /// Throws Error (ExitCode::io) when the record cannot be kept, or its file is not there any more.
  void append(const Event& event);
  const fs::path& file() const { return file_; }

 private:
  fs::path file_;
  int fd_ = -1;
};
/// Moves a study's record files into set_aside_folder, compressed. Throws Error (io).
void set_aside(const fs::path& directory);

/// The schema of a setup without its parts: a Rooftune that does not know parts refuses it.
inline constexpr const char* parted_schema = "rooftune-record-3";

/// Moves large parts from a setup to files, and leaves {"kept": <hash>} in their place; whether
/// there were any. `records`: results/records. Throws Error (io).
bool keep_parts(const fs::path& records, Json& setup);
/// Puts the parts back. Throws Error where one is gone or damaged.
void bring_parts(const fs::path& records, Json& setup);
/// Part files at least a day old that no record (set aside or not), digest or baseline names; a
/// study may be about to name a younger one. Empty if any file that may name parts cannot be read.
Paths unnamed_parts(const fs::path& results);

}  // namespace rooftune::store
