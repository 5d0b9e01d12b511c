// Numbers in texts, as std::from_chars reads them: the same in every locale.
#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/modules.h"

namespace rooftune::core {

/// Takes the number off the text's start, 48 from "48K"; nullopt, and the text as it was, where it
/// does not begin with one. `base`: an integer's.
template <class T>
std::optional<T> take_number(std::string_view& text, auto... base) {
  T value{};
  const char* const begin = text.data();
  const auto [rest, fault] = std::from_chars(begin, begin + text.size(), value, base...);
  if (fault != std::errc{}) return std::nullopt;
  text.remove_prefix(size_t(rest - begin));
  return value;
}
/// The number that the text starts with.
template <class T>
std::optional<T> leading_number(std::string_view text) {
  return take_number<T>(text);
}
/// The number that the whole text spells.
template <class T>
std::optional<T> number_in(std::string_view text, auto... base) {
  const auto value = take_number<T>(text, base...);
  return text.empty() ? value : std::nullopt;
}

}  // namespace rooftune::core
