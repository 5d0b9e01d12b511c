// A shared object loaded at run time.
#pragma once
#include <memory>
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// Closed with its last copy. Throws Error with dlerror's text.
class DynamicLibrary {
 public:
  explicit DynamicLibrary(const fs::path& file);
  /// Leaves its code where it is until the process ends: threads may still run in it.
  void stay() const;
  /// nullptr when absent.
  void* find(const std::string& symbol) const;
  /// Throws Error when absent.
  void* symbol(const std::string& symbol) const;

 private:
  std::shared_ptr<void> handle_;
};

/// Loads for good every library beside `library` whose name begins with `name`: NVIDIA's libraries
/// open others by bare names, which off the linker's path are found only if they are loaded
/// already. Looks both where a link is and where it leads. Does nothing for a library without a
/// folder.
void load_beside(const fs::path& library, const std::string& name);

}  // namespace rooftune::os
