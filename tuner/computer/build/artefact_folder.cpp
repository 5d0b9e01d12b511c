// Every process using the cache has a folder in `users` while it lives: an artefact used since the
// eldest began may be loaded again at any time.
#include "build/artefact_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <tuple>

#include "build/compilation.h"
#include "core/fields.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/units.h"
#include "os/paths.h"

namespace rooftune::build {
namespace {

constexpr const char* manifest_file = "manifest";

struct SealedFile {
  std::string hash;
  uint64_t bytes = 0;
  ROOFTUNE_FIELDS(hash, bytes)
};

using Manifest = ByName<SealedFile>;

std::optional<Manifest> read_manifest(const fs::path& folder) {
  try {
    const auto file = folder / manifest_file;
    return decoded<Manifest>(read_json(file), file.string());
  } catch (const Error&) {
    return std::nullopt;  // missing, torn or from another version
  }
}

/// Names of the artefact's own files, from any version.
Texts own_files(const fs::path& folder) {
  Texts names{manifest_file, "shim.cpp", "shim.c",    "key.txt",        "log",
              library_file,  image_file, kernels_log, ".rooftune-owner"};
  if (const auto manifest = read_manifest(folder))
    for (const auto& [name, file] : *manifest) names.push_back(name);
  return names;
}

bool as_sealed(const fs::path& path, const SealedFile& file, bool contents) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      std::uintmax_t(status.st_size) != file.bytes)
    return false;
  try {
    return !contents || hash_hex(read_text(path)) == file.hash;
  } catch (const Error&) {
    // The disk cannot read it any more.
    return false;
  }
}

/// A folder, no link, writable only by this user or root.
bool is_own(const fs::path& folder) {
  struct stat status {};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         (status.st_uid == geteuid() || status.st_uid == 0) &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

using Time = fs::file_time_type;

constexpr const char* limit_variable = "ROOFTUNE_CACHE_LIMIT";
constexpr const char* users = "users";
constexpr const char* baselines = "baselines";
/// A file server's clock differs from its clients'.
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
  return name.size() == 32 && is_only_of(name, "0123456789abcdef");
}

/// When the artefact was used last; earlier versions only knew when it was made.
Time last_use(const fs::path& folder) {
  std::error_code fault;
  const Time used = fs::last_write_time(folder / manifest_file, fault);
  return fault ? fs::last_write_time(folder, fault) : used;
}

/// nullopt unless it is this user's artefact without a foreign file.
std::optional<StoredArtefact> stored(const fs::path& folder) {
  struct stat status {};
  if (!is_key(folder.filename()) || lstat(folder.c_str(), &status) != 0 ||
      !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
    return std::nullopt;
  StoredArtefact artefact{folder, 0, last_use(folder)};
  const Texts own = own_files(folder);
  for (const fs::path& entry : entries_of(folder)) {
    const bool is_own = contains(own, file_name(entry));
    if (!is_own || lstat(entry.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
      return std::nullopt;
    artefact.bytes += std::uintmax_t(status.st_size);
  }
  return artefact;
}

/// The longest unused first.
std::vector<StoredArtefact> all_stored(const fs::path& directory) {
  require_private(directory, cache_variable);
  std::vector<StoredArtefact> all;
  for (const fs::path& entry : entries_of(directory))
    if (auto artefact = stored(entry)) all.push_back(std::move(*artefact));
  sort(all, [](const StoredArtefact& a, const StoredArtefact& b) {
    return std::tie(a.used, a.folder) < std::tie(b.used, b.folder);
  });
  return all;
}

/// Artefacts used later than this may still be in use.
Time free_until(const fs::path& directory, std::chrono::seconds spare) {
  remove_abandoned(directory / users);
  Time earliest = Time::clock::now() - spare;
  std::error_code gone;
  for (const fs::path& user : entries_of(directory / users))
    if (const Time began = fs::last_write_time(user, gone); !gone)
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

void seal(const fs::path& folder) {
  Manifest manifest;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with('.') || !entry.is_regular_file()) continue;
    const std::string text = read_text(entry.path());
    manifest[name] = {hash_hex(text), text.size()};
  }
  write_plainly(folder / manifest_file, json_text(encode(manifest)));
}

bool is_whole(const fs::path& folder, const Texts& needed, bool contents) {
  if (!is_own(folder)) return false;
  const auto manifest = read_manifest(folder);
  if (!manifest) return false;
  for (const std::string& name : needed)
    if (const auto* file = value_at(*manifest, name); !file || file->bytes == 0) return false;
  for (const auto& [name, file] : *manifest)
    if (!as_sealed(folder / name, file, contents)) return false;
  return true;
}

void put_in_place(TemporaryDirectory& sealed, const fs::path& place, const Texts& needed) {
  const CacheLock lock(place.parent_path(), true);
  if (sealed.keep_as(place) || is_whole(place, needed, true)) return;
  const TemporaryDirectory aside(sealed.path().parent_path(), "rooftune-torn");
  std::error_code fault;
  fs::rename(place, aside.path() / "torn", fault);
  if (!sealed.keep_as(place))
    throw Error("cannot be kept" + (fault ? ": " + fault.message() : ""), place,
                "make room or set ROOFTUNE_CACHE to another disk", ExitCode::io);
}

void keep_baseline(const fs::path& directory, const std::string& key) {
  make_private(directory / baselines, cache_variable);
  make_private(directory / "building", cache_variable);
  if (kept_baseline(directory, key)) return;
  TemporaryDirectory copy(directory / "building", "rooftune-kept");
  for (const std::string& name : own_files(directory / key))
    if (fs::is_regular_file(directory / key / name))
      write_plainly(copy.path() / name, read_text(directory / key / name));
  if (!is_whole(copy.path(), {library_file}, true))
    throw Error("is damaged", (directory / key), "tune again");
  put_in_place(copy, directory / baselines / key, {library_file});
}

std::optional<fs::path> kept_baseline(const fs::path& directory, const std::string& key) {
  require_private(directory, cache_variable);
  const fs::path folder = directory / baselines / key;
  if (!is_key(key) || !is_whole(folder, {library_file}, true)) return std::nullopt;
  return folder;
}

bool mark_used(const fs::path& folder) {
  return utimensat(AT_FDCWD, (folder / manifest_file).c_str(), nullptr, 0) == 0 || errno != ENOENT;
}

CacheLock::CacheLock(const fs::path& directory, bool change)
    : folder_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.get() < 0) return;
  while (flock(folder_.get(), change ? LOCK_EX : LOCK_SH) != 0 && errno == EINTR) {
  }
}

CacheLimits cache_limits() {
  CacheLimits limits;
  if (const std::string size = environment_text(limit_variable); !size.empty())
    limits.bytes = located(limit_variable, [&] { return parse_bytes(size).value(); });
  return limits;
}

size_t sweep_cache(const fs::path& directory, const CacheLimits& limits,
                   std::chrono::seconds spare) {
  size_t swept = 0;
  const std::vector<StoredArtefact> all = all_stored(directory);
  double left = 0;
  for (const StoredArtefact& artefact : all) left += double(artefact.bytes);
  if (all.empty()) return swept;
  const Time until = free_until(directory, spare);
  make_private(directory / "building", cache_variable);
  const TemporaryDirectory aside(directory / "building", "rooftune-swept");
  for (const StoredArtefact& artefact : all) {
    if (left <= limits.bytes && days_since(artefact.used) <= limits.days) break;
    if (artefact.used >= until || !move_aside(artefact, aside.path())) continue;
    left -= double(artefact.bytes);
    ++swept;
  }
  return swept;
}

CacheUse::CacheUse(const fs::path& directory) {
  constexpr double a_day = 1;
  constexpr std::chrono::hours spare{1};
  try {
    make_private(directory / users, cache_variable);
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

}  // namespace rooftune::build
