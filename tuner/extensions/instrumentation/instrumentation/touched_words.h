// The input and the output of a call, each byte once.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/modules.h"

namespace rooftune::instrumentation {

/// Words of eight bytes that a whole call touches outside of its stacks, by their first and last
/// access: input is read before anything is written there, output was written last.
class TouchedWords {
 public:
  /// Only lines of these classes (CacheModel), scaled.
  explicit TouchedWords(const std::vector<int>& classes);
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
