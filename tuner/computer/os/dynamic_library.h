// A shared object loaded at run time.
#pragma once
#include <filesystem>
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// Closed when destroyed. Throws Error with dlerror's text.
class DynamicLibrary {
 public:
  explicit DynamicLibrary(const std::filesystem::path& file);
  ~DynamicLibrary();
  /// Leaves its code where it is until the process ends: threads may still run in it.
  void stay() const;
  DynamicLibrary(DynamicLibrary&& other) noexcept;
  DynamicLibrary& operator=(DynamicLibrary&&) = delete;
  /// nullptr when absent.
  void* find(const std::string& symbol) const;
  /// Throws Error when absent.
  void* symbol(const std::string& symbol) const;

 private:
  void* handle_;
};

}  // namespace rooftune::os
