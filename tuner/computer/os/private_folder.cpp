// Group-writable folders above pass: clusters give room to projects so, and a folder put in the
// place of ours by another member is not ours.
#include "os/private_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace rooftune::os {
namespace {

constexpr mode_t by_others = S_IWGRP | S_IWOTH;

std::string own_folder(const std::string& variable) {
  return "set " + variable + " to a folder of your own";
}

[[noreturn]] void refuse(const std::string& why, const std::filesystem::path& folder,
                         const std::string& cure, const std::string& variable) {
  throw Error(fmt::format("{}: code from there would run as you", why), folder.string(),
              cure.empty() ? own_folder(variable) : cure + ", or " + own_folder(variable));
}

void require_own(const std::filesystem::path& folder, const std::string& variable) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0) return;
  if (status.st_uid != geteuid() && status.st_uid != 0)
    refuse(fmt::format("belongs to another user (number {})", status.st_uid), folder, {}, variable);
  // Earlier versions made it under the umask.
  if ((status.st_mode & by_others) != 0 &&
      (chmod(folder.c_str(), status.st_mode & 07777 & ~by_others) != 0 ||
       stat(folder.c_str(), &status) != 0 || (status.st_mode & by_others) != 0))
    refuse("others may write to it", folder, "chmod go-w " + folder.string(), variable);
}

}  // namespace

void make_private(const std::filesystem::path& folder, const std::string& variable) {
  std::filesystem::path so_far;
  for (const auto& part : std::filesystem::absolute(folder)) {
    so_far /= part;
    if (mkdir(so_far.c_str(), 0700) != 0 && errno != EEXIST)
      throw Error(fmt::format("cannot be made: {}", std::strerror(errno)), so_far.string(),
                  fmt::format("set {} to a folder that can be written, or HOME", variable));
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

}  // namespace rooftune::os
