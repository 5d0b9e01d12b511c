// A folder in which a program runs or is built: a copy of the user's, the same for every run.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::run {

/// What becomes of files for which a copy has no room.
enum class Large { refused, linked };
/// Copies files and folders as a build needs them: links inside stay links inside, others lead
/// where they led; `left_out`, .git and the folder around the copy are not copied. Throws Error for
/// more than `most` bytes, where `large` files are refused.
void copy_tree(const fs::path& from, const fs::path& to, const Paths& left_out, uintmax_t most,
               Large large = Large::refused);

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

/// A folder below `scratch` for runs that write their input files: a copy of the current folder,
/// under its name, with links to its neighbours for paths that begin with "..". Large files are
/// links; `left_out` is not there. Throws fs::filesystem_error.
PreparedFolder folder_of_runs(const fs::path& scratch, Paths left_out);

}  // namespace rooftune::run
