// A function's parameters as a kernel has them: numbers and arrays of numbers.
#pragma once
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"
#include "kernel/element_type.h"
#include "scaffold/syntax.h"

namespace rooftune::scaffold {

/// How a source declares an array: plainly, as T** with rows one behind the other, as std::vector.
enum class Form { plain, rows, vector };

struct FunctionParameter {
  std::string name;    ///< empty: the source gives none
  std::string c_type;  ///< an element's, without const, aliases resolved: "double"
  ElementType type = Element::int32;
  bool array = false;      ///< a pointer or brackets
  bool constant = false;   ///< what it points or refers to
  bool reference = false;  ///< to a number
  bool address = false;    ///< of a single number, which is only read
  bool global = false;     ///< the file declares the array, the function names it
  Texts sides = {};        ///< in brackets: {"", "64"} of u[][64]
  Form form = Form::plain;
  std::string record = {};    ///< the structure of numbers that holds the elements; empty: none
  std::string spelling = {};  ///< the source's type, for messages
  bool fits = true;           ///< a number, or an array of numbers
  /// Whether the function can store a result in it.
  bool is_written() const { return (array || reference) && !constant; }
  std::string declaration() const;
  /// "[64]" of u[][64].
  std::string inner_sides() const;
};
using FunctionParameters = std::vector<FunctionParameter>;

/// What has the type that is spelt in the ranges, one behind the other.
FunctionParameter typed(const Syntax& source, const Ranges& ranges, const NamedTexts& meanings);
/// What the tokens declare: a parameter, or names in a list of one type.
FunctionParameters declared(const Syntax& source, Range range, const NamedTexts& meanings);
/// How many elements such an array has; empty where not all sides are known.
std::string elements(const Texts& sides, const NamedTexts& meanings);

}  // namespace rooftune::scaffold
