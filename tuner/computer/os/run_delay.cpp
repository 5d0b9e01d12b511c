#include "os/run_delay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "os/process_tree.h"

namespace rooftune::os {
namespace {

/// The second figure of schedstat [s]; -1 when the thread has ended.
double delay(int file) {
  char text[96];
  const ssize_t bytes = pread(file, text, sizeof text - 1, 0);
  if (bytes <= 0) return -1;
  text[bytes] = 0;
  char* rest = nullptr;
  std::strtoull(text, &rest, 10);
  return 1e-9 * static_cast<double>(std::strtoull(rest, nullptr, 10));
}

}  // namespace

void RunDelay::close() {
  for (const Thread& one : threads_) ::close(one.file);
  threads_.clear();
}

void RunDelay::open() {
  close();
  process_ = getpid();
  for (const pid_t id : threads_of(process_)) {
    const int file =
        ::open(fmt::format("/proc/self/task/{}/schedstat", id).c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) threads_.push_back({id, file, 0});
  }
}

void RunDelay::read() {
  struct stat folder {};
  if (stat("/proc/self/task", &folder) != 0) return;
  // Threads may come and go in equal numbers: one that cannot be read any more tells it.
  for (bool stale = process_ != getpid() || folder.st_nlink != links_;; stale = true) {
    if (stale) open();
    links_ = folder.st_nlink;
    for (Thread& one : threads_) one.delay = delay(one.file);
    if (stale || std::ranges::none_of(threads_, [](const Thread& one) { return one.delay < 0; }))
      return;
  }
}

std::optional<double> RunDelay::longest_since_last() {
  const std::vector<Thread> before = threads_;
  read();
  if (threads_.empty()) return std::nullopt;
  double most = 0;
  for (const Thread& one : threads_) {
    const auto same = std::ranges::find(before, one.id, &Thread::id);
    most = std::max(most, one.delay - (same == before.end() ? 0 : same->delay));
  }
  return most;
}

}  // namespace rooftune::os
