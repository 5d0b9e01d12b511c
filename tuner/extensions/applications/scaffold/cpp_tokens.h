// C and C++ as words and marks: enough to find a function, its parameters and its loops.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/modules.h"

namespace rooftune::scaffold {

struct Token {
  enum class Kind {
    word,
    number,
    literal,   ///< of a text or a character
    mark,      ///< an operator or a bracket
    directive  ///< of the preprocessor: whole lines
  };
  Kind kind = Kind::mark;
  std::string_view text;
  std::size_t begin = 0;  ///< in the source
  bool is(std::string_view other) const { return text == other && kind != Kind::literal; }
  bool is_word() const { return kind == Kind::word; }
  std::size_t end() const { return begin + text.size(); }
};
/// In order; outside of them stand empty marks, so that torn sources need no care.
struct Tokens : std::vector<Token> {
  const Token& operator[](std::size_t index) const {
    static const Token none;
    return index < size() ? std::vector<Token>::operator[](index) : none;
  }
};

/// The tokens without comments; `source` must outlive them. A torn end is one token.
Tokens tokens_of(std::string_view source);
/// The index of the bracket that closes the one at `open`; the last token's where it is missing.
std::size_t closing(const Tokens& tokens, std::size_t open);
/// The tokens [begin, end), separated by blanks where words meet.
std::string joined(const Tokens& tokens, std::size_t begin, std::size_t end);
/// The number of a line, from 1.
std::size_t line_of(std::string_view source, std::size_t position);

}  // namespace rooftune::scaffold
