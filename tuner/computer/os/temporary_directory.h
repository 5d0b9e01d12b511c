// A directory removed at the end of its owner, however it ends, with the files of children.
#pragma once
#include <string>

#include "core/modules.h"
#include "core/unique.h"

namespace rooftune::os {

class TemporaryDirectory : Unique {
 public:
  /// In the system's temporary directory; its name begins with `prefix`, and this with "rooftune".
  /// The first one of a process in a parent removes leftovers of killed processes there, as by
  /// remove_abandoned(). Throws Error when it cannot be made.
  explicit TemporaryDirectory(const std::string& prefix = "rooftune");
  TemporaryDirectory(const fs::path& parent, const std::string& prefix);
  ~TemporaryDirectory();
  const fs::path& path() const { return path_; }
  /// Gives it a name for good; false, and it stays temporary, when the name is taken or impossible.
  bool keep_as(const fs::path& name);

 private:
  bool make(const fs::path& parent, const std::string& prefix);

  fs::path path_;
  int lock_ = -1;  ///< holds the mark of the owner; -1 on a file system without locks
};

/// Removes directories of this user in `parent`, made by a TemporaryDirectory with an ended owner:
/// the lock on their mark is free. Links are not followed, and undeletable ones stay. Returns the
/// number removed.
size_t remove_abandoned(const fs::path& parent);

}  // namespace rooftune::os
