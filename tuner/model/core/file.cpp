// Files, whole and in blocks. Old text stays until the new one is complete; descriptors are closed
// on every way out.
#include "core/file.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <random>
#include <set>

#include "core/error.h"
#include "core/folder.h"
#include "core/list.h"

namespace rooftune::core {
namespace {

[[noreturn]] void fail(const fs::path& file) {
  throw Error(std::string("cannot be read: ") + std::strerror(errno), file);
}

constexpr size_t longest_line = size_t{1} << 26;

constexpr const char* not_a_file = "is a directory, not a file";

std::string reason() { return std::strerror(errno); }

[[noreturn]] void fail(const fs::path& file, const std::string& what) { throw Error(what, file); }

[[noreturn]] void fail_to_write(const fs::path& file, const std::string& why) {
  throw Error("cannot be written: " + why, file,
              "make room, make its folder writable, or name another place", ExitCode::io);
}

/// Stdout or stderr where the file is just that: opened anew, it would be written from its start.
int standard_stream(const struct stat& file) {
  struct stat stream {};
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
    if (::fstat(descriptor, &stream) == 0 && stream.st_dev == file.st_dev &&
        stream.st_ino == file.st_ino && stream.st_rdev == file.st_rdev)
      return descriptor;
  return -1;
}

void write_through(const fs::path& file, int stream, const std::string& text) {
  if (stream >= 0) std::fflush(stream == STDOUT_FILENO ? stdout : stderr);
  Descriptor opened(stream >= 0 ? ::fcntl(stream, F_DUPFD_CLOEXEC, 0)
                                : ::open(file.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (opened.get() < 0 || !write_all(opened.get(), text) || ::close(opened.release()) != 0)
    fail_to_write(file, reason());
}

/// Others may have put a pipe with a name where a file is looked for. A shell's pipes, as
/// <(command) or standard input, have none.
bool has_name(int pipe) {
  struct statfs system {};
  return ::fstatfs(pipe, &system) != 0 || system.f_type != PIPEFS_MAGIC;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

constexpr std::string_view part_end = ".part";
constexpr size_t part_digits = 16;

/// ".result.json.0123456789abcdef.part": random digits, since process numbers recur in the next
/// container.
std::string part_name(const fs::path& file) {
  std::random_device chance;
  const uint64_t number = uint64_t{chance()} << 32 | chance();
  return fmt::format(".{}.{:016x}{}", file.filename().string(), number, part_end);
}

bool is_part_name(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(part_end)) return false;
  name.remove_suffix(part_end.size());
  if (name.size() < part_digits + 3 || name[name.size() - part_digits - 1] != '.') return false;
  return name.find_first_not_of("0123456789abcdef", name.size() - part_digits) == name.npos;
}

/// Removes part files left by this user's killed writers, from a day old; once per folder and
/// process.
void sweep_parts(const fs::path& folder) {
  constexpr std::time_t a_day = 24 * 60 * 60;
  static std::mutex mutex;
  static TextSet swept;
  {
    const std::lock_guard lock(mutex);
    if (!swept.insert(folder.string()).second) return;
  }
  for (const fs::path& part : entries_of(folder)) {
    struct stat file {};
    if (is_part_name(part.filename().string()) && ::lstat(part.c_str(), &file) == 0 &&
        S_ISREG(file.st_mode) && file.st_uid == ::geteuid() &&
        file.st_mtime < std::time(nullptr) - a_day)
      ::unlink(part.c_str());
  }
}

/// Keeps it on disk, after a power cut as well; a file system that refuses to sync is no fault.
void sync_path(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.get() >= 0) ::fsync(opened.get());
}

/// `before`: the present file, nullptr when there is none.
void replace(const fs::path& file, const struct stat* before, const std::string& text) {
  constexpr mode_t permissions = 0777, of_new_files = 0666;
  const fs::path folder = folder_of(file), beside = part_beside(file);
  const mode_t mode = before ? before->st_mode & permissions : of_new_files;
  Descriptor opened(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (opened.get() < 0) fail_to_write(file, reason());
  // Root keeps the owner; for others a rename brings a new owner. The mode comes last, it was under
  // the umask.
  if (before && ::fchown(opened.get(), before->st_uid, before->st_gid) != 0) errno = 0;
  const bool complete = (!before || ::fchmod(opened.get(), mode) == 0) &&
                        write_all(opened.get(), text) && ::fsync(opened.get()) == 0 &&
                        ::close(opened.release()) == 0 &&
                        ::rename(beside.c_str(), file.c_str()) == 0;
  if (!complete) {
    const std::string why = reason();
    ::unlink(beside.c_str());
    fail_to_write(file, why);
  }
  sync_path(folder);
}

}  // namespace

void Descriptor::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

std::string file_name(const fs::path& path) { return path.filename().string(); }

bool is_file(const fs::path& path) {
  std::error_code fault;
  return fs::is_regular_file(path, fault);
}

bool is_folder(const fs::path& path) {
  std::error_code fault;
  return fs::is_directory(path, fault);
}

std::string_view TextSource::next() {
  const std::string_view block = rest_.substr(0, size_t{1} << 16);
  rest_.remove_prefix(block.size());
  return block;
}

FileSource::FileSource(fs::path file)
    : file_(std::move(file)),
      descriptor_(::open(file_.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
  struct stat status {};
  if (descriptor_.get() < 0 || ::fstat(descriptor_.get(), &status) != 0) fail(file_);
  if (S_ISDIR(status.st_mode)) throw Error(not_a_file, file_);
  if (S_ISFIFO(status.st_mode) && has_name(descriptor_.get()))
    throw Error("is a pipe with a name, into which nobody may ever write", file_,
                "remove it, or put a file in its place");
  ::fcntl(descriptor_.get(), F_SETFL, 0);
  if (S_ISREG(status.st_mode)) size_ = size_t(status.st_size);
}

std::string_view FileSource::next() {
  ssize_t got = 0;
  do {
    got = ::read(descriptor_.get(), block_, sizeof block_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail(file_);
  return {block_, size_t(got)};
}

bool LineSource::next(std::string& line) {
  line.clear();
  torn_ = false;
  for (;;) {
    if (block_.empty()) block_ = bytes_.next();
    if (block_.empty()) {
      torn_ = !line.empty();
      return torn_;
    }
    const size_t end = block_.find('\n');
    line.append(block_.substr(0, end));
    if (line.size() > longest_line)
      throw Error(fmt::format("a line of more than {} bytes", longest_line));
    block_.remove_prefix(end == std::string_view::npos ? block_.size() : end + 1);
    if (end != std::string_view::npos) return true;
  }
}

fs::path followed(fs::path file) {
  constexpr int deepest = 40;
  std::error_code fault;
  for (int depth = 0; depth < deepest && fs::is_symlink(file, fault); ++depth)
    file = file.parent_path() / fs::read_symlink(file, fault);
  return file;
}

std::string read_text(const fs::path& file, size_t limit) {
  FileSource source(file);
  std::string text;
  if (source.size() <= limit) text.reserve(source.size());
  for (std::string_view block = source.next(); !block.empty(); block = source.next()) {
    if (text.size() + block.size() > limit)
      throw Error(fmt::format("is larger than the limit of {} bytes", limit), file,
                  "nothing that is read here is so large: name another file, or remove this one");
    text.append(block);
  }
  return text;
}

std::string text_if_readable(const fs::path& file) {
  try {
    return read_text(file);
  } catch (const Error&) {
    return {};
  }
}

fs::path part_beside(const fs::path& file) {
  const fs::path folder = folder_of(file);
  sweep_parts(folder);
  return folder / part_name(file);
}

bool write_all(int descriptor, std::string_view text) {
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    done += size_t(written);
  }
  return true;
}

void write_atomically(const fs::path& file, const std::string& text) {
  struct stat status {};
  const bool there = ::lstat(file.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode)) fail(file, not_a_file);
  replace(file, there && S_ISREG(status.st_mode) ? &status : nullptr, text);
}

void write_for_user(const fs::path& file, const std::string& text) {
  struct stat status {};
  const bool there = ::stat(file.c_str(), &status) == 0;
  if (there && S_ISDIR(status.st_mode)) fail(file, not_a_file);
  if (is_written_through(file)) return write_through(file, standard_stream(status), text);
  replace(followed(file), there ? &status : nullptr, text);
}

bool is_written_through(const fs::path& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && !S_ISDIR(status.st_mode) &&
         (!S_ISREG(status.st_mode) || standard_stream(status) >= 0);
}

void require_writable_target(const fs::path& file) {
  struct stat status {};
  const bool there = ::stat(file.c_str(), &status) == 0;
  if ((there && S_ISDIR(status.st_mode)) || !file.has_filename())
    throw Error(not_a_file, file, "name a file in it");
  if (there && ::access(file.c_str(), W_OK) != 0)
    throw Error("cannot be written: " + reason(), file, "chmod u+w, or name another file");
  if (is_written_through(file)) return;
  const fs::path folder = folder_of(followed(file));
  if (!is_folder(folder))
    throw Error("there is no folder " + folder.string(), file,
                "mkdir -p " + folder.string() + ", or name another file");
  // Also for an existing file: the new one is written beside it.
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw Error("no file can be made in " + folder.string() + ": " + reason(), file,
                "name a file in a folder that you can write");
}

void make_folders(const fs::path& folder, const std::string& hint) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) throw Error("cannot be made: " + fault.message(), folder, hint, ExitCode::io);
}

fs::path folder_below(const fs::path& root, const fs::path& below) {
  const std::string cure =
      "make " + root.string() + " writable, or name another (--results, --output)";
  make_folders(root, cure);
  fs::path folder = root;
  for (const fs::path& part : below) {
    folder /= part;
    std::error_code fault;
    // Makes a missing folder; a link that leads nowhere counts as there.
    fs::create_directory(folder, fault);
    if (fs::is_symlink(folder, fault))
      throw Error(
          "is a link, and files that Rooftune names itself are written through none: "
          "somebody else may have put it there",
          folder, "remove it, or name the folder that it leads to (--results, --output)");
    make_folders(folder, cure);
  }
  return folder;
}

std::string utc_now() {
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

}  // namespace rooftune::core
