// Texts: foreign ones made plain, blanks trimmed, and UTF-8 code points, in which Python counts and
// indexes.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::core {

/// Length [B] of the code point at the start of `text`, when any screen, page or file may show it;
/// 0 for control characters, for those that change a line's direction, and for invalid UTF-8.
size_t shown_point(std::string_view text);
/// Text from elsewhere (a compiler, a variant, a file, a name) as shown and kept: newlines and tabs
/// stay, "\r\n" is a newline, and anything else refused by shown_point becomes U+FFFD. All input
/// passes here once: each text in a JSON document, each Error, each log.
std::string plain_text(std::string text);

/// ASCII characters, in every locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
/// A letter, a digit or _.
inline bool is_identifier_char(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
/// The same or -: names become file names and command-line words.
inline bool is_name_char(char c) { return is_identifier_char(c) || c == '-'; }

/// The text without blanks, tabs and line ends on both sides.
inline std::string_view trimmed(std::string_view text) {
  constexpr const char* white = " \t\r\n\v\f";
  const size_t begin = text.find_first_not_of(white);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(white) - begin + 1);
}

/// The text before a mark; the whole text where it has none.
template <class Text>
Text text_before(const Text& text, auto mark) {
  return text.substr(0, text.find(mark));
}

/// "1 core", "3 cores".
inline std::string plural(auto count, std::string_view one) {
  return std::to_string(count).append(" ").append(one).append(count == 1 ? "" : "s");
}

/// A word for a POSIX shell, in quotes, inside which nothing but the quote itself has a meaning.
inline std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}
/// The same, without quotes where a shell takes the word as it is.
inline std::string shell_word(std::string_view text) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  return !text.empty() && is_only_of(text, plain) ? std::string(text) : shell_quoted(text);
}

/// A to Z become a to z.
inline std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return result;
}

/// Stray continuation bytes count with the point before them.
inline bool starts_point(char c) { return (uint8_t(c) & 0xc0) != 0x80; }

/// The text as a macro's name in C: capitals, digits and _ only.
inline std::string macro_word(std::string text) {
  for (char& c : text) c = is_letter(c) ? char(c & ~0x20) : is_digit(c) ? c : '_';
  return text;
}

inline size_t text_points(const std::string& text) { return size_t(count_if(text, starts_point)); }

/// The point numbered `index`, from 0; index < text_points(text).
inline std::string text_point(const std::string& text, size_t index) {
  size_t seen = 0, begin = 0;
  while (begin < text.size() && !(starts_point(text[begin]) && seen++ == index)) ++begin;
  size_t end = begin + 1;
  while (end < text.size() && !starts_point(text[end])) ++end;
  return text.substr(begin, end - begin);
}

}  // namespace rooftune::core
