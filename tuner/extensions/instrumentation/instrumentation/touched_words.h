// A call's input and output, each byte once.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::instrumentation {

/// Words of eight bytes that a whole call touches outside its stacks, by first and last access: a
/// word is input if it is read before it is written, output if its last access wrote it.
class TouchedWords {
 public:
  /// Watches only lines in these classes (CacheModel) and scales the sums.
  explicit TouchedWords(const Integers& classes);
  void touch(bool writes, uint64_t address, uint64_t bytes);
  double bytes_read_first() const { return scaled(&Line::read_first); }
  double bytes_left_written() const { return scaled(&Line::left_written); }
  void clear() { lines_.clear(); }

 private:
  struct Line {
    uint8_t touched = 0, read_first = 0, left_written = 0;  ///< a bit for each word
  };
  double scaled(uint8_t Line::*words) const;

  uint64_t sample_ = 0;  ///< a bit for each class
  std::unordered_map<uint64_t, Line> lines_;
};

}  // namespace rooftune::instrumentation
