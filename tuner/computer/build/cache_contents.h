// What the cache of artefacts holds, and what goes when it is too much or too old.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/modules.h"

namespace rooftune::os {
class TemporaryDirectory;
}  // namespace rooftune::os
namespace rooftune::build {

struct CacheLimits {
  double bytes = 4.0 * (1 << 30);
  double days = 90;  ///< since the last use
};
/// "4 GB" as bytes. Throws Error, which names `where`.
double cache_bytes(const std::string& text, const std::string& where);
/// $ROOFTUNE_CACHE_LIMIT ("4 GB") and $ROOFTUNE_CACHE_DAYS, else the defaults. Throws Error.
CacheLimits cache_limits();

struct CacheContents {
  std::size_t artefacts = 0;
  std::uintmax_t bytes = 0;
  std::optional<double> oldest_days;  ///< since the use that is longest ago
};
/// Of the cache in `directory`; none of what others put there. Throws Error as require_private().
CacheContents cache_contents(const std::filesystem::path& directory);

struct Swept {
  std::size_t artefacts = 0;
  std::uintmax_t bytes = 0;
  std::size_t in_use = 0;  ///< had to go, but a process that lives may use them
};
/// Removes artefacts of this user, those that were not used for longest first, until the rest is
/// within the limits. What was used within `spare`, or since a CacheUse that lives began, stays,
/// and so does a folder with a file that is not the cache's.
Swept sweep_cache(const std::filesystem::path& directory, const CacheLimits& limits,
                  std::chrono::seconds spare);

/// While it lives no sweep takes what is looked up. The first one of a day sweeps.
class CacheUse {
 public:
  /// `directory` exists. Without effect in one that cannot be written.
  explicit CacheUse(const std::filesystem::path& directory);
  ~CacheUse();

 private:
  std::unique_ptr<TemporaryDirectory> sign_;
};

}  // namespace rooftune::build
