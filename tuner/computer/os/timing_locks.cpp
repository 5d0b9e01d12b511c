#include "os/timing_locks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "os/interruption.h"

namespace rooftune::os {
namespace {

std::filesystem::path folder_of_locks() {
  const char* const chosen = std::getenv("ROOFTUNE_LOCKS");
  return chosen && *chosen ? chosen : "/dev/shm";
}

/// Makes the file lockable for every user, whatever the umask of the first.
void make_for_all(const std::filesystem::path& file) {
  const Descriptor made(
      open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (made.get() >= 0) fchmod(made.get(), 0666);
}

/// The file behind the lock of this name, lockable for every user.
std::filesystem::path timing_lock_file(const std::string& name) {
  const std::filesystem::path file = folder_of_locks() / fmt::format("rooftune.{}.lock", name);
  make_for_all(file);
  return file;
}

/// The least number among the CPUs of one core.
int first_cpu_of_core(int cpu) {
  const std::string siblings = text_if_readable(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  // "0,64" or "0-1"; where it is unknown every CPU counts as a core.
  return siblings.empty() ? cpu : std::atoi(siblings.c_str());
}

/// CPUs of every core of a node, in the order of their names' numbers.
std::map<int, std::vector<int>> cores_of(const std::vector<int>& node, const Topology& host) {
  std::map<int, std::vector<int>> cores;
  for (const int cpu : node)
    if (std::find(host.cpus.begin(), host.cpus.end(), cpu) != host.cpus.end())
      cores[first_cpu_of_core(cpu)].push_back(cpu);
  return cores;
}

}  // namespace

std::vector<FileLock> lock_for_timing(const std::vector<std::string>& names, bool wait,
                                      const std::function<void(const std::string&)>& say) {
  std::vector<FileLock> locks;
  for (const std::string& name : names) {
    try {
      locks.push_back(lock_or_wait(timing_lock_file(name), "timing on " + name, wait, say));
    } catch (const Error& error) {
      if (error.code() == ExitCode::busy)
        throw Error(error.message(), error.where(),
                    "--wait begins when it has ended; --share-machine begins now on the cores that "
                    "are free, if any",
                    ExitCode::busy);
      if (say) say("note: nobody is kept from timing on the same cores: " + error.message());
      return locks;
    }
  }
  return locks;
}

std::vector<std::string> core_names(const std::vector<int>& cpus) {
  std::set<int> firsts;
  for (const int cpu : cpus) firsts.insert(first_cpu_of_core(cpu));
  std::vector<std::string> names;
  for (const int cpu : firsts) names.push_back(fmt::format("cpu{}", cpu));
  return names;
}

std::vector<std::vector<OwnCores::Core>> OwnCores::free_cores(const Topology& host,
                                                              std::string& busy) const {
  std::vector<std::vector<Core>> nodes;
  for (const auto& node : host.numa_nodes) {
    nodes.emplace_back();
    for (auto& [first, cpus] : cores_of(node, host)) {
      const std::string name = core_names({first}).front();
      std::string holder;
      if (auto lock = FileLock::take(timing_lock_file(name), holder))
        nodes.back().push_back({name, std::move(cpus), std::move(*lock)});
      else if (busy.empty())
        busy = fmt::format("timing on {} is being run by {}", name, holder);
    }
  }
  return nodes;
}

void OwnCores::keep(std::vector<std::vector<Core>> free, std::size_t count) {
  std::stable_sort(free.begin(), free.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<int> cpus;
  for (auto& node : free)
    for (Core& core : node) {
      if (names_.size() == count) break;
      names_.push_back(core.name);
      cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
      locks_.push_back(std::move(core.lock));
    }
  if (!bind_thread(cpus))
    throw Error(fmt::format("this process cannot be bound to {}", fmt::join(names_, " ")),
                "--share-machine", "leave it out, and give --wait");
}

OwnCores::OwnCores(const Topology& host, int count, bool wait,
                   const std::function<void(const std::string&)>& say)
    : before_(usable_cpus()) {
  for (bool said = false;; said = true) {
    std::string busy;
    {
      // One process at a time chooses, or two requests for all cores would take half of them each.
      const FileLock choice =
          lock_or_wait(timing_lock_file("choice"), "the choice of cores", true, {});
      auto free = free_cores(host, busy);
      std::size_t found = 0;
      for (const auto& node : free) found += node.size();
      const std::size_t wanted =
          count > 0 ? static_cast<std::size_t>(count) : std::max<std::size_t>(1, found);
      if (found >= wanted || busy.empty()) {
        keep(std::move(free), std::min(found, wanted));
        return;
      }
      busy = fmt::format("{} of {} cores are free: {}", found, host.cores, busy);
      if (!wait)
        throw Error(busy, "--share-machine",
                    found > 0 ? fmt::format("--threads {} takes those that are free; --wait begins "
                                            "when there are enough",
                                            found)
                              : "--wait begins when there are enough",
                    ExitCode::busy);
    }
    if (!said && say) say("waiting: " + busy);
    if (interrupted()) throw Interrupted{};
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

OwnCores::~OwnCores() { bind_thread(before_); }

}  // namespace rooftune::os
