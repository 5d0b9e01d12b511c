// A folder in the system's temporary directory, named after its owner.
#include "os/temporary_directory.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "os/process_tree.h"

namespace rooftune {
namespace {

/// "<prefix>-<pid namespace>-": process numbers of another container mean nothing here.
std::string prefix_here(const std::string& prefix) {
  struct stat space {};
  stat("/proc/self/ns/pid", &space);
  return fmt::format("{}-{}-", prefix, space.st_ino);
}

/// Folders whose owner was killed and could not remove them.
void remove_abandoned(const std::filesystem::path& parent, const std::string& prefix) {
  std::error_code fault;
  for (std::filesystem::directory_iterator it(parent, fault), end; !fault && it != end;
       it.increment(fault)) {
    const std::string name = it->path().filename();
    long pid = 0;
    unsigned long long started = 0;
    if (name.rfind(prefix, 0) != 0 ||
        std::sscanf(name.c_str() + prefix.size(), "%ld-%llu-", &pid, &started) != 2)
      continue;
    if (started == 0 || start_time(static_cast<pid_t>(pid)) == started) continue;
    std::error_code ignored;
    std::filesystem::remove_all(it->path(), ignored);
  }
}

}  // namespace

TemporaryDirectory::TemporaryDirectory(const std::string& prefix) {
  const auto parent = std::filesystem::temp_directory_path();
  const std::string here = prefix_here(prefix);
  remove_abandoned(parent, here);
  // The name tells later processes whether the owner is still there.
  const std::string owner = fmt::format("{}{}-{}-XXXXXX", here, getpid(), start_time(getpid()));
  std::string text = (parent / owner).string();
  if (!mkdtemp(text.data()))
    throw Error(fmt::format("no temporary directory can be made: {}", std::strerror(errno)),
                parent.string(), "set TMPDIR to a directory that can be written",
                ExitCode::failure);
  path_ = text;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace rooftune
