// Preprocessed C and C++ as words and marks: brackets, lists and spellings.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "build/tokens.h"

namespace rooftune::scaffold {

using build::Token;
using build::Tokens;
using build::tokens_of;

/// Whether it gives the word beside it another value.
inline bool assigns(const Token& mark) {
  return mark.is("= += -= *= /= %= &= |= ^= <<= >>= ++ --");
}
/// The index of the bracket that closes the one at `open`; the last token's where it is missing.
size_t closing(const Tokens& tokens, size_t open);
/// The first of these marks, between blanks, in [from, end) and outside of brackets that open
/// there; `end` without one.
size_t first_of(const Tokens& tokens, size_t from, size_t end, std::string_view marks);
/// The ranges of tokens between commas, from behind the bracket at `open`; empty ones are left out.
std::vector<std::pair<size_t, size_t>> parts_of(const Tokens& tokens, size_t open);
/// The tokens [begin, end), separated by blanks where words meet.
std::string spelt(const Tokens& tokens, size_t begin, size_t end);

}  // namespace rooftune::scaffold
