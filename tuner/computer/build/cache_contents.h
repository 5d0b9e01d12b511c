// The contents of the cache of artefacts, and its sweep beyond limits of size and age.
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
/// "4 GB" as bytes. Throws Error with the name of `where`.
double cache_bytes(const std::string& text, const std::string& where);
/// $ROOFTUNE_CACHE_LIMIT ("4 GB"), else the default size. Throws Error.
CacheLimits cache_limits();

struct CacheContents {
  std::size_t artefacts = 0;
  std::uintmax_t bytes = 0;
  std::optional<double> oldest_days;  ///< since the use longest ago
};
/// Of the cache in `directory`, without foreign files. Throws Error as require_private().
CacheContents cache_contents(const std::filesystem::path& directory);

struct Swept {
  std::size_t artefacts = 0;
  std::uintmax_t bytes = 0;
  std::size_t in_use = 0;  ///< over the limits, but perhaps used by living processes
};
/// Removes artefacts of this user, the longest unused first, until the rest is within the limits.
/// Artefacts used within `spare`, or since the start of a living CacheUse, stay, and so does a
/// folder with a foreign file.
Swept sweep_cache(const std::filesystem::path& directory, const CacheLimits& limits,
                  std::chrono::seconds spare);

/// While it lives, sweeps spare the artefacts looked up. The first one of a day sweeps.
class CacheUse {
 public:
  /// `directory` exists. Without effect in a read-only one.
  explicit CacheUse(const std::filesystem::path& directory);
  ~CacheUse();

 private:
  std::unique_ptr<TemporaryDirectory> sign_;
};

}  // namespace rooftune::build
