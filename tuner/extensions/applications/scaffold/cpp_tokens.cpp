#include "scaffold/cpp_tokens.h"

#include <algorithm>
#include <array>

#include "build/includes.h"
#include "core/list.h"
#include "core/text.h"

namespace rooftune::scaffold {
namespace {

bool opens(const Token& one) { return one.is("( [ {"); }

}  // namespace

size_t closing(const Tokens& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    const Token& one = tokens[i];
    if (opens(one)) ++depth;
    if (one.is(") ] }") && --depth == 0) return i;
  }
  return tokens.empty() ? 0 : tokens.size() - 1;
}

size_t first_of(const Tokens& tokens, size_t from, size_t end, std::string_view marks) {
  for (; from < end; ++from) {
    if (tokens[from].is(marks)) return from;
    if (opens(tokens[from])) from = closing(tokens, from);
  }
  return end;
}

std::vector<std::pair<size_t, size_t>> parts_of(const Tokens& tokens, size_t open) {
  std::vector<std::pair<size_t, size_t>> parts;
  const size_t close = closing(tokens, open);
  for (size_t begin = open + 1, end = begin; begin < close; begin = end + 1) {
    end = first_of(tokens, begin, close, ",");
    if (begin < end) parts.emplace_back(begin, end);
  }
  return parts;
}

std::string spelt(const Tokens& tokens, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    const std::string_view part = tokens[i].text;
    if (!text.empty() && !part.empty() && is_identifier_char(text.back()) &&
        is_identifier_char(part.front()))
      text += ' ';
    text += part;
  }
  return text;
}

}  // namespace rooftune::scaffold
