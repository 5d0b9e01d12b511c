#include "instrumentation/touched_words.h"

#include <bit>

#include "instrumentation/cache_model.h"

namespace rooftune::instrumentation {

TouchedWords::TouchedWords(const Integers& classes) {
  for (const int one : classes) sample_ |= uint64_t{1} << one;
}

void TouchedWords::touch(bool writes, uint64_t address, uint64_t bytes) {
  constexpr uint64_t word = 8, line = CacheModel::line_bytes;
  for (uint64_t at = address / word; at < (address + bytes + word - 1) / word; ++at) {
    const uint64_t number = at * word / line;
    if ((sample_ >> number % CacheModel::classes & 1) == 0) continue;
    Line& found = lines_[number];
    const auto bit = uint8_t(1U << at % (line / word));
    if (!writes && (found.touched & bit) == 0) found.read_first |= bit;
    found.touched |= bit;
    if (writes)
      found.left_written |= bit;
    else
      found.left_written &= uint8_t(~bit);
  }
}

double TouchedWords::scaled(uint8_t Line::*words) const {
  double sum = 0;
  for (const auto& [number, line] : lines_) sum += std::popcount(line.*words);
  return 8 * sum * CacheModel::classes / std::popcount(sample_);
}

}  // namespace rooftune::instrumentation
