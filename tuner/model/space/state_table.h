// The different states of one level of a diagram under construction, numbered in order of
// appearance.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/scalar.h"

namespace rooftune::space {

class StateTable {
 public:
  explicit StateTable(std::size_t width) : width_(width), slots_(16, free) {}

  std::size_t size() const { return count_; }
  /// Memory held.
  std::size_t bytes() const {
    return scalars_.capacity() * sizeof(Scalar) + slots_.capacity() * sizeof(std::uint32_t);
  }
  std::span<const Scalar> state(std::size_t number) const {
    return std::span(scalars_).subspan(number * width_, width_);
  }
  /// The number of an equal state, or a new one.
  std::uint32_t number(std::span<const Scalar> sought) {
    // Nothing is remembered: there is one state.
    if (width_ == 0 && count_ == 1) return 0;
    if (2 * (count_ + 1) > slots_.size()) grow();
    std::size_t slot = hash(sought) & (slots_.size() - 1);
    for (; slots_[slot] != free; slot = (slot + 1) & (slots_.size() - 1))
      if (equal(state(slots_[slot]), sought)) return slots_[slot];
    slots_[slot] = static_cast<std::uint32_t>(count_);
    scalars_.insert(scalars_.end(), sought.begin(), sought.end());
    return static_cast<std::uint32_t>(count_++);
  }

 private:
  static constexpr std::uint32_t free = 0xffffffff;

  static bool equal(std::span<const Scalar> a, std::span<const Scalar> b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }
  static std::uint64_t hash(std::span<const Scalar> state) {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    for (const Scalar& scalar : state) {
      h ^= static_cast<std::uint64_t>(scalar.bits) + static_cast<std::uint64_t>(scalar.tag);
      h *= 0xbf58476d1ce4e5b9;
      h ^= h >> 29;
    }
    return h ^ (h >> 32);
  }
  void grow() {
    slots_.assign(2 * slots_.size(), free);
    for (std::size_t i = 0; i < count_; ++i) {
      std::size_t slot = hash(state(i)) & (slots_.size() - 1);
      while (slots_[slot] != free) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(i);
    }
  }

  std::size_t width_, count_ = 0;
  std::vector<Scalar> scalars_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace rooftune::space
