#include "exports/spelling.h"

#include <fmt/format.h>

#include "core/text.h"

namespace rooftune::exports {

std::string scalar_text(const Json& scalar) {
  return scalar.is_number_integer() ? fmt::format("{}", scalar.get<int64_t>())
                                    : fmt::format("{:.17g}", scalar.get<double>());
}

std::string remark(const std::string& text) {
  std::string result;
  for (const char c : plain_text(text))
    if (c == '"' || c == '\\' || c == '?')
      result += '\'';
    else
      result += c == '\n' || c == '\t' ? ' ' : c;
  for (const char* mark : {"*/", "/*"})
    for (size_t at = result.find(mark); at != std::string::npos; at = result.find(mark))
      result.replace(at, 2, "**");
  return result;
}

std::string literal(const std::string& text) { return Json(text).dump(); }

std::string declared_type(const Argument& argument) {
  const ElementRow& row = argument.type.row();
  if (!argument.pointer) return row.c_value;
  return (argument.access == Argument::Access::read ? "const " : "") + row.c + "*";
}

std::string declaration(const Argument& argument) {
  return declared_type(argument) + " " + argument.name;
}

bool passed_by_address(const Argument& argument) {
  return !argument.pointer && argument.type.is(ElementRow::Family::complex);
}

std::string library_type(ElementType type) {
  const std::string cpp = type.cpp(), space = "rooftune::";
  return cpp.starts_with(space) ? "rooftune_library::" + cpp.substr(space.size()) : cpp;
}

std::string passed(const Argument& argument, const std::string& given) {
  const ElementType type = argument.type;
  if (type.row().is_named_so()) return given;
  if (argument.pointer)
    return fmt::format("rooftune_library::AnyArray<{}, {}>{{{}}}", type.size(),
                       argument.access != Argument::Access::read, given);
  return fmt::format("rooftune_library::AnyValue<{0}>{{{0}({1})}}", library_type(type), given);
}

}  // namespace rooftune::exports
