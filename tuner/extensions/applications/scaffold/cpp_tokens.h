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

/// Whether the mark gives the word beside it a new value.
inline bool assigns(const Token& mark) {
  return mark.is("= += -= *= /= %= &= |= ^= <<= >>= ++ --");
}
/// The index of the bracket that closes the one at `open`; the last token's index if none does.
size_t closing(const Tokens& tokens, size_t open);
/// The first token in [from, end) that is one of `marks` (separated by blanks), outside brackets
/// that open in the range; `end` if none is.
size_t first_of(const Tokens& tokens, size_t from, size_t end, std::string_view marks);
/// The token ranges between commas, from behind the bracket at `open`; empty ranges are left out.
std::vector<std::pair<size_t, size_t>> parts_of(const Tokens& tokens, size_t open);
/// The tokens [begin, end), separated by blanks where words meet.
std::string spelt(const Tokens& tokens, size_t begin, size_t end);

}  // namespace rooftune::scaffold
