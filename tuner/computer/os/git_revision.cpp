#include "os/git_revision.h"

#include "os/subprocess.h"

namespace rooftune::os {
namespace {

/// First line of what git says; empty where it fails.
std::string asked(const std::filesystem::path& folder, std::vector<std::string> words) {
  Command command;
  command.argv = {"git", "-C", folder.string()};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  // It refreshes its index otherwise, which another git beside us would find locked.
  command.environment["GIT_OPTIONAL_LOCKS"] = "0";
  command.limit = std::chrono::seconds(5);
  const Finished finished = execute(command);
  if (!finished.status.ok()) return {};
  return finished.output.substr(0, finished.output.find('\n'));
}

}  // namespace

std::string git_revision(const std::filesystem::path& folder) {
  if (!find_program("git")) return {};
  try {
    const std::string commit = asked(folder, {"rev-parse", "--short=12", "HEAD"});
    if (commit.empty()) return {};
    const bool changed =
        !asked(folder, {"status", "--porcelain", "--untracked-files=no", "--", "."}).empty();
    return commit + (changed ? " and changes" : "");
  } catch (const Error&) {
    return {};
  }
}

}  // namespace rooftune::os
