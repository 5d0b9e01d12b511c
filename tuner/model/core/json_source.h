// The bytes of a JSON document, read once and counted, so a fault has its line and column.
#pragma once
#include <array>
#include <cstddef>
#include <iterator>
#include <string>

#include "core/byte_source.h"

namespace rooftune::core {

class JsonSource {
 public:
  /// `where` names the file in places and faults.
  JsonSource(ByteSource& bytes, std::string where);
  JsonSource(const JsonSource&) = delete;
  JsonSource& operator=(const JsonSource&) = delete;

  /// A single-pass iterator over the rest; all of one source are at the same place.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;
    explicit Iterator(JsonSource* source) : source_(source) {}
    reference operator*() const { return *source_->at_; }
    Iterator& operator++() {
      source_->advance();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return ended() == other.ended(); }

   private:
    bool ended() const { return source_ == nullptr || source_->ended(); }
    JsonSource* source_;
  };
  Iterator begin() { return Iterator(this); }
  Iterator end() { return Iterator(nullptr); }
  bool ended() const { return at_ == limit_; }
  /// Bytes read so far, at most one past the token in hand.
  std::size_t consumed() const { return before_ + static_cast<std::size_t>(at_ - block_); }
  /// A value, name or bracket was taken: the next may again be `longest` bytes long.
  void mark() { mark_ = consumed(); }
  /// "file:line:column" of the byte numbered `position` (from 1), the last one read or its
  /// neighbour; line and column count from 1.
  std::string place(std::size_t position) const;

  /// Bytes of the longest text, number or blank: the parser holds all of it.
  static constexpr std::size_t longest = std::size_t{1} << 23;

 private:
  void advance() {
    if (*at_ == '\n') begin_line();
    if (++at_ == limit_) refill();
  }
  void begin_line();
  void refill();

  ByteSource& bytes_;
  std::string where_;
  const char *block_ = nullptr, *at_ = nullptr, *limit_ = nullptr;
  std::size_t before_ = 0;  ///< bytes of the blocks before this one
  std::size_t mark_ = 0;
  std::size_t line_ = 1;
  std::array<std::size_t, 3> starts_{};  ///< of the current line and of those before it
};

}  // namespace rooftune::core
