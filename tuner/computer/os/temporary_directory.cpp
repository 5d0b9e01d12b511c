// Who owns a folder shows in a lock on a file in it, which the owner holds. The lock ends with the
// owner; a process number could mean another process later, in another container or on another
// computer.
//
// A sweep never takes a folder that is being made: it touches no folder without a mark, and if it
// removes a mark before the owner locks it, the owner sees that the mark has no link, and begins
// anew.
#include "os/temporary_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

#include "core/error.h"
#include "core/folder.h"
#include "os/paths.h"
#include "os/subprocess.h"

namespace rooftune::os {
namespace {

constexpr const char* family = "rooftune";
constexpr const char* mark = ".rooftune-owner";

/// The mark goes last: an interrupted removal can be taken up again.
void remove_contents(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& entry : entries_of(folder))
    if (entry.filename() != mark) fs::remove_all(entry, ignored);
}

bool is_own(int fd, mode_t type) {
  struct stat status {};
  return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type && status.st_uid == geteuid();
}

/// True when the folder was abandoned and is gone. Everything goes through descriptors: a name may
/// mean something else a moment later.
bool swept(int parent, const std::string& name) {
  constexpr int open_flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  const Descriptor folder(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | open_flags));
  if (folder.get() < 0 || !is_own(folder.get(), S_IFDIR)) return false;
  const Descriptor lock(openat(folder.get(), mark, O_RDWR | open_flags));
  if (lock.get() < 0 || !is_own(lock.get(), S_IFREG)) return false;
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
  remove_contents(fmt::format("/proc/self/fd/{}", folder.get()));
  unlinkat(folder.get(), mark, 0);
  return unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0;
}

fs::path system_parent() {
  std::error_code fault;
  const auto parent = fs::temp_directory_path(fault);
  if (!fault) return parent;
  const std::string named = environment_text("TMPDIR");
  throw Error("no temporary directory: " + fault.message(), named.empty() ? "/tmp" : named,
              "set TMPDIR to a directory that can be written", ExitCode::io);
}

/// True the first time this process asks for the folder.
bool first_time(const fs::path& parent) {
  static std::mutex mutex;
  static TextSet seen;
  const std::lock_guard lock(mutex);
  return seen.insert(parent.string()).second;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory(const std::string& prefix)
    : TemporaryDirectory(system_parent(), prefix) {
  require_private(path_, "TMPDIR");
}

TemporaryDirectory::TemporaryDirectory(const fs::path& parent, const std::string& prefix) {
  if (first_time(parent)) remove_abandoned(parent);
  while (!make(parent, prefix)) {
  }
}

/// False when a sweep has taken it before it was marked as owned.
bool TemporaryDirectory::make(const fs::path& parent, const std::string& prefix) {
  std::string text = (parent / (prefix + "-XXXXXX")).string();
  if (!mkdtemp(text.data()))
    throw Error(fmt::format("no temporary directory can be made: {}", std::strerror(errno)), parent,
                "choose a directory that can be written (TMPDIR, ROOFTUNE_CACHE)", ExitCode::io);
  path_ = text;
  Descriptor lock(open((path_ / mark).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (lock.get() < 0) return true;  // No room for a mark; no sweep touches a folder without one.
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    unlink((path_ / mark).c_str());
    return true;
  }
  struct stat status {};
  if (fstat(lock.get(), &status) == 0 && status.st_nlink == 0) return false;
  lock_ = lock.release();
  return true;
}

TemporaryDirectory::~TemporaryDirectory() {
  if (!path_.empty()) {
    remove_contents(path_);
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  if (lock_ >= 0) close(lock_);
}

bool TemporaryDirectory::keep_as(const fs::path& name) {
  std::error_code fault;
  fs::rename(path_, name, fault);
  if (fault) return false;
  fs::remove(name / mark, fault);
  path_.clear();
  return true;
}

size_t remove_abandoned(const fs::path& parent) {
  size_t count = 0;
  const Descriptor folder(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return count;
  for (const fs::path& entry : entries_of(parent)) {
    const std::string name = entry.filename();
    if (name.starts_with(family) && swept(folder.get(), name)) ++count;
  }
  return count;
}

}  // namespace rooftune::os
