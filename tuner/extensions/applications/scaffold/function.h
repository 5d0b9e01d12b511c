// A user's function in the form that a kernel needs, read from the tokens of preprocessed C or C++:
// what it needs from its file, its parameters, and formulas that count array elements.
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

/// What an array of whole numbers holds: any values, indices into the array `of`, where each pass
/// of a loop starts there (one entry more than passes), or pass counts.
struct Contents {
  enum class Kind { values, indices, offsets, lengths };
  Kind kind = Kind::values;
  std::string of = {};
};

struct FunctionParameter {
  /// How the source declares it: plainly, as T** with rows one behind the other, or as std::vector.
  enum class Form { plain, rows, vector };
  std::string name;
  std::string c_type;  ///< without const, aliases resolved: "double"; empty: void
  ElementType type = Element::int32;
  bool array = false;      ///< a pointer or brackets
  bool constant = false;   ///< what it points or refers to
  bool reference = false;  ///< to a number
  bool address = false;    ///< of a single number, which is only read
  bool global = false;     ///< the file declares the array, the function names it
  bool only_read = false;  ///< an array, whether its type says so or not
  Texts sides = {};        ///< in brackets: {"", "64"} of u[][64]
  Form form = Form::plain;
  std::string record = {};  ///< the structure of numbers that holds the elements; empty: none
  /// Whether the function can store a result in it.
  bool is_written() const { return (array || reference) && !constant; }
  std::string declaration() const;
};
/// The parameter that an object's member becomes.
inline std::string member_name(std::string_view object, std::string_view member) {
  return fmt::format("{}_{}", object, member);
}
/// How many elements each row has, in every array of rows.
inline constexpr const char* row_elements = "row_elements";

struct FunctionSource {
  std::string name;
  std::string scope;                          ///< "grid::", or empty
  std::optional<FunctionParameter> returns;   ///< nullopt: void
  std::vector<FunctionParameter> parameters;  ///< the function's own, then the file's arrays
  size_t open = 0, close = 0;                 ///< tokens: the braces of its body
  NamedTexts constants;                       ///< what names in the file stand for
  /// They take out what the function does not need; arrays that the file declares become pointers.
  std::vector<Edit> edits;
  Texts elsewhere;  ///< functions that it calls in other files; they do nothing
};

/// Finds the definition that `name` stands for: a name, "scope::name", or a line number inside the
/// function. It stands outside classes. Throws Error at "file:line": there is none (with the names
/// there are), several (with their lines), a template, or a parameter that a kernel cannot have
/// (with the lines that capture a call).
FunctionSource function_in(const Tokens& tokens, const SourceText& source, const std::string& file,
                           const std::string& name);

}  // namespace rooftune::scaffold
