// A piece of a line without the blanks around it.
// The caller owes that the line outlives what it gets.
#pragma once
#include <string_view>

namespace rooftune {

/// Without blanks and tabs at both ends, nor the carriage return of a line's end.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace rooftune
