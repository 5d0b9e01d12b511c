// Code points of a UTF-8 text: what Python counts and indexes. Stray continuation bytes count with
// the point before them.
#pragma once
#include <algorithm>
#include <string>

namespace rooftune {

inline bool starts_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

inline std::size_t text_points(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_point));
}

/// The point numbered `index`, from 0; index < text_points(text).
inline std::string text_point(const std::string& text, std::size_t index) {
  std::size_t seen = 0, begin = 0;
  while (begin < text.size() && !(starts_point(text[begin]) && seen++ == index)) ++begin;
  std::size_t end = begin + 1;
  while (end < text.size() && !starts_point(text[end])) ++end;
  return text.substr(begin, end - begin);
}

}  // namespace rooftune
