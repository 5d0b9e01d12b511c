// The builds of a program: one for each combination of the knobs that its build names, in a folder
// of its own, so that several are made side by side and each is used again.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kernel/program.h"
#include "run/command_template.h"
#include "trial/trial.h"

namespace rooftune::run {

/// The placeholder of a build's own folder.
inline constexpr const char* build_folder_name = "BUILD_DIR";

struct ProgramBuild {
  std::filesystem::path folder;  ///< empty for a program that is not built
  std::string error;             ///< why there is none, with what was printed at last
  Cost cost;                     ///< of build(), until somebody has taken it
};

class ProgramBuilds {
 public:
  /// `scratch`: the builds' folders go there. Throws Error for a command that cannot be read.
  ProgramBuilds(const Program& program, int builders, std::filesystem::path scratch);

  const CommandTemplate& command() const { return command_; }
  /// The folder that the user is in is copied for every build, which then happens in the copy: of
  /// builds that do not say where they put what they make.
  bool copies() const { return !command_.empty() && !command_.has(build_folder_name); }
  /// Makes those that are not there yet, side by side. Each gives the text of its placeholders.
  void build(const std::vector<CommandTemplate::Lookup>& wanted);
  /// The build, made now when build() has not. What it cost is the caller's.
  ProgramBuild take(const CommandTemplate::Lookup& lookup);
  /// The words of a build in a folder.
  std::vector<std::string> words(const CommandTemplate::Lookup& lookup,
                                 const std::filesystem::path& folder) const;

 private:
  struct Kept {
    ProgramBuild build;
    std::size_t used = 0;  ///< when, counted in uses
  };
  std::string key(const CommandTemplate::Lookup& lookup) const;
  ProgramBuild made(const CommandTemplate::Lookup& lookup, const std::filesystem::path& folder,
                    double& seconds) const;
  /// Removes what was not used for longest, but nothing of the last `recent` uses.
  void limit(std::size_t recent);

  const Program program_;
  const std::filesystem::path scratch_;
  const int builders_;
  CommandTemplate command_;
  std::map<std::string, Kept> kept_;
  std::size_t serial_ = 0, uses_ = 0;
};

/// Copies files and folders as a build needs them: links inside stay links inside, others lead
/// where they led; `left_out` and .git are not copied. Throws Error for more than `most` bytes.
void copy_tree(const std::filesystem::path& from, const std::filesystem::path& to,
               const std::vector<std::filesystem::path>& left_out, std::uintmax_t most);

}  // namespace rooftune::run
