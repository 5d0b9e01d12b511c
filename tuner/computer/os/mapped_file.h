// A file seen as memory, read only; and the writing of one in a single sweep.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>

#include "core/modules.h"

namespace rooftune::os {

class MappedFile {
 public:
  /// Throws Error when it cannot be read.
  explicit MappedFile(const std::filesystem::path& file);
  const void* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  std::shared_ptr<const void> data_;
  std::size_t size_ = 0;
};

/// Throws Error (disk full, read-only).
void write_bytes(const std::filesystem::path& file, const void* data, std::size_t size);

}  // namespace rooftune::os
