// Rooftune's own files, found from the environment, the executable or the source tree.
//
// Group-writable folders above a private one pass: that is how clusters give room to projects, and
// if another member puts a folder in place of ours, it is not ours.
#include "os/paths.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/split.h"

namespace rooftune::os {
namespace {

fs::path from_environment(const char* variable) { return environment_text(variable); }

bool is_home(const fs::path& place) {
  return is_folder(place / "kernels") && is_folder(place / "search_spaces");
}

/// $HOME, else the folder in the password database; nullopt where neither has one.
std::optional<fs::path> user_directory() {
  if (const auto user = from_environment("HOME"); user.is_absolute()) return user;
  std::vector<char> buffer(1 << 16);
  passwd entry{}, *found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
    return std::nullopt;
  const fs::path user = found->pw_dir;
  if (!user.is_absolute() || !is_folder(user)) return std::nullopt;
  return user;
}

/// nullopt for a user without a folder: trusted files must not go to a world-writable place.
std::optional<fs::path> below_user(const char* variable, const char* fallback) {
  // By the XDG specification relative paths are ignored.
  if (const auto chosen = from_environment(variable); chosen.is_absolute()) return chosen;
  const auto user = user_directory();
  return user ? std::optional(*user / fallback) : std::nullopt;
}

bool can_be_written(const fs::path& directory) {
  std::error_code fault;
  fs::create_directories(directory, fault);
  return !fault && access(directory.c_str(), W_OK | X_OK) == 0;
}

constexpr mode_t by_others = S_IWGRP | S_IWOTH;
constexpr const char* others_write = "others may write to it";

std::string own_folder(const std::string& variable) {
  return "set " + variable + " to a folder of your own";
}

[[noreturn]] void refuse(const std::string& why, const fs::path& folder, const std::string& cure,
                         const std::string& variable) {
  throw Error(fmt::format("{}: code from there would run as you", why), folder,
              cure.empty() ? own_folder(variable) : cure + ", or " + own_folder(variable));
}

/// A group that by its name is the user's alone, as many systems give one to each user.
bool is_own_group(gid_t number) {
  const struct group* const group = getgrgid(number);
  const struct passwd* const user = getpwuid(geteuid());
  return group && user && std::strcmp(group->gr_name, user->pw_name) == 0 && number == user->pw_gid;
}

std::string owned_by(uid_t user) {
  return fmt::format("belongs to another user (number {})", user);
}

bool is_foreign(const struct stat& status) {
  return status.st_uid != geteuid() && status.st_uid != 0;
}

/// All may rename anything in the folder: it lacks the sticky bit that /tmp has.
bool all_may_rename(const struct stat& status) {
  return S_ISDIR(status.st_mode) && (status.st_mode & S_IWOTH) != 0 &&
         (status.st_mode & S_ISVTX) == 0;
}

/// In a user's own namespace (a container without root), all users unknown there share a number;
/// root, to whom /home belongs, is among them.
bool is_anybody(uid_t user) {
  static const std::optional<uid_t> unknown = [] {
    uid_t number = 0, first = 0, outside = 0, count = 0;
    std::istringstream(text_if_readable("/proc/sys/kernel/overflowuid")) >> number;
    std::istringstream known(text_if_readable("/proc/self/uid_map"));
    while (known >> first >> outside >> count)
      if (number >= first && number - first < count) return std::optional<uid_t>();
    return std::optional(number);
  }();
  return user == unknown;
}

struct Above {
  fs::path place;
  uid_t owner;
  bool link, foreign, open;
};

/// Folders and links whose owners decide where a place is: those above it and, since a link may
/// lead over others, those above each link.
std::vector<Above> all_above(const fs::path& place) {
  constexpr int most_links = 40;
  const auto push = [](Paths& parts, const fs::path& path) {
    for (auto part = path.end(); part != path.begin();) parts.push_back(*--part);
  };
  std::vector<Above> all;
  fs::path at;
  const auto add = [&](const struct stat& status) {
    const bool foreign = is_foreign(status) && !is_anybody(status.st_uid);
    all.push_back({at, status.st_uid, S_ISLNK(status.st_mode), foreign, all_may_rename(status)});
  };
  Paths left;
  push(left, fs::absolute(place));
  for (int links = 0; !left.empty();) {
    const fs::path part = left.back();
    left.pop_back();
    struct stat status {};
    if (part.empty() || part == ".") continue;
    if (part != ".." && !at.empty() && lstat(at.c_str(), &status) == 0) add(status);
    const fs::path before = at;
    at = part == ".." ? at.parent_path() : at / part;
    std::error_code fault;
    if (lstat(at.c_str(), &status) != 0 || !S_ISLNK(status.st_mode) || ++links > most_links)
      continue;
    add(status);
    push(left, fs::read_symlink(at, fault));
    at = before;
  }
  return all;
}

void require_own(const fs::path& folder, const std::string& variable) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) return;
  if (is_foreign(status)) refuse(owned_by(status.st_uid), folder, {}, variable);
  // Earlier versions made it under the umask; a group's own folder is shared on purpose.
  const bool shared = (status.st_mode & S_ISGID) != 0 || status.st_gid != getegid();
  if ((status.st_mode & by_others) != 0 &&
      (shared || chmod(folder.c_str(), status.st_mode & 07777 & ~by_others) != 0 ||
       stat(folder.c_str(), &status) != 0 || (status.st_mode & by_others) != 0))
    refuse(others_write, folder, "chmod go-w " + folder.string(), variable);
}

/// The line, with all known placeholders filled.
std::string replaced(std::string line, const Fillings& fillings) {
  for (size_t at = line.find('@'); at != line.npos; at = line.find('@', at)) {
    const size_t end = line.find('@', at + 1);
    const auto* text =
        end == line.npos ? nullptr : value_at(fillings, line.substr(at + 1, end - at - 1));
    if (text) line.replace(at, end + 1 - at, *text);
    at += text ? text->size() : 1;
  }
  return line;
}

/// See filled_template().
std::string filled(const std::string& text, const Fillings& fillings) {
  std::string all;
  const Texts lines = split(text);
  for (size_t i = 0; i < lines.size();) {
    const std::string& line = lines[i];
    const size_t end = line.starts_with('@') ? line.find_first_of("?*@ ", 1) : line.npos;
    const char mark = end < line.size() ? line[end] : ' ';
    if (mark != '?' && mark != '*') {
      all += replaced(line, fillings) + '\n';
      ++i;
      continue;
    }
    const std::string start = line.substr(0, end + 1);
    std::string block;
    for (; i < lines.size() && lines[i].starts_with(start); ++i)
      block += lines[i].substr(start.size()) + '\n';
    const bool wanted = start[1] != '!';
    const std::string word = start.substr(wanted ? 1 : 2, start.size() - (wanted ? 2 : 3));
    const auto* const filling = value_at(fillings, word);
    const auto* const rows = value_at(fillings.lists, word);
    if (mark == '?') {
      const bool there = rows ? !rows->empty() : filling && !filling->empty();
      if (there == wanted) all += filled(block, fillings);
    } else if (rows) {
      for (Fillings row : *rows) {
        row.merge(Fillings(fillings));
        all += filled(block, row);
      }
    }
  }
  return all;
}

}  // namespace

std::string environment_text(const char* variable) {
  const char* const text = std::getenv(variable);
  return text ? text : "";
}

fs::path home() {
  if (const auto chosen = from_environment("ROOFTUNE_HOME"); !chosen.empty()) {
    if (is_home(chosen)) return fs::absolute(chosen);
    throw Error("ROOFTUNE_HOME has no folders kernels and search_spaces", chosen);
  }
  const auto installed = self().parent_path().parent_path() / "share" / "rooftune";
  if (is_home(installed)) return installed;
  const fs::path sources = ROOFTUNE_SOURCE_DIR;
  if (is_home(sources)) return sources;
  throw Unavailable("the folders kernels, search_spaces and machines were not found",
                    installed.string() + " and " + sources.string(),
                    "set ROOFTUNE_HOME to the directory that holds them");
}

fs::path variant_include_directory() { return home() / "kernels" / "include"; }

Paths machine_directories() {
  Paths places;
  if (const auto chosen = from_environment("ROOFTUNE_MACHINES"); !chosen.empty())
    places.push_back(chosen);
  places.push_back(home() / "machines");
  if (const auto data = below_user("XDG_DATA_HOME", ".local/share"))
    places.push_back(*data / "rooftune" / "machines");
  return places;
}

fs::path writable_machine_directory() {
  const auto places = machine_directories();
  for (const auto& place : places)
    if (can_be_written(place)) return place;
  throw Error("no directory for machine files can be written", places.back(),
              "set ROOFTUNE_MACHINES to one that can, or HOME", ExitCode::io);
}

fs::path best_known_directory() {
  if (const auto chosen = from_environment("ROOFTUNE_BEST_KNOWN"); !chosen.empty()) return chosen;
  return home() / "search_spaces" / "best_known";
}

void add_json_row(std::vector<Fillings>& rows, Fillings row) {
  if (!rows.empty()) rows.back()["COMMA"] = ",";
  row["COMMA"] = "";
  rows.push_back(std::move(row));
}

std::string filled_template(const std::string& name, const Fillings& fillings) {
  return filled(read_text(variant_include_directory() / "rooftune" / (name + ".in")), fillings);
}

fs::path cache_directory() {
  if (const auto chosen = from_environment("ROOFTUNE_CACHE"); !chosen.empty())
    return fs::absolute(chosen);
  if (const auto cache = below_user("XDG_CACHE_HOME", ".cache")) return *cache / "rooftune";
  throw Error("there is no home directory to keep the cache in", "HOME",
              "set HOME, or ROOFTUNE_CACHE to a folder of your own");
}

fs::path self() { return fs::read_symlink("/proc/self/exe"); }

fs::path worker_program() {
  if (const auto chosen = from_environment("ROOFTUNE_WORKER"); !chosen.empty()) return chosen;
  // A new build during a study removes the file, but the process still has it.
  std::error_code gone;
  if (fs::exists(self(), gone)) return self();
  return "/proc/" + std::to_string(getpid()) + "/exe";
}

std::string others_may_change(const fs::path& place) {
  struct stat status {};
  if (stat(place.c_str(), &status) != 0) return {};
  if (is_foreign(status)) return owned_by(status.st_uid);
  const bool by_group = (status.st_mode & S_IWGRP) != 0 && !is_own_group(status.st_gid);
  if (by_group || (status.st_mode & S_IWOTH) != 0) return others_write;
  for (const Above& above : all_above(place)) {
    const std::string name = above.place.string() + " above it ";
    if (above.foreign) return name + owned_by(above.owner);
    if (above.open) return name + "is open to all";
  }
  return {};
}

void make_private(const fs::path& folder, const std::string& variable) {
  fs::path so_far;
  for (const auto& part : fs::absolute(folder)) {
    so_far /= part;
    if (mkdir(so_far.c_str(), 0700) != 0 && errno != EEXIST)
      throw Error(fmt::format("cannot be made: {}", std::strerror(errno)), so_far,
                  fmt::format("set {} to a folder that can be written, or HOME", variable),
                  ExitCode::io);
  }
  if (!is_folder(folder))
    throw Error("is no folder", folder,
                fmt::format("set {} to a folder that can be written", variable));
  require_private(folder, variable);
}

void require_private(const fs::path& folder, const std::string& variable) {
  std::error_code fault;
  const fs::path place = fs::canonical(folder, fault);
  if (fault) return;
  require_own(place, variable);
  for (const Above& above : all_above(folder)) {
    // The owner of a project's disk is trusted, as root is: he could take away all that lies there.
    if (above.foreign && above.link)
      refuse(above.place.string() + " above it " + owned_by(above.owner), folder, {}, variable);
    if (above.open)
      refuse("others may put another folder in its place", folder,
             "chmod o-w " + above.place.string(), variable);
  }
}

void require_executable(const fs::path& folder, const std::string& variable) {
  struct statvfs system {};
  if (statvfs(folder.c_str(), &system) == 0 && (system.f_flag & ST_NOEXEC) != 0)
    throw Error("its file system is mounted noexec: nothing built there can be loaded", folder,
                fmt::format("set {} to a folder elsewhere", variable), ExitCode::io);
}

}  // namespace rooftune::os
