// A word as a comparison wants it: without the blanks around it, without capitals.
#pragma once
#include <string>
#include <string_view>

namespace rooftune {

/// Without blanks, tabs and ends of lines on both sides.
inline std::string_view trimmed(std::string_view text) {
  constexpr const char* white = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(white);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(white) - begin + 1);
}

/// With A to Z as a to z.
inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace rooftune
