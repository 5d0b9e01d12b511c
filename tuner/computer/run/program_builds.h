// The builds of a program: one for each combination of the knobs for a build, in its own folder.
// Several are made side by side and reused.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"
#include "kernel/program.h"
#include "run/command_template.h"
#include "run/prepared_folder.h"
#include "trial/trial.h"

namespace rooftune::run {

/// The placeholder for a build's own folder.
inline constexpr const char* build_folder_name = "BUILD_DIR";
/// The fault when a placeholder is not among `names`.
Error unknown_placeholder(const std::string& name, const std::string& option, const Texts& names);

struct ProgramBuild {
  fs::path folder;            ///< empty: nothing to build
  PreparedFolder prepared;    ///< for a build in a copy: put back before each run
  std::string error;          ///< why there is none, with the last output
  bool from_outside = false;  ///< a kill or a lack of memory made it fail twice
  Cost cost;                  ///< what build() took, until taken
};

/// Calls build(0) to build(count - 1), `builders` at a time; each returns its seconds. They share
/// the wait, so it is counted once.
std::vector<Cost> built_together(size_t count, int builders,
                                 const std::function<double(size_t)>& build);

class ProgramBuilds {
 public:
  using Lookup = CommandTemplate::Lookup;

  /// `scratch`: holds the builds' folders. Throws Error for an unreadable command.
  ProgramBuilds(const Program& program, int builders, fs::path scratch);

  const CommandTemplate& command() const { return command_; }
  /// The build command names no folder for its products: each build copies the user's folder and
  /// runs in the copy.
  bool copies() const { return !command_.empty() && !command_.has(build_folder_name); }
  /// Makes the missing builds, side by side. Each lookup gives the text for its placeholders.
  void build(const std::vector<Lookup>& wanted);
  /// The build, made now when build() has not. The caller takes its cost. Throws Error
  /// (unavailable) where it was killed: that is not its configuration's fault.
  ProgramBuild take(const Lookup& lookup);
  /// The words that make a build in a folder.
  Texts words(const Lookup& lookup, const fs::path& folder) const;

 private:
  struct Kept {
    ProgramBuild build;
    size_t used = 0;  ///< when, counted in uses
  };
  std::string key(const Lookup& lookup) const;
  ProgramBuild made(const Lookup& lookup, const fs::path& folder) const;
  /// Removes the longest unused builds, but none from the last `recent` uses.
  void limit(size_t recent);

  const Program program_;
  const fs::path scratch_;
  const int builders_;
  CommandTemplate command_;
  ByName<Kept> kept_;
  size_t serial_ = 0, uses_ = 0;
};

/// Names and values: the words, metric and check, the folder, the contents of the program's file
/// and of files among its words, and variables of this process that change runs or builds.
TextPairs program_identity(const Program& program);

}  // namespace rooftune::run
