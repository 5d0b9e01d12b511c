// A user's function in the form that a kernel needs: what it needs from its file, its parameters,
// and formulas that count array elements.
#pragma once
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/list.h"
#include "scaffold/parameter.h"
#include "scaffold/source.h"

namespace rooftune::scaffold {

/// What an array of whole numbers holds: any values, indices into the array `of`, where each pass
/// of a loop starts there (one entry more than passes), or pass counts.
struct Contents {
  enum class Kind { values, indices, offsets, lengths };
  Kind kind = Kind::values;
  std::string of = {};
};

/// The parameter that an object's member becomes.
inline std::string member_name(std::string_view object, std::string_view member) {
  return fmt::format("{}{}{}", object, object.empty() ? "" : "_", member);
}
/// How many elements each row has, in every array of rows.
inline constexpr const char* row_elements = "row_elements";

struct FunctionSource {
  std::string name;
  std::string scope;                         ///< "grid::", or empty
  std::optional<FunctionParameter> returns;  ///< nullopt: void
  FunctionParameters parameters;             ///< the function's own, then the file's arrays
  size_t open = 0, close = 0;                ///< tokens: the braces of its body
  NamedTexts constants;                      ///< what names in the file stand for
  /// They take out what the function does not need; arrays that the file declares become pointers.
  Edits edits;
  Texts elsewhere;  ///< functions that it calls in other files; they do nothing

  /// Replaces tokens, `first` to `last`.
  void edit(const Syntax& source, size_t first, size_t last, const std::string& text) {
    edits.push_back({source[first].begin, source[last].end(), text});
  }
};

/// Finds the definition that `name` stands for: a name, "scope::name", or a line number inside the
/// function. It stands outside classes. Throws Error at "file:line": there is none (with the names
/// there are), several (with their lines), a template, or a parameter that a kernel cannot have
/// (with the lines that capture a call).
FunctionSource function_in(const Syntax& syntax, const SourceText& source, const std::string& file,
                           const std::string& name);

}  // namespace rooftune::scaffold
