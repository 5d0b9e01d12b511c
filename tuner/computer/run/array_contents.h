// The elements of an array, in a file from the user: NumPy's (.npy), or raw and little endian.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/modules.h"
#include "kernel/kernel.h"
#include "os/mapping.h"
#include "run/message.h"

namespace rooftune::run {

struct NpyHead {
  std::string type;            ///< as NumPy writes it: "<f8"
  std::vector<int64_t> shape;  ///< empty: one element
  int64_t count = 0;           ///< elements: the product over the shape
  size_t offset = 0;           ///< bytes before the first element
  /// Such as "3 x 4 = 12 elements of <f8".
  std::string text() const;
};

/// Reads versions 1 to 3, elements in C order. Throws Error at `where`: a torn or foreign head,
/// records, Fortran order, a shape beyond 64 bits.
NpyHead npy_head(std::string_view bytes, const std::string& where);
/// NumPy's word for a type on this machine: "<f8".
std::string npy_type(ElementType type);

class ArrayContents {
 public:
  /// `slot`: the array with its count. Throws Error, with both sizes and the cure, for a file with
  /// other elements, or more or fewer.
  ArrayContents(const fs::path& file, const Slot& slot);
  /// The elements alone.
  std::string_view bytes() const { return bytes_; }
  size_t offset() const { return mapped_.size() - bytes_.size(); }  ///< in the file

 private:
  MappedFile mapped_;
  std::string_view bytes_;
};

}  // namespace rooftune::run
