// The words of an enum, once and beside it, one for each enumerator from 0:
//
//   inline Words words(Color) {
//     static constexpr const char* all[] = {"red", "green"};
//     return all;
//   }
#pragma once
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/modules.h"

namespace rooftune::core {

using Words = std::span<const char* const>;

template <class E>
concept HasWords = std::is_enum_v<E> && requires(E value) {
  { words(value) } -> std::same_as<Words>;
};

template <HasWords E>
const char* word(E value) {
  return words(value)[static_cast<std::size_t>(value)];
}

/// The same, beside the to_text() of other values.
template <HasWords E>
const char* to_text(E value) {
  return word(value);
}
/// All of them, in their order.
template <HasWords E>
std::vector<E> enumerators() {
  std::vector<E> all;
  for (std::size_t i = 0; i < words(E{}).size(); ++i) all.push_back(static_cast<E>(i));
  return all;
}

std::optional<std::size_t> index_of(Words words, const std::string& text);
/// "did you mean "red"?", or all of a few words.
std::string suggestion(Words words, const std::string& text);
/// Throws Error: unknown `what` "text", with a suggestion.
std::size_t index_or_error(Words words, const char* what, const std::string& text);

/// The enumerator of a word; throws Error: unknown `what`, with a suggestion.
template <HasWords E>
E enumerator(const char* what, const std::string& text) {
  return static_cast<E>(index_or_error(words(E{}), what, text));
}

}  // namespace rooftune::core
