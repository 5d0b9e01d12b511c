// System calls that read and write the state of the whole process.
#include "run/process_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sstream>

#include "core/file.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/text.h"
#include "core/units.h"
#include "os/process_tree.h"
#include "run/sampler.h"

namespace rooftune::run {
namespace {

/// Bytes in private writable mappings, touched or not: memory touched late is no growth.
int64_t own_memory() {
  std::istringstream statm(text_if_readable("/proc/self/statm"));
  int64_t size = 0, resident = 0, shared = 0, text = 0, libraries = 0, data = 0;
  statm >> size >> resident >> shared >> text >> libraries >> data;
  return data * sysconf(_SC_PAGESIZE);
}

std::map<pid_t, cpu_set_t> cpus_of_threads() {
  std::map<pid_t, cpu_set_t> result;
  for (const pid_t thread : threads_of(getpid())) {
    cpu_set_t cpus;
    if (sched_getaffinity(thread, sizeof cpus, &cpus) == 0) result[thread] = cpus;
  }
  return result;
}

/// Whether OpenMP threads are set to spin for long: they then seem to compute for ever.
bool spinning_is_wanted() {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_LIBRARY"})
    if (std::getenv(name)) return true;
  const char* const block_time = std::getenv("KMP_BLOCKTIME");
  return block_time && block_time != std::string_view(short_spin);
}

}  // namespace

ProcessState::ProcessState()
    : cpus_(cpus_of_threads()),
      file_mask_(umask(0)),
      directory_(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  umask(file_mask_);
  for (int i = 0; i < int(limits_.size()); ++i)
    getrlimit(static_cast<__rlimit_resource_t>(i), &limits_[i]);
  for (int i = 1; i < NSIG; ++i) sigaction(i, nullptr, &actions_[i]);
  sigprocmask(SIG_SETMASK, nullptr, &mask_);
}

ProcessState::~ProcessState() {
  if (directory_ >= 0) close(directory_);
}

std::string ProcessState::put_back() const {
  std::fesetenv(FE_DFL_ENV);
  umask(file_mask_);
  for (const int timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    const itimerval none{};
    setitimer(static_cast<__itimer_which_t>(timer), &none, nullptr);
  }
  for (int i = 1; i < NSIG; ++i) sigaction(i, &actions_[i], nullptr);
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
  std::string left;
  const auto failed = [&](const char* what) {
    if (left.empty()) left = what;
  };
  if (directory_ >= 0 && fchdir(directory_) != 0) failed("the working directory");
  for (const size_t i : indices(limits_)) {
    rlimit now{};
    const auto resource = static_cast<__rlimit_resource_t>(i);
    if (getrlimit(resource, &now) != 0) continue;
    const bool changed = now.rlim_cur != limits_[i].rlim_cur || now.rlim_max != limits_[i].rlim_max;
    if (changed && setrlimit(resource, &limits_[i]) != 0) failed("a resource limit");
  }
  for (const auto& [thread, before] : cpus_) {
    cpu_set_t now;
    if (sched_getaffinity(thread, sizeof now, &now) != 0 || CPU_EQUAL(&now, &before)) continue;
    if (sched_setaffinity(thread, sizeof before, &before) != 0) failed("the CPUs of a thread");
  }
  return left;
}

Held held() {
  Held result;
  std::error_code ended;
  for (const fs::path& one : entries_of("/proc/self/fd"))
    // The worker's own files, one for each thread in the team: see RunDelay.
    if (!file_name(fs::read_symlink(one, ended)).starts_with("schedstat")) ++result.descriptors;
  result.bytes = own_memory();
  return result;
}

std::string growth(const Held& before, const Held& after, double calls) {
  constexpr double least_total = 16 << 20, least_bytes = 256;
  constexpr double least_files = 4, least_descriptors = 0.5;
  const auto bytes = double(after.bytes - before.bytes);
  const auto files = double(after.descriptors - before.descriptors);
  std::string kept;
  if (bytes >= least_total && bytes / calls >= least_bytes)
    kept = "each call keeps " + to_text(Bytes(bytes / calls)) + " of memory";
  if (files >= least_files && files / calls >= least_descriptors)
    join(kept, fmt::format("each call leaves {:.2g} files open", files / calls), "; ");
  return kept;
}

Texts removed_files(const fs::path& folder) {
  constexpr size_t most = 3;
  Texts names;
  for (const fs::path& entry : entries_of(folder)) names.push_back(plain_text(file_name(entry)));
  sort(names);
  names.resize(std::min(names.size(), most));
  std::error_code gone;
  fs::remove_all(folder, gone);
  return names;
}

ThreadTimes cpu_seconds_beside(const PidSet& team) {
  ThreadTimes all;
  for (const pid_t thread : threads_of(getpid())) {
    // Read as pthread_getcpuclockid() does it: up to date for a thread that runs, unlike /proc.
    constexpr int of_thread = 6;
    timespec used{};
    if (!team.contains(thread) && clock_gettime(clockid_t(~thread) * 8 | of_thread, &used) == 0)
      all[thread] = double(used.tv_sec) + 1e-9 * double(used.tv_nsec);
  }
  return all;
}

double cpu_seconds_since(const ThreadTimes& before, const PidSet& team) {
  double seconds = 0;
  for (const auto& [thread, used] : cpu_seconds_beside(team))
    seconds += used - copy_at(before, thread).value_or(0);
  return seconds;
}

bool leaves_thread_running(const PidSet& team, double seconds) {
  static const bool wanted = spinning_is_wanted();
  if (wanted) return false;
  const ThreadTimes before = cpu_seconds_beside(team);
  const auto runs = [](const auto& thread) { return os::is_running(thread.first); };
  // On a busy machine a thread that computes on may get no core for long.
  while (any_of(before, runs)) {
    usleep(500);
    if (cpu_seconds_since(before, team) > seconds) return true;
  }
  return false;
}

}  // namespace rooftune::run
