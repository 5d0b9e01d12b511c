// A function of the user's source as a kernel could have it: its parameters, its place in the text.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/element_type.h"
#include "scaffold/cpp_tokens.h"

namespace rooftune::scaffold {

struct FunctionParameter {
  std::string name;
  std::string c_type;  ///< without const, aliases resolved: "double"; empty: void
  ElementType type = Element::int32;
  bool array = false;              ///< a pointer or brackets
  bool constant = false;           ///< what it points or refers to
  bool reference = false;          ///< to a number
  std::vector<std::string> sides;  ///< of brackets: {"", "64"} of u[][64]
  /// Whether the function can leave something in it.
  bool is_written() const { return (array || reference) && !constant; }
};

struct FunctionSource {
  std::string name;
  std::string scope;                         ///< "grid::", or empty
  std::optional<FunctionParameter> returns;  ///< nullopt: void
  std::vector<FunctionParameter> parameters;
  std::size_t open = 0, close = 0;               ///< tokens: the braces of its body
  std::map<std::string, std::string> constants;  ///< of the file: what names stand for
};

/// Finds the definition of `name` (or "scope::name") outside of classes. Throws Error at
/// "file:line": there is none (with the names there are), several, a template, or a parameter that
/// a kernel cannot have, with the cure.
FunctionSource function_in(const Tokens& tokens, std::string_view source, const std::string& file,
                           const std::string& name);

}  // namespace rooftune::scaffold
