// The elements of an array, in a file of the user's: NumPy's (.npy), or raw and little endian.
#pragma once
#include <string_view>

#include "os/mapped_file.h"
#include "run/message.h"

namespace rooftune::run {

class ArrayContents {
 public:
  /// `slot`: the array with its count. Throws Error, both sizes and the cure in it, for a file of
  /// other elements or of more or fewer.
  ArrayContents(const std::filesystem::path& file, const Slot& slot);
  /// The elements alone.
  std::string_view bytes() const { return bytes_; }
  std::size_t offset() const { return mapped_.size() - bytes_.size(); }  ///< of them in the file

 private:
  MappedFile mapped_;
  std::string_view bytes_;
};

}  // namespace rooftune::run
