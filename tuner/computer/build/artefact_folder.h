// The cache's folders, one for each artefact, and the sweep that keeps them within limits on size
// and age. A folder is valid only with its files as sealed: a power cut, a full disk or a bad one
// costs a build, not a study. So nothing waits for the disk.
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/modules.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"

namespace rooftune::build {

/// With it the user chooses another cache.
inline constexpr const char* cache_variable = "ROOFTUNE_CACHE";

/// Writes `manifest`: size and hash of every file. Throws Error.
void seal(const fs::path& folder);
/// The `needed` files exist, the folder is private and every file has its sealed size; with
/// `contents`, its hash too. False for folders that older versions left without a manifest.
bool is_whole(const fs::path& folder, const Texts& needed, bool contents);
/// Gives a sealed folder its name for good. The first one wins; a torn folder in the way is
/// removed. Throws Error.
void put_in_place(TemporaryDirectory& sealed, const fs::path& place, const Texts& needed);
/// Copies the sealed artefact of a key to the cache's `baselines`: no sweep removes it from there.
/// Throws Error.
void keep_baseline(const fs::path& directory, const std::string& key);
/// Where a kept artefact lies, for any text as its key; nullopt without a whole one. Throws Error
/// as require_private().
std::optional<fs::path> kept_baseline(const fs::path& directory, const std::string& key);
/// Makes it the last one to be swept; false when it is gone.
bool mark_used(const fs::path& folder);

/// Keeps artefacts in place while it lives; for `change`, without other readers meanwhile. Without
/// effect on a file system without locks.
class CacheLock {
 public:
  /// `directory`: the cache's.
  CacheLock(const fs::path& directory, bool change);

 private:
  Descriptor folder_;
};

struct CacheLimits {
  double bytes = 4.0 * (1 << 30);
  double days = 90;  ///< since the last use
};
/// $ROOFTUNE_CACHE_LIMIT ("4 GB"), else the default size. Throws Error.
CacheLimits cache_limits();

/// Removes this user's artefacts, the longest unused first, until the rest is within the limits.
/// Artefacts used within `spare`, or since a living CacheUse began, stay, and so does a folder with
/// a foreign file. Returns how many it removed.
size_t sweep_cache(const fs::path& directory, const CacheLimits& limits,
                   std::chrono::seconds spare);

/// While it lives, sweeps spare the artefacts looked up. The first use in a day sweeps.
class CacheUse {
 public:
  /// `directory` exists. Without effect in a read-only one.
  explicit CacheUse(const fs::path& directory);

 private:
  std::unique_ptr<TemporaryDirectory> sign_;
};

}  // namespace rooftune::build
