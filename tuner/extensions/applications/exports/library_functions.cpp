// The functions of an exported library beyond those of every library, in C, C++, Fortran and
// Python.
#include <fmt/format.h>

#include "core/list.h"
#include "core/scalar.h"
#include "core/text.h"
#include "exports/library.h"

namespace rooftune::exports {
namespace {

using Scalar = FurtherFunction::Parameter;

std::string c_type(const Scalar& one) {
  const ElementRow& row = one.type.row();
  if (!one.pointer) return row.c_value;
  return (one.written ? "" : "const ") + row.c + "*";
}

/// The texts of all parameters, each behind a comma.
template <class Text>
std::string of_parameters(const FurtherFunction& function, const Text& text) {
  std::string all;
  for (const Scalar& one : function.parameters) all += ", " + text(one);
  return all;
}

std::string prototype(const Library& library, const FurtherFunction& function) {
  return fmt::format(
      "int {0}_{1}({0}* problem{2})", library.library_name(), function.name,
      of_parameters(function, [](const Scalar& one) { return c_type(one) + " " + one.name; }));
}

/// Text of each function, one after the other.
template <class Text>
std::string of_functions(const Library& library, const Text& text) {
  std::string all;
  for (const FurtherFunction& one : library.backend.functions) all += text(one);
  return all;
}

}  // namespace

std::string Library::function_declarations() const {
  const std::string prefix = macro_word(library_name());
  return of_functions(*this, [&](const FurtherFunction& one) {
    return fmt::format("/* {}. The same. */\n{}_CHECKED {}_API {};\n", remark(one.doc), prefix,
                       prefix, prototype(*this, one));
  });
}

std::string Library::function_definitions() const {
  int position = 0;
  return of_functions(*this, [&](const FurtherFunction& one) {
    std::string types, taken;
    for (const Scalar& parameter : one.parameters) {
      join(types, c_type(parameter));
      for (const Argument& held : kernel.arguments)
        if (held.name == parameter.name && is_held(held))
          taken += fmt::format("  if (code_ == 0) problem->arguments.{0} = {0};\n", parameter.name);
    }
    return fmt::format(
        "{} {{\n  const int code_ = rooftune_library::further<{}>(static_cast<const "
        "rooftune_library::Handle<Arguments>*>(problem), {}{});\n{}  return code_;\n}}\n",
        prototype(*this, one), types, position++,
        of_parameters(one, [](const Scalar& parameter) { return parameter.name; }), taken);
  });
}

std::string Library::function_addresses() const {
  const std::string all = of_functions(*this, [&](const FurtherFunction& one) {
    return fmt::format("reinterpret_cast<bool (*)()>(&kernel::{}_{}), ", kernel.function, one.name);
  });
  return all + "nullptr";
}

std::string Library::function_interfaces() const {
  const std::string library = library_name();
  return of_functions(*this, [&](const FurtherFunction& one) {
    std::string lines;
    for (const Scalar& parameter : one.parameters)
      lines += fmt::format("      {}, {} :: {}{}\n", parameter.type.row().fortran,
                           !parameter.pointer  ? "value"
                           : parameter.written ? "intent(inout)"
                                               : "intent(in)",
                           parameter.name, parameter.pointer ? "(*)" : "");
    return fmt::format(
        "    integer(c_int) function {0}_{1}(problem{2}) &\n        bind(C, name=\"{0}_{1}\")\n    "
        "  "
        "import\n      type(c_ptr), value :: problem\n{3}    end function {0}_{1}\n",
        library, one.name,
        of_parameters(one, [](const Scalar& parameter) { return parameter.name; }), lines);
  });
}

std::string Library::function_rows() const {
  return of_functions(*this, [](const FurtherFunction& one) {
    std::string rows;
    for (const Scalar& parameter : one.parameters)
      rows += fmt::format("(\"{}\", \"{}\", \"{}\", \"\"), ", parameter.name, parameter.type.word(),
                          !parameter.pointer  ? ""
                          : parameter.written ? "update"
                                              : "read");
    return fmt::format("\"{}\": ({}), ", one.name, rows);
  });
}

}  // namespace rooftune::exports
