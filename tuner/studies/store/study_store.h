// Studies on disk: one append-only JSON-lines file per writer is the truth.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "os/file_lock.h"
#include "store/study_record.h"

namespace rooftune::store {

/// One process at a time runs a study: see lock_or_wait(). The folder of its records is made.
FileLock lock_study(const std::filesystem::path& results, const StudyHeader& header, bool wait,
                    const std::function<void(const std::string&)>& say);

/// Appends to a file of its own: results/records/<kernel>.<backend>.<id>/<utc>.<host>.<pid>.jsonl,
/// one write() and fdatasync per record. Throws Error (read-only or full disk) before anything is
/// measured.
class RecordWriter {
 public:
  RecordWriter(const std::filesystem::path& results, const StudyHeader& header);
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;
  /// Throws Error (ExitCode::io) when the record cannot be kept, or its file is not there any more.
  void append(const Event& event);
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
  int fd_ = -1;
};

/// results/records/<kernel>.<backend>.<id>
std::filesystem::path study_directory(const std::filesystem::path& results,
                                      const StudyHeader& header);

/// The name of a study's folder in parts, and its record files in the order of their begin.
struct StudyFiles {
  std::string kernel, backend, id;
  std::vector<std::filesystem::path> files;
};
/// Every study under results/records, in order of id.
std::vector<StudyFiles> study_files(const std::filesystem::path& results);

/// All records of one study; nullopt without any. Unreadable ones are among the faults; so are
/// records of a newer schema, and StudyRecord::require_setup() refuses them.
std::optional<StudyRecord> read_study(const std::filesystem::path& results,
                                      const std::string& kernel, const std::string& backend,
                                      const std::string& id);
/// Every study under results/records, in order of id.
std::vector<StudyRecord> read_studies(const std::filesystem::path& results);

}  // namespace rooftune::store
