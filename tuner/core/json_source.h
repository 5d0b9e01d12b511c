// The bytes of a JSON document, read once and counted, so that a fault has its line and column.
// The caller owes that the text outlives the source.
#pragma once
#include <cstddef>
#include <iterator>
#include <string>

namespace rooftune {

class JsonSource {
 public:
  explicit JsonSource(const std::string& text) : text_(text) {}
  JsonSource(const JsonSource&) = delete;
  JsonSource& operator=(const JsonSource&) = delete;

  /// A single-pass iterator that counts what it hands out.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;
    Iterator(const char* at, std::size_t* consumed) : at_(at), consumed_(consumed) {}
    reference operator*() const { return *at_; }
    Iterator& operator++() {
      ++at_;
      ++*consumed_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const char* at_;
    std::size_t* consumed_;
  };
  Iterator begin() { return {text_.data(), &consumed_}; }
  Iterator end() { return {text_.data() + text_.size(), &consumed_}; }
  /// Bytes read so far, at most one past the token in hand.
  std::size_t consumed() const { return consumed_; }
  /// "file:line:column" of the byte numbered `position`, from 1; line and column count from 1.
  std::string place(const std::string& where, std::size_t position) const;

 private:
  const std::string& text_;
  std::size_t consumed_ = 0;
};

}  // namespace rooftune
