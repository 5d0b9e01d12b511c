// Every process using the cache has a folder in `users` while it lives: artefacts used since the
// start of the eldest may be loaded again at any time.
#include "build/cache_contents.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <vector>

#include "build/artefact_folder.h"
#include "core/error.h"
#include "core/file.h"
#include "core/units.h"
#include "os/private_folder.h"
#include "os/temporary_directory.h"

namespace rooftune::build {
namespace {

namespace fs = std::filesystem;
using Time = fs::file_time_type;

constexpr const char* limit_variable = "ROOFTUNE_CACHE_LIMIT";
constexpr const char* users = "users";
/// Clocks of a file server and of its clients differ.
constexpr std::chrono::minutes clock_difference{1};

struct StoredArtefact {
  fs::path folder;
  std::uintmax_t bytes = 0;
  Time used;
};

double days_since(Time time) {
  return std::chrono::duration<double, std::ratio<86400>>(Time::clock::now() - time).count();
}

bool is_key(const std::string& name) {
  return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// When the artefact was used last; versions before only knew when it was made.
Time last_use(const fs::path& folder) {
  std::error_code fault;
  const Time used = fs::last_write_time(folder / "manifest", fault);
  return fault ? fs::last_write_time(folder, fault) : used;
}

/// nullopt for anything but an artefact of this user, and for one with a foreign file.
std::optional<StoredArtefact> stored(const fs::path& folder) {
  struct stat status {};
  if (!is_key(folder.filename()) || lstat(folder.c_str(), &status) != 0 ||
      !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
    return std::nullopt;
  StoredArtefact artefact{folder, 0, last_use(folder)};
  const std::vector<std::string> own = own_files(folder);
  std::error_code fault;
  for (fs::directory_iterator it(folder, fault), end; !fault && it != end; it.increment(fault)) {
    const bool is_own = std::find(own.begin(), own.end(), it->path().filename()) != own.end();
    if (!is_own || lstat(it->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      return std::nullopt;
    artefact.bytes += static_cast<std::uintmax_t>(status.st_size);
  }
  return fault ? std::nullopt : std::optional(artefact);
}

/// The longest unused first.
std::vector<StoredArtefact> all_stored(const fs::path& directory) {
  require_private(directory, "ROOFTUNE_CACHE");
  std::vector<StoredArtefact> all;
  std::error_code fault;
  for (fs::directory_iterator it(directory, fault), end; !fault && it != end; it.increment(fault))
    if (auto artefact = stored(it->path())) all.push_back(std::move(*artefact));
  std::sort(all.begin(), all.end(), [](const StoredArtefact& a, const StoredArtefact& b) {
    return std::tie(a.used, a.folder) < std::tie(b.used, b.folder);
  });
  return all;
}

/// Later uses may still go on.
Time free_until(const fs::path& directory, std::chrono::seconds spare) {
  remove_abandoned(directory / users);
  Time earliest = Time::clock::now() - spare;
  std::error_code fault, gone;
  for (fs::directory_iterator it(directory / users, fault), end; !fault && it != end;
       it.increment(fault))
    if (const Time began = it->last_write_time(gone); !gone)
      earliest = std::min(earliest, began - clock_difference);
  return earliest;
}

/// False when a new use has begun, or it cannot be moved.
bool move_aside(const StoredArtefact& artefact, const fs::path& aside) {
  const CacheLock lock(artefact.folder.parent_path(), true);
  std::error_code fault;
  if (last_use(artefact.folder) != artefact.used) return false;
  fs::rename(artefact.folder, aside / artefact.folder.filename(), fault);
  return !fault;
}

}  // namespace

double cache_bytes(const std::string& text, const std::string& where) {
  try {
    return parse_bytes(text).value();
  } catch (const Error& error) {
    throw Error(error.message(), where, error.hint());
  }
}

CacheLimits cache_limits() {
  CacheLimits limits;
  if (const char* size = std::getenv(limit_variable); size && *size)
    limits.bytes = cache_bytes(size, limit_variable);
  return limits;
}

CacheContents cache_contents(const fs::path& directory) {
  CacheContents contents;
  for (const StoredArtefact& artefact : all_stored(directory)) {
    if (contents.artefacts++ == 0) contents.oldest_days = std::max(0.0, days_since(artefact.used));
    contents.bytes += artefact.bytes;
  }
  return contents;
}

Swept sweep_cache(const fs::path& directory, const CacheLimits& limits,
                  std::chrono::seconds spare) {
  Swept swept;
  const std::vector<StoredArtefact> all = all_stored(directory);
  double left = 0;
  for (const StoredArtefact& artefact : all) left += static_cast<double>(artefact.bytes);
  if (all.empty()) return swept;
  const Time until = free_until(directory, spare);
  make_private(directory / "building", "ROOFTUNE_CACHE");
  const TemporaryDirectory aside(directory / "building", "rooftune-swept");
  for (const StoredArtefact& artefact : all) {
    if (left <= limits.bytes && days_since(artefact.used) <= limits.days) break;
    if (artefact.used >= until || !move_aside(artefact, aside.path())) {
      ++swept.in_use;
      continue;
    }
    left -= static_cast<double>(artefact.bytes);
    swept.bytes += artefact.bytes;
    ++swept.artefacts;
  }
  return swept;
}

CacheUse::CacheUse(const fs::path& directory) {
  constexpr double a_day = 1;
  constexpr std::chrono::hours spare{1};
  try {
    make_private(directory / users, "ROOFTUNE_CACHE");
    sign_ = std::make_unique<TemporaryDirectory>(directory / users, "rooftune-user");
    std::error_code never;
    const auto last = fs::last_write_time(directory / "swept", never);
    if (!never && days_since(last) < a_day) return;
    write_atomically(directory / "swept", utc_now() + "\n");
  } catch (const Error&) {
    // A cache filled by root, read-only for others.
    return;
  }
  sweep_cache(directory, cache_limits(), spare);
}

CacheUse::~CacheUse() = default;

}  // namespace rooftune::build
