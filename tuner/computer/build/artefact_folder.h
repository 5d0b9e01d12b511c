// The folders of the cache, one for each artefact, and its sweep beyond limits of size and age. A
// folder is valid only with its files as sealed: a power cut, a full disk or a bad one costs a
// build, not a study. So nothing waits for the disk.
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

/// The user's choice of another cache.
inline constexpr const char* cache_variable = "ROOFTUNE_CACHE";

/// Writes `manifest`, the size and hash of every file in the folder. Throws Error.
void seal(const fs::path& folder);
/// The `needed` files exist, the folder is private and every file has its sealed size; with
/// `contents`, its hash too. False for folders of versions without a manifest.
bool is_whole(const fs::path& folder, const Texts& needed, bool contents);
/// Gives a sealed folder its name for good. The first one wins; a torn folder in the way is
/// removed. Throws Error.
void put_in_place(TemporaryDirectory& sealed, const fs::path& place, const Texts& needed);
/// Copies the sealed artefact of a key to the cache's `baselines`: no sweep removes it from there.
/// Throws Error.
void keep_baseline(const fs::path& directory, const std::string& key);
/// The folder of a kept artefact, for any text as its key; nullopt without a whole one. Throws
/// Error as require_private().
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

/// Removes artefacts of this user, the longest unused first, until the rest is within the limits.
/// Artefacts used within `spare`, or since the start of a living CacheUse, stay, and so does a
/// folder with a foreign file. Returns the number removed.
size_t sweep_cache(const fs::path& directory, const CacheLimits& limits,
                   std::chrono::seconds spare);

/// While it lives, sweeps spare the artefacts looked up. The first one of a day sweeps.
class CacheUse {
 public:
  /// `directory` exists. Without effect in a read-only one.
  explicit CacheUse(const fs::path& directory);

 private:
  std::unique_ptr<TemporaryDirectory> sign_;
};

}  // namespace rooftune::build
