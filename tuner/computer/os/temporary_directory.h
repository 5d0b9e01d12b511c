// A directory that goes when its owner ends, however it ends, with all that children wrote there.
#pragma once
#include <string>

#include "core/modules.h"
#include "core/unique.h"

namespace rooftune::os {

class TemporaryDirectory : Unique {
 public:
  /// In the system's temporary directory; its name begins with `prefix`, and this with "rooftune".
  /// The first that a process makes in a parent removes what killed processes left there, as
  /// remove_abandoned() does. Throws Error when it cannot be made.
  explicit TemporaryDirectory(const std::string& prefix = "rooftune");
  TemporaryDirectory(const fs::path& parent, const std::string& prefix);
  ~TemporaryDirectory();
  const fs::path& path() const { return path_; }
  /// Gives it a name for good; false, and it stays temporary, when the name is taken or impossible.
  bool keep_as(const fs::path& name);

 private:
  bool make(const fs::path& parent, const std::string& prefix);

  fs::path path_;
  int lock_ = -1;  ///< holds the owner's mark; -1 on a file system without locks
};

/// Removes this user's directories in `parent` that a TemporaryDirectory made and whose owner has
/// ended: the lock on their mark is free. Follows no links, and leaves what it cannot remove.
/// Returns how many it removed.
size_t remove_abandoned(const fs::path& parent);

}  // namespace rooftune::os
