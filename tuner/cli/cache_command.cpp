// tune cache: contents of the cache of built variants, and their removal.
#include <fmt/format.h>

#include <limits>

#include "build/artefact_folder.h"
#include "cli/options.h"
#include "core/units.h"
#include "os/paths.h"

namespace rooftune::cli {
namespace {

std::string size_text(double bytes) { return to_text(Bytes(bytes)); }

std::string contents_text(const CacheContents& contents) {
  return fmt::format("{} artefacts, {}", contents.artefacts,
                     size_text(static_cast<double>(contents.bytes)));
}

int print_status(const std::filesystem::path& directory) {
  const CacheContents contents = cache_contents(directory);
  const CacheLimits limits = cache_limits();
  fmt::print("folder    {}\nholds     {}\n", directory.string(), contents_text(contents));
  if (contents.oldest_days) fmt::print("oldest    used {:.1f} days ago\n", *contents.oldest_days);
  fmt::print("limit     {} (ROOFTUNE_CACHE_LIMIT), {:g} days without use\n",
             size_text(limits.bytes), limits.days);
  return 0;
}

/// The given limits; without options, those in force anyway.
CacheLimits wanted(const CacheOptions& options) {
  constexpr double any = std::numeric_limits<double>::infinity();
  if (options.all) return {0, 0};
  if (options.limit.empty() && !options.older_than) return cache_limits();
  return {options.limit.empty() ? any : cache_bytes(options.limit, "--limit"),
          options.older_than.value_or(any)};
}

}  // namespace

int cache_command(const CacheOptions& options) {
  const std::filesystem::path directory = cache_directory() / "artefacts";
  if (!options.clean) return print_status(directory);
  const Swept swept = sweep_cache(directory, wanted(options), std::chrono::seconds(0));
  fmt::print("removed {} artefacts, {}; there are {} left\n", swept.artefacts,
             size_text(static_cast<double>(swept.bytes)), contents_text(cache_contents(directory)));
  if (swept.in_use > 0) fmt::print("{} stay: a tune that is running may use them\n", swept.in_use);
  return 0;
}

}  // namespace rooftune::cli
