// The folder of one artefact. It is valid only with its files as sealed: a power cut, a full disk
// or a bad one costs a build, not a study. So nothing waits for the disk.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "os/spawn.h"
#include "os/temporary_directory.h"

namespace rooftune::build {

/// Writes `manifest`, the size and hash of every file in the folder. Throws Error.
void seal(const std::filesystem::path& folder);
/// The `needed` files exist, the folder is private and every file has its sealed size; with
/// `contents`, its hash too. False for folders of versions without a manifest.
bool is_whole(const std::filesystem::path& folder, const std::vector<std::string>& needed,
              bool contents);
/// Gives a sealed folder its name for good. The first one wins; a torn folder in the way is
/// removed. Throws Error.
void put_in_place(TemporaryDirectory& sealed, const std::filesystem::path& place,
                  const std::vector<std::string>& needed);
/// Makes it the last one to be swept; false when it is gone.
bool mark_used(const std::filesystem::path& folder);
/// Names of the artefact's own files, of any version.
std::vector<std::string> own_files(const std::filesystem::path& folder);

/// Keeps artefacts in place while it lives; for `change`, without other readers meanwhile. Without
/// effect on a file system without locks.
class CacheLock {
 public:
  /// `directory`: the cache's.
  CacheLock(const std::filesystem::path& directory, bool change);

 private:
  Descriptor folder_;
};

}  // namespace rooftune::build
