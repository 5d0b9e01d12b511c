// Studies on disk: one append-only JSON-lines file per writer is the truth.
#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "os/file_lock.h"
#include "store/study_record.h"

namespace rooftune::store {

/// One process at a time runs a study: see lock_or_wait(). The folder of its records is made.
FileLock lock_study(const std::filesystem::path& results, const StudyHeader& header, bool wait,
                    const std::function<void(const std::string&)>& say);

/// Appends to a file of its own: results/records/<kernel>.<backend>.<id>/<utc>.<host>.<pid>.jsonl,
/// one write() and fdatasync per record. The time is after that of every file there. Throws Error
/// (read-only or full disk) before anything is measured.
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

/// results/records/<kernel>.<backend>.<id>, of a header or of files.
std::filesystem::path study_directory(const std::filesystem::path& results, const auto& study) {
  return results / "records" / (study.kernel + "." + study.backend + "." + study.id);
}

/// Place of a restarted study, below its own, for the records of its earlier runs.
inline constexpr const char* set_aside_folder = "earlier";
/// Behind the names of record files there (gzip); versions before left them as they were.
inline constexpr const char* compressed_suffix = ".gz";
/// Moves a study's record files there. Throws Error (io).
void set_aside(const std::filesystem::path& directory);

/// The record files of a folder, in the order of their begin.
std::vector<std::filesystem::path> records_in(const std::filesystem::path& directory);
/// The name of a study's folder in parts, and its record files in the order of their begin.
struct StudyFiles {
  std::string kernel, backend, id;
  std::vector<std::filesystem::path> files;
  /// Of the latest run: begins with a date.
  std::string latest() const { return files.back().filename(); }
};
/// Every study under results/records, in order of id.
std::vector<StudyFiles> study_files(const std::filesystem::path& results);

/// The header of a study's latest run, its first line. Throws Error where none can be read.
StudyHeader read_header(const StudyFiles& study);
/// All records of one study; nullopt without any. Unreadable ones are among the faults; so are
/// records of a newer schema, and StudyRecord::require_setup() refuses them.
std::optional<StudyRecord> read_study(const std::filesystem::path& results,
                                      const std::string& kernel, const std::string& backend,
                                      const std::string& id);

// Unsound parts of the records, line by line. Readers go on over all of it; people may want to see
// and mend it.

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

/// Criteria of old records; all given ones must hold.
struct OldRecordsRule {
  std::optional<std::chrono::seconds> older_than;  ///< since the last record
  /// So many newest ones are not old: of the studies of a kernel, back end, machine and problem, of
  /// a study's runs set aside, and of the outcomes of a plan's study.
  std::optional<std::size_t> keep;
};

/// So many latest nights of a study tell what is usual, and stay whatever the rule.
inline constexpr std::size_t nights_judged = 10;

struct OldRecords {
  std::vector<std::filesystem::path> studies;   ///< folders
  std::vector<std::filesystem::path> runs;      ///< record files set aside by a fresh run
  std::vector<std::filesystem::path> outcomes;  ///< of nights: results/sweeps/<plan>/<run>/<study>
  std::vector<std::filesystem::path> pages;     ///< of studies that are gone or going
  std::vector<std::filesystem::path> parts;     ///< of records, named by none any more
  std::uintmax_t bytes = 0;
  std::size_t recent = 0;  ///< studies, runs and outcomes that are not old by the rule
  std::size_t judged = 0;  ///< old outcomes among the latest nights_judged, or of the newest night
  std::vector<std::string> notes;  ///< studies kept for unreadable records, or while they run
};

/// "3 studies, 2 set-aside runs, 9 outcomes of nights, 3 pages and 1 parts, 2.1 MB"
std::string to_text(const OldRecords& old);
/// Reads the first record of every study and the outcomes of old nights, and changes nothing.
/// Throws Error for an empty rule.
OldRecords old_records(const std::filesystem::path& results, const OldRecordsRule& rule);
/// Removes them, and nights without any outcome left; a study under way stays, with a note. Throws
/// Error (ExitCode::io).
void remove(OldRecords& old);

/// The schema of a setup without its parts, unreadable to a Rooftune that does not know them.
inline constexpr const char* parted_schema = "rooftune-record-3";

/// Takes the parts out of a setup, {"kept": <hash>} in their place; whether there were any.
/// `records`: results/records. Throws Error (io).
bool keep_parts(const std::filesystem::path& records, Json& setup);
/// Puts them back. Throws Error where one is gone or damaged.
void bring_parts(const std::filesystem::path& records, Json& setup);
/// Files of parts that neither records, set-aside ones too, nor digests nor baselines name, and
/// that are a day old: a study may be about to name a younger one. None where a file of them cannot
/// be read.
std::vector<std::filesystem::path> unnamed_parts(const std::filesystem::path& results);

}  // namespace rooftune::store
