// Reading of /proc; processes that vanish meanwhile count as absent. Own children are registered
// (spawn.h) and so are no strays.
#include "os/process_tree.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include "core/file.h"
#include "os/subprocess.h"

namespace rooftune::os {
namespace {

constexpr char zombie = 'Z';

/// Numeric entries of a directory of /proc.
std::vector<pid_t> numbered(const std::string& directory) {
  std::vector<pid_t> numbers;
  std::error_code fault;
  for (std::filesystem::directory_iterator it(directory, fault), end; !fault && it != end;
       it.increment(fault)) {
    const std::string name = it->path().filename();
    pid_t number = 0;
    const auto [rest, bad] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (bad == std::errc{} && rest == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

/// Fields of a file stat of /proc from the third (state) on; the second may hold spaces and
/// brackets.
std::vector<std::string> stat_fields(const std::string& file) {
  const std::string text = text_if_readable(file);
  const std::size_t bracket = text.rfind(')');
  if (bracket == std::string::npos) return {};
  std::istringstream rest(text.substr(bracket + 1));
  return {std::istream_iterator<std::string>(rest), {}};
}

std::vector<std::string> stat_fields(pid_t pid) {
  return stat_fields(fmt::format("/proc/{}/stat", pid));
}

/// The first `count` of: user, system, and both of the reaped children [s].
double cpu_seconds(const std::vector<std::string>& fields, std::size_t count) {
  static const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  constexpr std::size_t user = 11;
  double sum = 0;
  for (std::size_t i = user; i < user + count && i < fields.size(); ++i)
    sum += std::stod(fields[i]);
  return sum / ticks;
}

pid_t field_as_pid(const std::vector<std::string>& fields, std::size_t position) {
  return fields.size() > position ? static_cast<pid_t>(std::stol(fields[position])) : -1;
}

bool is_marked(pid_t pid, const std::string& marker) {
  // Variables are separated by null bytes; the first has none before it.
  const std::string environment = '\0' + text_if_readable(fmt::format("/proc/{}/environ", pid));
  return environment.find('\0' + marker) != std::string::npos;
}

bool all_children_are_ours = false;

/// Carries the marker of another child, perhaps still in need of it.
bool has_other_marker(pid_t pid) {
  const auto markers = markers_of_children();
  return std::any_of(markers.begin(), markers.end(),
                     [&](const std::string& marker) { return is_marked(pid, marker + "="); });
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

/// Each round can free children of the killed ones; a bound keeps a fork bomb from holding us for
/// ever.
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

}  // namespace

std::vector<pid_t> children(pid_t pid) {
  std::vector<pid_t> result;
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  for (const pid_t task : numbered(tasks)) {
    std::istringstream text(text_if_readable(fmt::format("{}/{}/children", tasks, task)));
    result.insert(result.end(), std::istream_iterator<pid_t>(text), {});
  }
  static const bool listed = std::filesystem::exists("/proc/thread-self/children");
  if (listed) return result;
  for (const pid_t candidate : numbered("/proc"))
    if (field_as_pid(stat_fields(candidate), 1) == pid) result.push_back(candidate);
  return result;
}

std::vector<pid_t> threads_of(pid_t pid) { return numbered(fmt::format("/proc/{}/task", pid)); }

char thread_state(pid_t pid, pid_t thread) {
  const auto fields = stat_fields(fmt::format("/proc/{}/task/{}/stat", pid, thread));
  return fields.empty() || fields[0].empty() ? '\0' : fields[0][0];
}

double thread_cpu_seconds(pid_t pid, pid_t thread) {
  return cpu_seconds(stat_fields(fmt::format("/proc/{}/task/{}/stat", pid, thread)), 2);
}

std::vector<pid_t> processes() { return numbered("/proc"); }

std::string process_name(pid_t pid) {
  std::string name = text_if_readable(fmt::format("/proc/{}/comm", pid));
  if (name.ends_with('\n')) name.pop_back();
  return name;
}

double process_cpu_seconds(pid_t pid) { return cpu_seconds(stat_fields(pid), 2); }

double descendants_cpu_seconds(pid_t pid) {
  double seconds = 0;
  for (const pid_t child : children(pid))
    seconds += cpu_seconds(stat_fields(child), 4) + descendants_cpu_seconds(child);
  return seconds;
}

std::size_t resident_bytes(pid_t pid) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t pages = 0, ignored = 0;
  std::istringstream(text_if_readable(fmt::format("/proc/{}/statm", pid))) >> ignored >> pages;
  std::size_t bytes = pages * page;
  for (const pid_t child : children(pid)) bytes += resident_bytes(child);
  return bytes;
}

std::vector<pid_t> marked_processes(const std::string& marker) {
  std::vector<pid_t> result;
  for (const pid_t pid : numbered("/proc"))
    if (pid != getpid() && is_marked(pid, marker)) result.push_back(pid);
  return result;
}

std::uint64_t start_time(pid_t pid) {
  const auto fields = stat_fields(pid);
  return fields.size() > 19 ? std::stoull(fields[19]) : 0;
}

std::int64_t oom_kills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  std::int64_t count = 0;
  while (file >> name >> count)
    if (name == "oom_kill") return count;
  return -1;
}

void end_descendants(pid_t pid) {
  // As above; a killed process stays a zombie until its parent looks.
  for (int round = 0; round < 1000; ++round) {
    bool found = false;
    std::vector<pid_t> level = children(pid);
    while (!level.empty()) {
      std::vector<pid_t> next;
      for (const pid_t one : level) {
        const auto below = children(one);
        next.insert(next.end(), below.begin(), below.end());
        if (thread_state(one, one) == zombie) continue;
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

}  // namespace rooftune::os
