// The builds of a program: one for each combination of the knobs for a build, in its own folder.
// Several are made side by side and reused.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"
#include "kernel/program.h"
#include "run/command_template.h"
#include "trial/trial.h"

namespace rooftune::run {

/// The folder of a build, the same for every run.
class PreparedFolder {
 public:
  PreparedFolder() = default;
  /// `folder` as it is now: a copy of `source` (copy_tree) in which something was built.
  PreparedFolder(fs::path folder, fs::path source);
  const fs::path& path() const { return folder_; }  ///< empty: there is none
  /// Before a run: removes what earlier runs have added, a checkpoint to go on from perhaps, and
  /// copies from the source again what they have changed or removed. What the build itself made has
  /// no copy: it stays as they left it. Links are as they were. Throws fs::filesystem_error, and
  /// Error where a run has changed a source file through a link.
  void put_back() const;

 private:
  struct Stamp {
    uintmax_t size = 0;
    fs::file_time_type time = {};
    bool operator==(const Stamp&) const = default;
  };
  struct Link {
    fs::path target;
    Stamp file;  ///< for a file in the source; else none
  };
  void put_back(const fs::path& name, const Link& link) const;
  /// The stamp of a file; no size and no time for anything else.
  static Stamp stamp(const fs::path& file);

  fs::path folder_, source_;
  std::map<fs::path, Stamp> entries_;  ///< by the name below the folder
  std::map<fs::path, Link> links_;     ///< the same, for links
};

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
  /// `scratch`: holds the builds' folders. Throws Error for an unreadable command.
  ProgramBuilds(const Program& program, int builders, fs::path scratch);

  const CommandTemplate& command() const { return command_; }
  /// The build command names no folder for its products: each build copies the user's folder and
  /// runs in the copy.
  bool copies() const { return !command_.empty() && !command_.has(build_folder_name); }
  /// Makes the missing builds, side by side. Each lookup gives the text for its placeholders.
  void build(const std::vector<CommandTemplate::Lookup>& wanted);
  /// The build, made now when build() has not. The caller takes its cost. Throws Error
  /// (unavailable) where it was killed: that is not its configuration's fault.
  ProgramBuild take(const CommandTemplate::Lookup& lookup);
  /// The words that make a build in a folder.
  Texts words(const CommandTemplate::Lookup& lookup, const fs::path& folder) const;

 private:
  struct Kept {
    ProgramBuild build;
    size_t used = 0;  ///< when, counted in uses
  };
  std::string key(const CommandTemplate::Lookup& lookup) const;
  ProgramBuild made(const CommandTemplate::Lookup& lookup, const fs::path& folder) const;
  /// Removes the longest unused builds, but none from the last `recent` uses.
  void limit(size_t recent);

  const Program program_;
  const fs::path scratch_;
  const int builders_;
  CommandTemplate command_;
  ByName<Kept> kept_;
  size_t serial_ = 0, uses_ = 0;
};

/// What becomes of files for which a copy has no room.
enum class Large { refused, linked };
/// Copies files and folders as a build needs them: links inside stay links inside, others lead
/// where they led; `left_out`, .git and the folder around the copy are not copied. Throws Error for
/// more than `most` bytes, where `large` files are refused.
void copy_tree(const fs::path& from, const fs::path& to, const Paths& left_out, uintmax_t most,
               Large large = Large::refused);

/// A folder below `scratch` for runs that write their input files: a copy of the current folder,
/// under its name, with links to its neighbours for paths that begin with "..". Large files are
/// links; `left_out` is not there. Throws fs::filesystem_error.
PreparedFolder folder_of_runs(const fs::path& scratch, Paths left_out);

/// Names and values: the words, metric and check, the folder, the contents of the program's file
/// and of files among its words, and variables of this process that change runs or builds.
TextPairs program_identity(const Program& program);

}  // namespace rooftune::run
