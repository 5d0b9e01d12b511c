// The folder of one artefact. It is taken for one only when its files are those that were sealed:
// a power cut, a full disk or a bad one costs a build, not a study. So nothing waits for the disk.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "os/spawn.h"
#include "os/temporary_directory.h"

namespace rooftune::build {

/// Writes `manifest`, the size and hash of every file in the folder. Throws Error.
void seal(const std::filesystem::path& folder);
/// The `needed` files are there, the folder can be trusted and every file has the size at which it
/// was sealed; with `contents`, the hash too. False for folders of versions without a manifest.
bool is_whole(const std::filesystem::path& folder, const std::vector<std::string>& needed,
              bool contents);
/// Gives a sealed folder its name for good. Whoever does so first wins; what is torn in the way
/// goes. Throws Error.
void put_in_place(TemporaryDirectory& sealed, const std::filesystem::path& place,
                  const std::vector<std::string>& needed);
/// Makes it the last one to be swept; false when it is gone.
bool mark_used(const std::filesystem::path& folder);
/// Names of the files that belong to the artefact, whatever version wrote them.
std::vector<std::string> own_files(const std::filesystem::path& folder);

/// Artefacts stay where they are while it lives; for `change`, nobody else looks at them either.
/// Without effect where the file system knows no locks.
class CacheLock {
 public:
  /// `directory`: the cache's.
  CacheLock(const std::filesystem::path& directory, bool change);

 private:
  Descriptor folder_;
};

}  // namespace rooftune::build
