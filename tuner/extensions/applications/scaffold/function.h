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

#include "core/list.h"
#include "core/modules.h"
#include "kernel/element_type.h"
#include "scaffold/declarations.h"
#include "scaffold/formulas.h"
#include "scaffold/source.h"

namespace rooftune::scaffold {

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
  bool address = false;    ///< one number's, which is only read
  bool global = false;     ///< an array of the file: the function names it
  bool only_read = false;  ///< an array, whether its type says so or not
  Texts sides = {};        ///< in brackets: {"", "64"} of u[][64]
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
  NamedTexts constants;                       ///< the file's: the meaning of names
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
