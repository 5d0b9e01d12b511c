// A user in a fresh directory: own results, cache and machine file, and the real `tune` to run.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"

namespace rooftune::e2e {

struct Ran {
  int code = -1;       ///< exit code; -1 when a signal ended it
  std::string output;  ///< both streams
  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

/// Among the words of a study: it goes on after the search, as for a user.
inline constexpr const char* whole_study = "whole study";

/// Where a user's variants are built. Builds of the repository's kernels are shared with all users
/// of this build folder, as the compiler takes most of the time; kernels and compilers in a user's
/// own folder have their path in the key, and so are built by each.
enum class Builds { shared, own };

class User {
 public:
  /// `own`: for tests of the cache itself, and of what is left of a build.
  explicit User(Builds builds = Builds::shared);
  /// Runs `tune` with these words in the user's directory. Studies use one thread unless the words
  /// name threads. They end with the race of the finalists unless the words hold `whole_study`:
  /// what comes then (the winner's knobs set back, ceilings again) takes four fifths of a short
  /// one.
  Ran tune(const std::vector<std::string>& words,
           const std::map<std::string, std::string>& environment = {},
           int limit_seconds = 300) const;
  /// The same of another build of `tune`.
  Ran run(const std::string& program, const std::vector<std::string>& words,
          const std::map<std::string, std::string>& environment = {},
          int limit_seconds = 300) const;
  /// An interpreter of Python with these words in the user's directory; the module is the source's.
  Ran python(const std::string& interpreter, std::vector<std::string> words,
             int limit_seconds) const;
  /// `words` plus --json; requires exit code 0 and returns the document.
  Json tuned(std::vector<std::string> words) const;
  std::filesystem::path path(const std::string& name) const { return directory_.path() / name; }
  void write(const std::string& name, const std::string& text) const;
  /// Files below the user's directory with this extension, in the order of their names.
  std::vector<std::filesystem::path> files(const std::string& below,
                                           const std::string& extension) const;
  /// The configurations of a study's trials in order, from its records; `study` is the name of
  /// its folder.
  std::vector<Json> trials(const std::string& study) const;
  std::map<std::string, std::string> environment() const;

 private:
  TemporaryDirectory directory_;
  std::filesystem::path cache_;
};

/// A program of the system in the user's directory, which must succeed; its output.
std::string output_of(const User& user, const std::vector<std::string>& words,
                      const std::map<std::string, std::string>& environment = {});
/// The folder of an example of docs/examples.
std::string example(const std::string& name);
/// A project of CMake, built in a folder of the user's; a tuned library for this CPU alone, unless
/// options say otherwise.
void build_project(const User& user, const std::string& source, const std::string& folder,
                   std::vector<std::string> options = {});

/// What the environment of `tune` needs so that an executable of this text stands first on the
/// user's PATH.
std::map<std::string, std::string> installed(const User& user, const std::string& name,
                                             const std::string& text);

/// Starts `tune` without waiting; its output goes to <user>/log.
pid_t start(const User& user, const std::vector<std::string>& words,
            const std::map<std::string, std::string>& extra = {});
/// Waits until nothing of this user's `tune` is left; false after five seconds.
bool gone(const User& user);
/// Processes that live in this user's environment: everything that their `tune` left running.
std::vector<pid_t> processes(const User& user);
/// One of an array of texts holds `what`.
bool any_has(const Json& texts, const std::string& what);
/// ROOFTUNE_DATA/<name> when it is there.
std::optional<std::filesystem::path> data(const std::string& name);

}  // namespace rooftune::e2e
