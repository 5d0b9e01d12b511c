// The declarations in a preprocessed file, and what its names stand for.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/list.h"
#include "scaffold/cpp_tokens.h"

namespace rooftune::scaffold {

/// A declaration outside functions: the tokens [begin, end).
struct Declaration {
  size_t begin = 0, end = 0;
  std::string scope;          ///< "grid::", or empty
  TextSet names;              ///< what it declares
  size_t name = 0, body = 0;  ///< a function definition's name and brace (tokens); else 0
};
std::vector<Declaration> declarations_in(const Tokens& tokens);
/// What names in the file stand for: `constexpr int N = 64;`, `using real = double;` and `typedef
/// double real;`.
NamedTexts names_in(const Tokens& tokens);
/// The token behind the statement or block that begins at `at`.
size_t statement_end(const Tokens& tokens, size_t at);

}  // namespace rooftune::scaffold
