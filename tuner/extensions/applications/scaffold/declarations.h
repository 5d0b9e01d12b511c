// The declarations of a preprocessed file, and the meaning of its names.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/list.h"
#include "scaffold/cpp_tokens.h"

namespace rooftune::scaffold {

/// A declaration outside of functions: the tokens [begin, end).
struct Declaration {
  size_t begin = 0, end = 0;
  std::string scope;          ///< "grid::", or empty
  TextSet names;              ///< the names in it
  size_t name = 0, body = 0;  ///< where it defines a function: its name, its brace; else 0
};
std::vector<Declaration> declarations_in(const Tokens& tokens);
/// The meaning of names of the file: `constexpr int N = 64;`, `using real = double;` and `typedef
/// double real;`.
NamedTexts names_in(const Tokens& tokens);
/// Behind the statement or block that begins at `at`.
size_t statement_end(const Tokens& tokens, size_t at);

}  // namespace rooftune::scaffold
