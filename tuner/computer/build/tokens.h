// C, C++ and free-form Fortran sources as words and marks.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/list.h"

namespace rooftune::build {

struct Token {
  enum class Kind {
    word,
    number,
    literal,   ///< a text or a character
    mark,      ///< an operator or a bracket
    directive  ///< the preprocessor's: whole lines
  };
  Kind kind = Kind::mark;
  std::string_view text;
  size_t begin = 0;  ///< in the source
  /// Whether it is among the words or marks that blanks separate.
  bool is(std::string_view words) const { return kind != Kind::literal && is_among(text, words); }
  bool is_word() const { return kind == Kind::word; }
  size_t end() const { return begin + text.size(); }
};
/// In order; outside them stand empty marks, so that torn sources need no care.
struct Tokens : std::vector<Token> {
  const Token& operator[](size_t index) const {
    static const Token none;
    return index < size() ? std::vector<Token>::operator[](index) : none;
  }
  /// Where the first of these words or marks stands; size() without one.
  size_t first_of(std::string_view words) const {
    const auto found = find_if(*this, [&](const Token& one) { return one.is(words); });
    return size_t(found - begin());
  }
  bool has(std::string_view words) const { return first_of(words) < size(); }
};

/// The tokens without comments; `source` must outlive them. A torn end is one token. Without
/// `directives` preprocessor lines are words and marks, too.
Tokens tokens_of(std::string_view source, bool directives = true);

/// A Fortran statement, or an OpenMP pragma.
struct Statement {
  static constexpr std::string_view sentinel = "!$omp";
  size_t begin = 0, end = 0;  ///< in the source: whole lines
  std::string text;           ///< in lower case, continued lines as one, without comments
  bool is_pragma() const { return text.starts_with(sentinel); }
  bool begins(const char* words) const { return Tokens(tokens_of(text))[0].is(words); }
};
std::vector<Statement> statements_of(const std::string& source);

}  // namespace rooftune::build
