// flock() holds on to the open file; a process number could later mean another process.
#include "os/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/split.h"
#include "os/interruption.h"
#include "os/paths.h"

namespace rooftune::os {
namespace {

constexpr size_t longest_text = 400;

std::string own_words() {
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  return fmt::format("process {} on {} since {}\n", getpid(), host, utc_now());
}

/// The first line, in the form of own_words(); else empty, since others may write there too.
std::string words_in(int file) {
  static const Pattern form("process [0-9]+ on [A-Za-z0-9._-]* since [0-9TZ:-]+");
  std::string text(longest_text, '\0');
  const ssize_t count = pread(file, text.data(), text.size(), 0);
  text.resize(count > 0 ? size_t(count) : 0);
  if (const auto end = text.find('\n'); end != std::string::npos) text.resize(end);
  return form.matches(text) ? text : "";
}

/// Who holds the lock, as the kernel knows; nullopt for a holder on another node or in another
/// container, and on a system without this list.
std::optional<int> locking_process(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) return std::nullopt;
  const std::string place =
      fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
  // "3: FLOCK  ADVISORY  WRITE 4711 00:1a:299 0 EOF"; "3: -> FLOCK ..." waits.
  std::string number, kind, is_advisory, access, locked;
  for (const std::string& line : split(text_if_readable("/proc/locks"))) {
    std::istringstream words(line);
    int process = 0;
    if (words >> number >> kind >> is_advisory >> access >> process >> locked && locked == place &&
        process > 0)
      return process;
  }
  return std::nullopt;
}

/// Stopped by a signal (SIGSTOP, Ctrl-Z, a suspended job): "4711 (tune) T ...".
bool is_stopped(int process) {
  const std::string stat = text_if_readable(fmt::format("/proc/{}/stat", process));
  const size_t state = stat.rfind(") ") + 2;
  return state < stat.size() && stat[state] == 'T';
}

/// "process 4711 on node3 since 2026-11-22T09:30:00Z" where the kernel does not know another
/// holder, else "process 4711 of user 1000".
std::string holder_of(int file) {
  const std::string words = words_in(file);
  const auto process = locking_process(file);
  if (!process) return words.empty() ? "another process" : words;
  const std::string known = fmt::format("process {} ", *process);
  const char* const stopped = is_stopped(*process) ? ", which is stopped" : "";
  if (words.starts_with(known)) return words + stopped;
  struct stat status {};
  if (stat(fmt::format("/proc/{}", *process).c_str(), &status) != 0)
    return known + "of this computer" + stopped;
  return fmt::format("{}of user {}{}", known, status.st_uid, stopped);
}

/// The lock's holder if it is stopped, and so times nothing; else empty.
std::string stopped_holder(const fs::path& file) {
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  const auto process = opened.get() < 0 ? std::nullopt : locking_process(opened.get());
  return process && is_stopped(*process) ? holder_of(opened.get()) : "";
}

/// Makes the file lockable for every user, whatever the first user's umask. In a folder like /tmp
/// only root can remove another user's link.
void make_for_all(const fs::path& file) {
  struct stat status {};
  if (geteuid() == 0 && lstat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    unlink(file.c_str());
  const Descriptor made(
      open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (made.get() >= 0) fchmod(made.get(), 0666);
}

/// The file to lock for this name; every user can lock it.
fs::path timing_lock_file(const std::string& name) {
  const std::string chosen = environment_text("ROOFTUNE_LOCKS");
  // The kernel's own entry for a core: nobody can put a link or another file there.
  fs::path file = fs::path("/sys/devices/system/cpu") / name;
  if (chosen.empty() && fs::exists(file)) return file;
  file = fs::path(chosen.empty() ? "/dev/shm" : chosen) / fmt::format("rooftune.{}.lock", name);
  make_for_all(file);
  return file;
}

/// The lowest CPU number on this CPU's core.
int first_cpu_of_core(int cpu) {
  const std::string siblings = text_if_readable(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  // "0,64" or "0-1"; where it is unknown every CPU counts as a core.
  return siblings.empty() ? cpu : std::atoi(siblings.c_str());
}

}  // namespace

bool is_named(int file, const fs::path& name) {
  struct stat held {
  }, named{};
  return fstat(file, &held) == 0 && stat(name.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

std::optional<FileLock> FileLock::take(const fs::path& file, std::string& holder) {
  for (;;) {
    // The system refuses O_CREAT for another user's file in a folder like /tmp, though it is there.
    constexpr int flags = O_CLOEXEC | O_NOFOLLOW;
    Descriptor opened(open(file.c_str(), flags | O_RDWR));
    if (opened.get() < 0 && errno == ENOENT)
      opened = Descriptor(open(file.c_str(), flags | O_RDWR | O_CREAT, 0644));
    if (opened.get() < 0 && errno == EISDIR)
      opened = Descriptor(open(file.c_str(), flags | O_RDONLY));
    if (opened.get() < 0)
      throw Error(fmt::format("cannot be locked: {}", std::strerror(errno)), file,
                  "make its folder writable, or choose another with --results DIR", ExitCode::io);
    if (flock(opened.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      holder = holder_of(opened.get());
      return std::nullopt;
    }
    if (!is_named(opened.get(), file)) continue;
    // The text is for people; the lock holds without it. A file with a second name is somebody's
    // own, linked here.
    struct stat status {};
    const std::string words = own_words();
    if (fstat(opened.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
        ftruncate(opened.get(), 0) == 0)
      (void)!pwrite(opened.get(), words.data(), words.size(), 0);
    return FileLock(std::move(opened));
  }
}

FileLock lock_or_wait(const fs::path& file, const std::string& what, bool wait,
                      const TextCallback& say, const Callback& while_held) {
  for (bool said = false;; said = true) {
    std::string holder;
    if (auto lock = FileLock::take(file, holder)) return std::move(*lock);
    if (while_held) while_held();
    if (!wait)
      throw Error(what + " is being run by " + holder, file,
                  "let it end, or give --wait to begin when it has ended", ExitCode::busy);
    if (!said && say) say(fmt::format("waiting: {} is being run by {}", what, holder));
    if (interrupted()) throw Interrupted{};
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

TimingLocks lock_for_timing(const Texts& names, bool wait, const TextCallback& say) {
  TimingLocks all;
  for (const std::string& name : names) {
    try {
      const fs::path file = timing_lock_file(name);
      all.locks.push_back(lock_or_wait(file, "timing on " + name, wait, say, [&] {
        if (const std::string holder = stopped_holder(file); !holder.empty())
          throw Error("held by " + holder, file, "", ExitCode::io);
      }));
    } catch (const Error& error) {
      if (error.code() == ExitCode::busy)
        throw Error(
            error.message(), error.where(),
            "--wait begins when it has ended; taskset -c 4-7 tune --threads 4 ... begins now, on "
            "cores where nobody times",
            ExitCode::busy);
      all.open_because = fmt::format("nobody is kept from timing on the same cores: {}: {}",
                                     error.where(), error.message());
      return all;
    }
  }
  return all;
}

Texts core_names(const Integers& cpus) {
  std::set<int> firsts;
  for (const int cpu : cpus) firsts.insert(first_cpu_of_core(cpu));
  return members(firsts, [](int cpu) { return fmt::format("cpu{}", cpu); });
}

}  // namespace rooftune::os
