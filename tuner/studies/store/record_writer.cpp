// Writes each record to the run's own file, with one write() and one fdatasync(). Large parts are
// written once; a fresh start compresses earlier runs and sets them aside.
#include "store/record_writer.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>

#include "core/error.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/text.h"
#include "store/record_reader.h"
#include "store/study_record.h"
#include "store/study_store.h"

namespace rooftune::store {
namespace {

Error write_error(const fs::path& place, const std::string& action, int number) {
  std::string hint = "choose another directory with --results DIR";
  if (number == ENOSPC || number == EDQUOT || number == EFBIG)
    hint = "make room (earlier records are whole and stay), or " + hint;
  if (number == EROFS || number == EACCES || number == EPERM) hint = "make it writable, or " + hint;
  return Error("cannot " + action + ": " + std::strerror(number), place, hint, ExitCode::io);
}

/// A directory name is built from texts in the user's files: no separators, no leading dot.
void check_name(const std::string& what, const std::string& text) {
  if (text.empty() || !all_of(text, is_name_char))
    throw Error("the " + what + " \"" + text + "\" cannot be part of a file name", {},
                "letters, digits, _ and - only");
}

/// The time in a record file's name, since 1970; nullopt for another name.
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

/// Throws an error if the results were removed or moved while their study ran: a file without a
/// name, and all that is written to it, goes when its last descriptor closes.
void require_named(int fd, const fs::path& file) {
  if (is_named(fd, file)) return;
  throw Error("was removed or moved away while the study ran", file,
              "what was measured until then was in it; run the same command to measure anew",
              ExitCode::io);
}

constexpr const char *parts_folder = "parts", *kept_member = "kept";
/// Keeping a shorter part apart saves nothing: its reference and its own file take as much room.
constexpr size_t least_bytes = 1000;

fs::path part_file(const fs::path& records, const std::string& hash) {
  return records / parts_folder / (hash + ".json");
}

/// Studies on one machine share its part, which is parsed once. The memory is emptied when it holds
/// many parts.
Json part_of(const fs::path& file) {
  constexpr size_t most = 32;
  static std::mutex mutex;
  static std::map<fs::path, Json> known;
  const std::lock_guard lock(mutex);
  if (auto* found = value_at(known, file)) return *found;
  if (!fs::exists(file))
    throw Error("its part " + file.string() + " is not there", {},
                "copy the folder \"parts\" with the folders of studies");
  const std::string text = read_text(file);
  if (hash_hex(text) != file.stem().string())
    throw Error("its part " + file.string() + " is damaged: it has another hash", {},
                "put a whole copy in its place");
  if (known.size() >= most) known.clear();
  return known[file] = parse_json(text, file.string());
}

/// A record file's first two lines, with the setup among them; the file may be compressed.
std::string beginning(const fs::path& file) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> source(gzopen(file.c_str(), "rb"), gzclose);
  std::string text;
  char block[4096];
  for (int read = 1; source && read > 0 && std::ranges::count(text, '\n') < 2;)
    if ((read = gzread(source.get(), block, sizeof block)) > 0) text.append(block, size_t(read));
  return text;
}

/// Adds the hashes that follow "kept" in the text.
void add_kept(const std::string& text, TextSet& hashes) {
  const std::string mark = std::string(kept_member) + '"';
  for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    const size_t begin = text.find('"', at += mark.size());
    if (begin != std::string::npos)
      hashes.insert(text.substr(begin + 1, text.find('"', begin + 1) - begin - 1));
  }
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  constexpr int level = 6, with_header = MAX_WBITS + 16, memory = 8;
  if (deflateInit2(&stream, level, Z_DEFLATED, with_header, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  // zlib reads through a pointer that is not const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = uInt(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = uInt(bytes.size());
  const bool is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  if (!is_whole) throw std::length_error("records of more than 4 GiB");
  return bytes;
}

}  // namespace

FileLock lock_study(const fs::path& results, const StudyHeader& header, bool wait,
                    const TextCallback& say) {
  const fs::path directory = made_directory(results, header);
  return lock_or_wait(directory / "lock", "study " + file_name(directory), wait, say);
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
  // Takes half a record back, or the next would begin in its middle.
  if (before >= 0 && ::ftruncate(fd_, before) != 0) {
    throw write_error(file_, "write a record, nor take its torn end back", number);
  }
  throw write_error(file_, "write a record", number);
}

Paths unnamed_parts(const fs::path& results) {
  std::error_code none;
  TextSet hashes;
  for (const char* const folder : {"records", "baselines"})
    for (const fs::path& file : entries_of<fs::recursive_directory_iterator>(results / folder))
      if (is_file(file) && file.parent_path().filename() != parts_folder) {
        const std::string text =
            file.extension() == ".json" ? text_if_readable(file) : beginning(file);
        if (text.empty() && fs::file_size(file, none) > 0) return {};
        add_kept(text, hashes);
      }
  Paths all;
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const fs::path& part : files_in(results / "records" / parts_folder, ".json"))
    if (!hashes.contains(part.stem()) && fs::last_write_time(part, none) < yesterday)
      all.push_back(part);
  return all;
}

bool keep_parts(const fs::path& records, Json& setup) {
  bool any = false;
  std::error_code not_ours;
  for (const char* const name : {"machine", "space", "published"}) {
    Json& part = setup.at(name);
    const std::string text = json_text(part);
    if (text.size() < least_bytes) continue;
    const std::string hash = hash_hex(text);
    folder_below(records.parent_path(), records.filename() / parts_folder);
    // A part in use is young.
    if (const fs::path file = part_file(records, hash); fs::exists(file))
      fs::last_write_time(file, fs::file_time_type::clock::now(), not_ours);
    else
      write_atomically(file, text);
    part = Json{{kept_member, hash}};
    any = true;
  }
  return any;
}

void bring_parts(const fs::path& records, Json& setup) {
  if (!setup.is_object()) return;
  for (auto& [name, part] : setup.items()) {
    if (!part.is_object() || part.size() != 1 || !part.contains(kept_member)) continue;
    const std::string hash = part.at(kept_member).get<std::string>();
    // Anybody who can write there may have written this record: no name may lead out of the folder.
    if (!all_of(hash, [](unsigned char c) { return std::isxdigit(c); }))
      throw Error("\"" + excerpt(hash) + "\" is no hash of a part");
    part = part_of(part_file(records, hash));
  }
}

void set_aside(const fs::path& directory) {
  for (const fs::path& file : records_in(directory)) {
    const fs::path target =
        folder_below(directory, set_aside_folder) / (file_name(file) + compressed_suffix);
    const auto written = fs::last_write_time(file);
    // The file keeps its time, by which tune records gc tells its age. A copy that a kill left
    // holds the same records.
    write_atomically(target, gzip(read_text(file)));
    fs::last_write_time(target, written);
    fs::remove(file);
  }
}

}  // namespace rooftune::store
