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

/// Loads for good what lies beside a library and begins with `name`, as NVIDIA's libraries open
/// theirs by bare names: off the linker's path those are found only where they are loaded already.
/// A link counts as where it is and as where it leads. Nothing for a library without a folder.
void load_beside(const fs::path& library, const std::string& name);

}  // namespace rooftune::os
