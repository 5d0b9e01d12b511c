#include "build/artefact_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <optional>
#include <sstream>

#include "build/compilation.h"
#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"

namespace rooftune::build {
namespace {

namespace fs = std::filesystem;

constexpr const char* manifest_file = "manifest";
constexpr const char* schema = "rooftune-artefact-1";

struct SealedFile {
  std::string hash;
  std::uintmax_t bytes = 0;
};

using Manifest = std::map<std::string, SealedFile>;

/// One "hash bytes name" per file; the first line has their number, to show a torn end.
std::string to_text(const Manifest& manifest) {
  std::string text = fmt::format("{} {}\n", schema, manifest.size());
  for (const auto& [name, file] : manifest)
    text += fmt::format("{} {} {}\n", file.hash, file.bytes, name);
  return text;
}

std::optional<Manifest> read_manifest(const fs::path& folder) {
  constexpr std::size_t largest = 1 << 20;
  std::string text;
  try {
    text = read_text(folder / manifest_file, largest);
  } catch (const Error&) {
    return std::nullopt;
  }
  std::istringstream stream(text);
  std::string word, name;
  std::size_t count = 0;
  if (!(stream >> word >> count) || word != schema) return std::nullopt;
  Manifest manifest;
  for (SealedFile file; stream >> file.hash >> file.bytes && stream.get() == ' ' &&
                        std::getline(stream, name) && !stream.eof();)
    manifest[name] = file;
  return manifest.size() == count ? std::optional(manifest) : std::nullopt;
}

bool as_sealed(const fs::path& path, const SealedFile& file, bool contents) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uintmax_t>(status.st_size) != file.bytes)
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

}  // namespace

void seal(const fs::path& folder) {
  Manifest manifest;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with('.') || !entry.is_regular_file()) continue;
    const std::string text = read_text(entry.path());
    manifest[name] = {hash_hex(text), text.size()};
  }
  write_plainly(folder / manifest_file, to_text(manifest));
}

bool is_whole(const fs::path& folder, const std::vector<std::string>& needed, bool contents) {
  if (!is_own(folder)) return false;
  const auto manifest = read_manifest(folder);
  if (!manifest) return false;
  for (const std::string& name : needed)
    if (const auto file = manifest->find(name); file == manifest->end() || file->second.bytes == 0)
      return false;
  for (const auto& [name, file] : *manifest)
    if (!as_sealed(folder / name, file, contents)) return false;
  return true;
}

void put_in_place(TemporaryDirectory& sealed, const fs::path& place,
                  const std::vector<std::string>& needed) {
  const CacheLock lock(place.parent_path(), true);
  if (sealed.keep_as(place) || is_whole(place, needed, true)) return;
  const TemporaryDirectory aside(sealed.path().parent_path(), "rooftune-torn");
  std::error_code fault;
  fs::rename(place, aside.path() / "torn", fault);
  if (!sealed.keep_as(place))
    throw Error("cannot be kept" + (fault ? ": " + fault.message() : ""), place.string(),
                "make room or set ROOFTUNE_CACHE to another disk", ExitCode::io);
}

bool mark_used(const fs::path& folder) {
  return utimensat(AT_FDCWD, (folder / manifest_file).c_str(), nullptr, 0) == 0 || errno != ENOENT;
}

std::vector<std::string> own_files(const fs::path& folder) {
  std::vector<std::string> names{manifest_file, "shim.cpp", "key.txt",   "log",
                                 library_file,  image_file, kernels_log, ".rooftune-owner"};
  if (const auto manifest = read_manifest(folder))
    for (const auto& [name, file] : *manifest) names.push_back(name);
  return names;
}

CacheLock::CacheLock(const fs::path& directory, bool change)
    : folder_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.get() < 0) return;
  while (flock(folder_.get(), change ? LOCK_EX : LOCK_SH) != 0 && errno == EINTR) {
  }
}

}  // namespace rooftune::build
