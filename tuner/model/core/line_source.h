// The lines of a text in blocks.
#pragma once
#include <string>

#include "core/byte_source.h"

namespace rooftune::core {

class LineSource {
 public:
  explicit LineSource(ByteSource& bytes) : bytes_(bytes) {}
  /// The next line without its newline; false at the end. Throws Error (without place) for a line
  /// longer than 64 MiB.
  bool next(std::string& line);
  /// Whether the last line had no newline.
  bool torn() const { return torn_; }

 private:
  ByteSource& bytes_;
  std::string_view block_;
  bool torn_ = false;
};

}  // namespace rooftune::core
