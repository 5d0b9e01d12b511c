// Group-writable folders above pass: clusters give room to projects so, and a folder put in the
// place of ours by another member is not ours.
#include "os/private_folder.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace rooftune::os {
namespace {

constexpr mode_t by_others = S_IWGRP | S_IWOTH;
constexpr const char* others_write = "others may write to it";

std::string own_folder(const std::string& variable) {
  return "set " + variable + " to a folder of your own";
}

[[noreturn]] void refuse(const std::string& why, const std::filesystem::path& folder,
                         const std::string& cure, const std::string& variable) {
  throw Error(fmt::format("{}: code from there would run as you", why), folder.string(),
              cure.empty() ? own_folder(variable) : cure + ", or " + own_folder(variable));
}

/// The user's alone by its name, as many systems give one to each user.
bool is_own_group(gid_t number) {
  const struct group* const group = getgrgid(number);
  const struct passwd* const user = getpwuid(geteuid());
  return group && user && std::strcmp(group->gr_name, user->pw_name) == 0 && number == user->pw_gid;
}

std::string owned_by(const struct stat& status) {
  return fmt::format("belongs to another user (number {})", status.st_uid);
}

bool is_foreign(const struct stat& status) {
  return status.st_uid != geteuid() && status.st_uid != 0;
}

void require_own(const std::filesystem::path& folder, const std::string& variable) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) return;
  if (is_foreign(status)) refuse(owned_by(status), folder, {}, variable);
  // Earlier versions made it under the umask; a group's own folder is shared on purpose.
  const bool shared = (status.st_mode & S_ISGID) != 0 || status.st_gid != getegid();
  if ((status.st_mode & by_others) != 0 &&
      (shared || chmod(folder.c_str(), status.st_mode & 07777 & ~by_others) != 0 ||
       stat(folder.c_str(), &status) != 0 || (status.st_mode & by_others) != 0))
    refuse(others_write, folder, "chmod go-w " + folder.string(), variable);
}

}  // namespace

std::string others_may_change(const std::filesystem::path& place) {
  struct stat status {};
  if (stat(place.c_str(), &status) != 0) return {};
  if (is_foreign(status)) return owned_by(status);
  const bool by_group = (status.st_mode & S_IWGRP) != 0 && !is_own_group(status.st_gid);
  return by_group || (status.st_mode & S_IWOTH) != 0 ? others_write : "";
}

void make_private(const std::filesystem::path& folder, const std::string& variable) {
  std::filesystem::path so_far;
  for (const auto& part : std::filesystem::absolute(folder)) {
    so_far /= part;
    if (mkdir(so_far.c_str(), 0700) != 0 && errno != EEXIST)
      throw Error(fmt::format("cannot be made: {}", std::strerror(errno)), so_far.string(),
                  fmt::format("set {} to a folder that can be written, or HOME", variable),
                  ExitCode::io);
  }
  if (std::error_code fault; !std::filesystem::is_directory(folder, fault))
    throw Error("is no folder", folder.string(),
                fmt::format("set {} to a folder that can be written", variable));
  require_private(folder, variable);
}

void require_private(const std::filesystem::path& folder, const std::string& variable) {
  std::error_code fault;
  const std::filesystem::path place = std::filesystem::canonical(folder, fault);
  if (fault) return;
  require_own(place, variable);
  for (auto above = place; above != above.parent_path();) {
    above = above.parent_path();
    struct stat status {};
    if (stat(above.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0 &&
        (status.st_mode & S_ISVTX) == 0)
      refuse("others may put another folder in its place", folder, "chmod o-w " + above.string(),
             variable);
  }
}

void require_executable(const std::filesystem::path& folder, const std::string& variable) {
  struct statvfs system {};
  if (statvfs(folder.c_str(), &system) == 0 && (system.f_flag & ST_NOEXEC) != 0)
    throw Error("its file system is mounted noexec: nothing built there can be loaded",
                folder.string(), fmt::format("set {} to a folder elsewhere", variable),
                ExitCode::io);
}

}  // namespace rooftune::os
