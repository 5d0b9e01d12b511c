// A function of the user's source as a kernel could have it, from preprocessed C and C++ as words
// and marks: its needs of the file, its parameters, and numbers of elements as formulas.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "build/tokens.h"
#include "core/expression.h"
#include "core/list.h"
#include "core/modules.h"
#include "kernel/element_type.h"
#include "scaffold/source.h"

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
/// A declaration outside of functions: the tokens [begin, end).
struct Declaration {
  size_t begin = 0, end = 0;
  std::string scope;          ///< "grid::", or empty
  TextSet names;              ///< the names in it
  size_t name = 0, body = 0;  ///< of a function that it defines: its name, its brace; else 0
};
std::vector<Declaration> declarations_in(const Tokens& tokens);
/// The meaning of names of the file: `constexpr int N = 64;`, `using real = double;` and `typedef
/// double real;`.
NamedTexts names_in(const Tokens& tokens);
/// Behind the statement or block that begins at `at`.
size_t statement_end(const Tokens& tokens, size_t at);
using Sizes = std::map<std::string, int64_t>;

/// As an Expression reads it: whole division, no casts and no suffixes of numbers.
std::string formula_of(const std::string& text);
/// The whole number that a text of C is; nullopt: it is none.
std::optional<int64_t> value_of(const std::string& text, const Expression::Lookup& lookup = {});
/// The first of `texts` that is `count`; else the number.
std::string formula_for(int64_t count, const Texts& texts, const Sizes& sizes);

/// What the elements of an array of whole numbers are: any values, indices of the array `of`, the
/// first index there of each pass of a loop (one more than passes), or numbers of passes.
struct Contents {
  enum class Kind { values, indices, offsets, lengths };
  Kind kind = Kind::values;
  std::string of = {};
};

struct FunctionParameter {
  /// As the source has it: as it becomes; T** with rows one behind the other; std::vector.
  enum class Form { plain, rows, vector };
  std::string name;
  std::string c_type;  ///< without const, aliases resolved: "double"; empty: void
  ElementType type = Element::int32;
  bool array = false;      ///< a pointer or brackets
  bool constant = false;   ///< what it points or refers to
  bool reference = false;  ///< to a number
  bool address = false;    ///< of one number, which is only read
  bool global = false;     ///< an array of the file: the function names it
  bool only_read = false;  ///< an array, whether its type says so or not
  Texts sides = {};        ///< of brackets: {"", "64"} of u[][64]
  Form form = Form::plain;
  std::string record = {};  ///< the structure of numbers that the elements are in; empty: none
  /// Whether the function can leave something in it.
  bool is_written() const { return (array || reference) && !constant; }
  std::string declaration() const;
};
/// The parameter that a member of an object becomes.
inline std::string member_name(std::string_view object, std::string_view member) {
  return fmt::format("{}_{}", object, member);
}
/// Numbers of elements in each row of all arrays of rows.
inline constexpr const char* row_elements = "row_elements";

struct FunctionSource {
  std::string name;
  std::string scope;                          ///< "grid::", or empty
  std::optional<FunctionParameter> returns;   ///< nullopt: void
  std::vector<FunctionParameter> parameters;  ///< arrays of the file behind those of its own
  size_t open = 0, close = 0;                 ///< tokens: the braces of its body
  NamedTexts constants;                       ///< of the file: the meaning of names
  /// The rest of the file is taken out, and its arrays of the file become pointers.
  std::vector<Edit> edits;
  Texts elsewhere;  ///< functions that it calls, of other files; they do nothing
};

/// Finds the definition of `name`, of "scope::name", or around a line (its number), outside of
/// classes. Throws Error at "file:line": there is none (with the names there are), several (with
/// their lines), a template, or a parameter that a kernel cannot have, with the lines that capture
/// a call of it.
FunctionSource function_in(const Tokens& tokens, const SourceText& source, const std::string& file,
                           const std::string& name);

}  // namespace rooftune::scaffold
