// Reads /proc; processes that vanish meanwhile count as absent. Our own children are registered
// (spawn.h), and so are no strays.
#include "os/process_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "core/file.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/number.h"
#include "os/subprocess.h"
#include "os/topology.h"

namespace rooftune::os {
namespace {

constexpr char zombie = 'Z', running = 'R';

/// Numeric entries in a directory under /proc.
ProcessIds numbered(const std::string& directory) {
  ProcessIds numbers;
  for (const fs::path& entry : entries_of(directory)) {
    if (const auto number = number_in<pid_t>(entry.filename().native())) numbers.push_back(*number);
  }
  return numbers;
}

/// What /proc tells of a process, from the third field (state) on; the second may hold spaces and
/// brackets.
Texts stat_fields(pid_t pid) {
  const std::string text = text_if_readable(fmt::format("/proc/{}/stat", pid));
  const size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return {};
  std::istringstream rest(text.substr(bracket + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

/// Sums the first `count` of these times: user, system, reaped children's user, reaped children's
/// system [s].
double cpu_seconds(const Texts& fields, size_t count) {
  static const auto ticks = double(sysconf(_SC_CLK_TCK));
  constexpr size_t user = 11;
  double sum = 0;
  for (size_t i = user; i < user + count && i < fields.size(); ++i) sum += std::stod(fields[i]);
  return sum / ticks;
}

pid_t field_as_pid(const Texts& fields, size_t position) {
  return fields.size() > position ? pid_t(std::stol(fields[position])) : -1;
}

bool is_marked(pid_t pid, const std::string& marker) {
  // Variables are separated by null bytes; the first has none before it.
  const std::string environment = '\0' + text_if_readable(fmt::format("/proc/{}/environ", pid));
  return contains(environment, '\0' + marker);
}

bool all_children_are_ours = false;

/// Carries another child's marker, so that child may still need it.
bool has_other_marker(pid_t pid) {
  const auto markers = markers_of_children();
  return any_of(markers, [&](const std::string& marker) { return is_marked(pid, marker + "="); });
}

/// A dead process shows no environment; its group or session still shows its owner.
bool is_stray(pid_t pid, const std::string& marker, pid_t group) {
  if (is_registered_child(pid)) return false;
  if (all_children_are_ours) return !has_other_marker(pid);
  const auto fields = stat_fields(pid);
  if (fields.empty()) return false;
  if (field_as_pid(fields, 2) == group) return true;
  if (fields[0].front() == zombie) return field_as_pid(fields, 3) != getsid(0);
  return is_marked(pid, marker + "=");
}

/// Each round may free the killed processes' children; a bound keeps a fork bomb from holding us
/// for ever.
void end_children_if(const std::function<bool(pid_t)>& unwanted) {
  for (int round = 0; round < 1000; ++round) {
    bool found = false;
    for (const pid_t pid : children(getpid())) {
      if (!unwanted(pid)) continue;
      found = true;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    if (!found) return;
  }
}

/// Time to fill a core's private caches again [s]: 2 MiB at 10 GB/s.
constexpr double refill = 2e-4;

/// A process's CPU time so far [s], in steps of a hundredth; 0 when it does not exist.
double process_cpu_seconds(pid_t pid) { return cpu_seconds(stat_fields(pid), 2); }

/// From a schedstat file: time on a core, time waiting, turns; nullopt when its thread has ended.
std::optional<CoreTime> core_time(int file) {
  char text[96];
  const ssize_t bytes = pread(file, text, sizeof text - 1, 0);
  if (bytes <= 0) return std::nullopt;
  text[bytes] = 0;
  char* rest = text;
  const auto next = [&rest] { return double(std::strtoull(rest, &rest, 10)); };
  const double cpu = 1e-9 * next(), delay = 1e-9 * next();
  return CoreTime{cpu, delay, next()};
}

/// The waits, with the caches filled anew after each [s].
double with_refills(const CoreTime& time) {
  return time.delay + std::min(time.delay, refill * time.turns);
}

}  // namespace

ProcessIds children(pid_t pid) {
  ProcessIds result;
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  for (const pid_t task : numbered(tasks)) {
    std::istringstream text(text_if_readable(fmt::format("{}/{}/children", tasks, task)));
    result.insert(result.end(), std::istream_iterator<pid_t>(text), {});
  }
  static const bool listed = fs::exists("/proc/thread-self/children");
  if (listed) return result;
  for (const pid_t candidate : numbered("/proc"))
    if (field_as_pid(stat_fields(candidate), 1) == pid) result.push_back(candidate);
  return result;
}

ProcessIds threads_of(pid_t pid) { return numbered(fmt::format("/proc/{}/task", pid)); }

bool is_running(pid_t id) {
  const Texts fields = stat_fields(id);
  return !fields.empty() && fields[0].front() == running;
}

ProcessIds processes() { return numbered("/proc"); }

PidSet own_processes() {
  PidSet own;
  const std::function<void(pid_t)> add = [&](pid_t pid) {
    if (own.insert(pid).second) std::ranges::for_each(children(pid), add);
  };
  add(getpid());
  return own;
}

std::string process_name(pid_t pid) {
  std::string name = text_if_readable(fmt::format("/proc/{}/comm", pid));
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

double descendants_cpu_seconds(pid_t pid) {
  double seconds = 0;
  for (const pid_t child : children(pid))
    seconds += cpu_seconds(stat_fields(child), 4) + descendants_cpu_seconds(child);
  return seconds;
}

size_t resident_bytes(pid_t pid) {
  static const size_t page = sysconf(_SC_PAGESIZE);
  size_t pages = 0, ignored = 0;
  std::istringstream(text_if_readable(fmt::format("/proc/{}/statm", pid))) >> ignored >> pages;
  size_t bytes = pages * page;
  for (const pid_t child : children(pid)) bytes += resident_bytes(child);
  return bytes;
}

ProcessIds marked_processes(const std::string& marker) {
  return filtered(numbered("/proc"),
                  [&](pid_t pid) { return pid != getpid() && is_marked(pid, marker); });
}

uint64_t start_time(pid_t pid) {
  const auto fields = stat_fields(pid);
  return fields.size() > 19 ? std::stoull(fields[19]) : 0;
}

int64_t oom_kills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  int64_t count = 0;
  while (file >> name >> count)
    if (name == "oom_kill") return count;
  return -1;
}

void end_descendants(pid_t pid) {
  // Bounded as in end_children_if(); a killed process stays a zombie until its parent looks.
  for (int round = 0; round < 1000; ++round) {
    bool found = false;
    ProcessIds level = children(pid);
    while (!level.empty()) {
      ProcessIds next;
      for (const pid_t one : level) {
        const auto below = children(one);
        append(next, below);
        if (const Texts fields = stat_fields(one); !fields.empty() && fields[0][0] == zombie)
          continue;
        found = true;
        kill(one, SIGKILL);
      }
      level = std::move(next);
    }
    if (!found) return;
  }
}

void treat_all_children_as_own() { all_children_are_ours = children(getpid()).empty(); }

void end_children() {
  end_children_if([](pid_t) { return true; });
}

void end_strays(const std::string& marker, pid_t group) {
  end_children_if([&](pid_t pid) { return is_stray(pid, marker, group); });
}

Neighbours::Neighbours() : begin_(SteadyClock::now()) {
  for (const pid_t pid : processes()) before_[pid] = process_cpu_seconds(pid);
}

std::vector<Neighbour> Neighbours::busy() const {
  const double span = seconds_since(begin_);
  const PidSet own = own_processes();
  std::vector<Neighbour> found;
  for (const pid_t pid : processes()) {
    const double used = process_cpu_seconds(pid) - copy_at(before_, pid).value_or(0);
    constexpr double least = 0.1;
    if (used >= least * span && span > 0 && !own.contains(pid))
      found.push_back({process_name(pid), pid, used / span});
  }
  sort(found, std::greater(), &Neighbour::cores);
  return found;
}

std::string to_text(const std::vector<Neighbour>& busy) {
  constexpr size_t shown = 3;
  std::string text;
  for (size_t i = 0; i < std::min(shown, busy.size()); ++i)
    text += fmt::format("{}{} (pid {}) {:.2f}", i > 0 ? ", " : "", busy[i].name, busy[i].pid,
                        busy[i].cores);
  return busy.size() > shown ? text + fmt::format(" and {} more", busy.size() - shown) : text;
}

void remove_shared_names(pid_t ended) {
  unlink(fmt::format("/dev/shm/__KMP_REGISTERED_LIB_{}_{}", ended, getuid()).c_str());
}

std::optional<CoreTime> first_thread(pid_t pid) {
  const Descriptor file(open(fmt::format("/proc/{}/schedstat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  const auto time = core_time(file.get());
  return time && time->cpu > 0 ? time : std::nullopt;
}

Waits waits_of_program(const CoreTime& first, double cpu, double seconds) {
  constexpr double hardly_more = 1.02;
  if (cpu <= hardly_more * first.cpu) return {first.delay, with_refills(first)};
  const double others = std::max(double(usable_cpus().size()) * seconds - cpu, 0.0);
  return {std::min(first.delay, others), std::clamp(seconds - first.cpu, 0.0, others)};
}

void go_before_neighbours(pid_t pid) {
  if (getpriority(PRIO_PROCESS, 0) > 0) return;
  constexpr int foremost = -20;
  setpriority(PRIO_PROCESS, id_t(pid), foremost);
  // And before other sessions, where the scheduler first divides the cores among sessions.
  std::ofstream(fmt::format("/proc/{}/autogroup", pid)) << foremost;
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
  // Threads may come and go in equal numbers: then a thread that can no longer be read shows it.
  for (bool stale = process_ != getpid() || folder.st_nlink != links_;; stale = true) {
    if (stale) open();
    links_ = folder.st_nlink;
    for (Thread& one : threads_) one.so_far = core_time(one.file);
    if (stale || all_of(threads_, [](const Thread& one) { return one.so_far.has_value(); })) return;
  }
}

std::optional<Waits> RunDelay::since_last() {
  const std::vector<Thread> before = threads_;
  read();
  if (threads_.empty()) return std::nullopt;
  Waits all;
  Numbers busy;
  for (const Thread& one : threads_) {
    const auto* const same = first_with(before, &Thread::id, one.id);
    CoreTime time = one.so_far.value_or(CoreTime{});
    if (same && same->so_far && one.so_far) {
      time.cpu -= same->so_far->cpu;
      time.delay = std::max(time.delay - same->so_far->delay, 0.0);
      time.turns -= same->so_far->turns;
    }
    all.longest = std::max(all.longest, time.delay);
    all.together += with_refills(time);
    busy.push_back(time.delay + time.cpu);
  }
  constexpr double least = 0.01;
  const double most = std::ranges::max(busy);
  cpu_set_t cores, of_one;
  CPU_ZERO(&cores);
  for (const size_t i : indices(threads_)) {
    if (busy[i] <= least * most) continue;
    ++all.active;
    if (sched_getaffinity(threads_[i].id, sizeof of_one, &of_one) == 0)
      CPU_OR(&cores, &cores, &of_one);
  }
  all.cores = CPU_COUNT(&cores);
  return all;
}

double StolenTime::since_last() {
  // A reading takes 50 us and more, so it is rare unless the last one found something.
  constexpr std::chrono::milliseconds pause(100);
  const auto now = SteadyClock::now();
  if (!growing_ && now - read_ < pause) return 0;
  read_ = now;
  std::ifstream file("/proc/stat");
  double most = 0;
  std::string line;
  // "cpu3" and ten figures in ticks; the eighth is stolen.
  while (std::getline(file, line) && line.starts_with("cpu")) {
    std::istringstream words(line.substr(3));
    if (line[3] == ' ') continue;
    size_t core = 0;
    uint64_t figure = 0;
    words >> core;
    for (int i = 0; i < 8; ++i) words >> figure;
    if (ticks_.size() <= core) ticks_.resize(core + 1, figure);
    most = std::max(most, double(figure - std::exchange(ticks_[core], figure)));
  }
  growing_ = most > 0;
  return most / double(sysconf(_SC_CLK_TCK));
}

}  // namespace rooftune::os
