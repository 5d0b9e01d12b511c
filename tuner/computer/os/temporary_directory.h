// A directory that goes away with its owner, however that ends. What children keep there is removed
// as well.
#pragma once
#include <filesystem>
#include <string>

#include "core/modules.h"

namespace rooftune::os {

class TemporaryDirectory {
 public:
  /// In the system's temporary directory; its name begins with `prefix`, which begins with
  /// "rooftune". The first one of a process in a parent removes there what killed processes left,
  /// as by remove_abandoned(). Throws Error when it cannot be made.
  explicit TemporaryDirectory(const std::string& prefix = "rooftune");
  TemporaryDirectory(const std::filesystem::path& parent, const std::string& prefix);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// Gives it a name for good; false, and it stays temporary, when that is taken or cannot be made.
  bool keep_as(const std::filesystem::path& name);

 private:
  bool make(const std::filesystem::path& parent, const std::string& prefix);

  std::filesystem::path path_;
  int lock_ = -1;  ///< holds the mark of the owner; -1 where the file system knows no locks
};

/// Removes directories of this user in `parent` that a TemporaryDirectory made and whose owner is
/// gone: nobody holds the lock on the mark in them. Links are not followed, and what cannot be
/// removed stays. Returns how many went.
std::size_t remove_abandoned(const std::filesystem::path& parent);

}  // namespace rooftune::os
