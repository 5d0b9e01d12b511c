// The one reader of sources: words and marks with matched brackets, and the declarations that they
// make. All questions about a source are asked here. A Fortran statement is words and marks, too.
#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "build/tokens.h"
#include "core/list.h"

namespace rooftune::scaffold {

using build::Token;
/// Words of a source, which must outlive them.
using Names = std::set<std::string_view>;
/// Tokens: the first, one past the last.
using Range = std::pair<size_t, size_t>;
using Ranges = std::vector<Range>;

/// Whether the mark gives the word beside it a new value.
inline bool assigns(const Token& mark) {
  return mark.is("= += -= *= /= %= &= |= ^= <<= >>= ++ --");
}

/// One in a file, a namespace or a class: the tokens [begin, end). The others are tokens, too; 0:
/// none.
struct Declaration {
  size_t begin = 0, end = 0;
  std::string scope = {};  ///< "grid::", or empty
  size_t name = 0;         ///< a function's
  size_t owner = 0;        ///< the class whose function is defined outside of it
  size_t body = 0;         ///< the first brace
  Names names = {};        ///< what it declares; for a class's function, the class
  bool is_definition() const { return name > 0 && body > 0; }
};
using Declarations = std::vector<Declaration>;

class Syntax : public build::Tokens {
 public:
  /// `source` must outlive it.
  explicit Syntax(std::string_view source);

  /// Whether the token is among the words or marks that blanks separate.
  bool is(size_t token, std::string_view words) const { return (*this)[token].is(words); }
  /// The bracket that belongs to the one at `bracket`; the last token if none does.
  size_t partner(size_t bracket) const { return bracket < size() ? partners_[bracket] : bracket; }
  /// The first token in [from, end) that is one of `marks` (separated by blanks), outside brackets
  /// that open in the range; `end` if none is.
  size_t find(size_t from, size_t end, std::string_view marks) const;
  /// The ranges between commas; empty ones are left out.
  Ranges parts(Range range) const;
  /// The same for what stands in brackets.
  Ranges parts_in(size_t open) const { return parts({open + 1, partner(open)}); }
  /// The tokens, separated by blanks where words meet.
  std::string spelt(size_t begin, size_t end) const;
  void add_words(Names& names, size_t begin, size_t end) const;

  /// Those in C and C++ in [begin, end): the whole, or what a class's braces hold.
  Declarations declarations(size_t begin, size_t end) const;
  /// What names stand for: `constexpr int N = 64;`, `using real = double;`, `typedef double real;`.
  NamedTexts meanings() const;
  /// The token behind the statement or block that begins at `at`.
  size_t statement_end(size_t at) const;

 private:
  void collect(size_t at, size_t end, const std::string& scope, Declarations& all) const;
  Declaration declaration(size_t begin, size_t end, const std::string& scope) const;
  void name_function(Declaration& one, size_t end) const;
  Names declared_names(size_t begin, size_t end) const;

  Indices partners_;
};

}  // namespace rooftune::scaffold
