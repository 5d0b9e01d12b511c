#include "os/run_delay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "os/process_tree.h"

namespace rooftune::os {
namespace {

/// To fill the private caches of a core again [s]: 2 MiB at 10 GB/s.
constexpr double refill = 2e-4;

}  // namespace

/// schedstat holds time on a core, time of waiting, turns.
void RunDelay::Thread::read() {
  char text[96];
  const ssize_t bytes = pread(file, text, sizeof text - 1, 0);
  if (bytes <= 0) {
    delay = -1;
    return;
  }
  text[bytes] = 0;
  char* rest = text;
  const auto next = [&rest] { return static_cast<double>(std::strtoull(rest, &rest, 10)); };
  cpu = 1e-9 * next();
  delay = 1e-9 * next();
  turns = next();
}

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
    if (file >= 0) threads_.push_back({id, file});
  }
}

void RunDelay::read() {
  struct stat folder {};
  if (stat("/proc/self/task", &folder) != 0) return;
  // Threads may come and go in equal numbers: one that cannot be read any more tells it.
  for (bool stale = process_ != getpid() || folder.st_nlink != links_;; stale = true) {
    if (stale) open();
    links_ = folder.st_nlink;
    for (Thread& one : threads_) one.read();
    if (stale || std::ranges::none_of(threads_, [](const Thread& one) { return one.delay < 0; }))
      return;
  }
}

std::optional<Waits> RunDelay::since_last() {
  const std::vector<Thread> before = threads_;
  read();
  if (threads_.empty()) return std::nullopt;
  Waits all;
  std::vector<double> busy;
  for (const Thread& one : threads_) {
    const auto same = std::ranges::find(before, one.id, &Thread::id);
    const Thread since = same == before.end() ? Thread{one.id, one.file} : *same;
    const double waited = std::max(one.delay - since.delay, 0.0);
    all.longest = std::max(all.longest, waited);
    all.together += waited + std::min(waited, refill * (one.turns - since.turns));
    busy.push_back(waited + one.cpu - since.cpu);
  }
  constexpr double least = 0.01;
  const double most = std::ranges::max(busy);
  cpu_set_t cores, of_one;
  CPU_ZERO(&cores);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (busy[i] <= least * most) continue;
    ++all.active;
    if (sched_getaffinity(threads_[i].id, sizeof of_one, &of_one) == 0)
      CPU_OR(&cores, &cores, &of_one);
  }
  all.cores = static_cast<std::size_t>(CPU_COUNT(&cores));
  return all;
}

double StolenTime::since_last() {
  // A reading takes 50 us and more: rarely, unless the last one found something.
  constexpr std::chrono::milliseconds pause(100);
  const auto now = std::chrono::steady_clock::now();
  if (!growing_ && now - read_ < pause) return 0;
  read_ = now;
  std::ifstream file("/proc/stat");
  double most = 0;
  std::string line;
  // "cpu3" and ten figures in ticks; the eighth is stolen.
  while (std::getline(file, line) && line.starts_with("cpu")) {
    std::istringstream words(line.substr(3));
    if (line[3] == ' ') continue;
    std::size_t core = 0;
    std::uint64_t figure = 0;
    words >> core;
    for (int i = 0; i < 8; ++i) words >> figure;
    if (ticks_.size() <= core) ticks_.resize(core + 1, figure);
    most = std::max(most, static_cast<double>(figure - std::exchange(ticks_[core], figure)));
  }
  growing_ = most > 0;
  return most / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace rooftune::os
