#include "os/timing_locks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <set>

#include "core/error.h"
#include "core/file.h"

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

}  // namespace

std::filesystem::path timing_lock_file(const std::string& name) {
  const std::filesystem::path file = folder_of_locks() / fmt::format("rooftune.{}.lock", name);
  make_for_all(file);
  return file;
}

int first_cpu_of_core(int cpu) {
  const std::string siblings = text_if_readable(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  // "0,64" or "0-1"; where it is unknown every CPU counts as a core.
  return siblings.empty() ? cpu : std::atoi(siblings.c_str());
}

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

}  // namespace rooftune::os
