// A piece of a line without the blanks around it.
#pragma once
#include <string_view>

namespace rooftune {

/// Without blanks, tabs and ends of lines on both sides.
inline std::string_view trimmed(std::string_view text) {
  constexpr const char* white = " \t\r\n\v\f";
  const std::size_t begin = text.find_first_not_of(white);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(white) - begin + 1);
}

}  // namespace rooftune
