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

/// One process at a time runs a study: see lock_or_wait(). The folder of its records is made.
FileLock lock_study(const fs::path& results, const StudyHeader& header, bool wait,
                    const TextCallback& say);

/// Appends to a file of its own: results/records/<kernel>.<backend>.<id>/<utc>.<host>.<pid>.jsonl,
/// one write() and fdatasync per record. The time is after that of every file there. Throws Error
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
/// Moves a study's record files there. Throws Error (io).
void set_aside(const fs::path& directory);

/// The schema of a setup without its parts, unreadable to a Rooftune that does not know them.
inline constexpr const char* parted_schema = "rooftune-record-3";

/// Takes the parts out of a setup, {"kept": <hash>} in their place; whether there were any.
/// `records`: results/records. Throws Error (io).
bool keep_parts(const fs::path& records, Json& setup);
/// Puts them back. Throws Error where one is gone or damaged.
void bring_parts(const fs::path& records, Json& setup);
/// Files of parts that neither records, set-aside ones too, nor digests nor baselines name, and
/// that are a day old: a study may be about to name a younger one. None where a file of them cannot
/// be read.
Paths unnamed_parts(const fs::path& results);

}  // namespace rooftune::store
