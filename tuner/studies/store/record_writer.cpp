// Writer of records to a separate file: one write() and one fdatasync() each.
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "core/file.h"
#include "store/event_json.h"
#include "store/kept_parts.h"
#include "store/study_store.h"

namespace rooftune::store {
namespace {

namespace fs = std::filesystem;

Error write_error(const fs::path& place, const std::string& action, int number) {
  std::string hint = "choose another directory with --results DIR";
  if (number == ENOSPC || number == EDQUOT || number == EFBIG)
    hint = "make room (earlier records are whole and stay), or " + hint;
  if (number == EROFS || number == EACCES || number == EPERM) hint = "make it writable, or " + hint;
  return Error("cannot " + action + ": " + std::strerror(number), place.string(), hint,
               ExitCode::io);
}

/// Parts of a directory name come from files of the user: no separators, no leading dot.
void check_name(const std::string& what, const std::string& text) {
  const bool good = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  if (!good)
    throw Error("the " + what + " \"" + text + "\" cannot be part of a file name", {},
                "letters, digits, _ and - only");
}

/// The time in the name of a record file, since 1970; nullopt for another name.
std::optional<std::chrono::microseconds> begin_of(const fs::path& file) {
  const std::string name = file.filename();
  std::tm day{};
  unsigned fraction = 0;
  const char* const rest = strptime(name.c_str(), "%Y%m%dT%H%M%S", &day);
  if (!rest || std::sscanf(rest, ".%6uZ", &fraction) != 1) return std::nullopt;
  return std::chrono::seconds(timegm(&day)) + std::chrono::microseconds(fraction);
}

/// "20261121T093000.123456Z.host.4711": sorts by begin, for reading a study's files in order. Later
/// than the newest there, though the clock may have been set back since.
std::string writer_name(const fs::path& directory) {
  using namespace std::chrono;
  auto now = duration_cast<microseconds>(system_clock::now().time_since_epoch());
  for (const fs::path& file : records_in(directory))
    if (const auto before = begin_of(file)) now = std::max(now, *before + microseconds(1));
  const auto whole = duration_cast<seconds>(now);
  char host[256] = "unknown";
  if (gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "unknown");
  return fmt::format("{:%Y%m%dT%H%M%S}.{:06}Z.{}.{}.jsonl", fmt::gmtime(whole.count()),
                     (now - whole).count(), host, getpid());
}

/// The name itself must survive a power cut, or the records have no file.
void sync_directory(const fs::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw write_error(directory, "open the directory of records", errno);
  const int result = ::fsync(fd);
  const int number = errno;
  ::close(fd);
  // Some network file systems cannot sync a directory; they order the entry themselves.
  if (result != 0 && number != EINVAL)
    throw write_error(directory, "sync the directory of records", number);
}

fs::path made_directory(const fs::path& results, const StudyHeader& header) {
  check_name("kernel", header.kernel);
  check_name("back end", header.backend);
  check_name("study id", header.id);
  return folder_below(results, study_directory({}, header));
}

/// An error for results removed or moved during their study: writes to a file without a name are
/// lost with its last open descriptor.
void require_named(int fd, const fs::path& file) {
  if (is_named(fd, file)) return;
  throw Error("was removed or moved away while the study ran", file.string(),
              "what was measured until then was in it; run the same command to measure anew",
              ExitCode::io);
}

}  // namespace

std::filesystem::path study_directory(const fs::path& results, const StudyHeader& header) {
  return results / "records" / fmt::format("{}.{}.{}", header.kernel, header.backend, header.id);
}

FileLock lock_study(const fs::path& results, const StudyHeader& header, bool wait,
                    const std::function<void(const std::string&)>& say) {
  const fs::path directory = made_directory(results, header);
  return lock_or_wait(directory / "lock", "study " + directory.filename().string(), wait, say);
}

RecordWriter::RecordWriter(const fs::path& results, const StudyHeader& header) {
  const fs::path directory = made_directory(results, header);
  while (fd_ < 0) {
    file_ = directory / writer_name(directory);
    fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    // A taken name is free again in the next microsecond.
    if (fd_ < 0 && errno != EEXIST) throw write_error(file_, "create the record file", errno);
  }
  try {
    append(header);
    sync_directory(directory);
  } catch (...) {
    ::close(fd_);
    ::unlink(file_.c_str());
    throw;
  }
}

RecordWriter::~RecordWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void RecordWriter::append(const Event& event) {
  Json json = record(event);
  if (std::holds_alternative<StudySetup>(event) &&
      keep_parts(file_.parent_path().parent_path(), json["body"]))
    json["schema"] = parted_schema;
  // Text from compilers and variants need not be UTF-8, and a record must never be lost for it.
  const std::string line = json_text(json) + "\n";
  require_named(fd_, file_);
  const off_t before = ::lseek(fd_, 0, SEEK_END);
  int number = write_all(fd_, line) ? 0 : errno;
  if (number == 0 && ::fdatasync(fd_) != 0) number = errno;
  if (number == 0) return;
  // Takes half a record back, to keep a later one from beginning in its middle.
  if (before >= 0 && ::ftruncate(fd_, before) != 0) {
    throw write_error(file_, "write a record, nor take its torn end back", number);
  }
  throw write_error(file_, "write a record", number);
}

}  // namespace rooftune::store
