// The arguments of a library's functions, and of the kernel's, by the table of types.
#include <fmt/format.h>

#include <algorithm>

#include "exports/library_text.h"

namespace rooftune::exports {

std::string declared_type(const Argument& argument) {
  const ElementRow& row = argument.type.row();
  if (!argument.pointer) return row.c_value;
  return (argument.access == Argument::Access::read ? "const " : "") + std::string(row.c) + "*";
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
  if (type.row().is_named_so) return given;
  if (argument.pointer)
    return fmt::format("rooftune_library::AnyArray<{}, {}>{{{}}}", type.size(),
                       argument.access != Argument::Access::read, given);
  return fmt::format("rooftune_library::AnyValue<{0}>{{{0}({1})}}", library_type(type), given);
}

bool has_own_types(const LibrarySource& source) {
  return std::ranges::any_of(source.kernel.arguments,
                             [](const Argument& one) { return !one.type.row().is_named_so; });
}

}  // namespace rooftune::exports
