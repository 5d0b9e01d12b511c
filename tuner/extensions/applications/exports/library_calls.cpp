// The arguments of a library's functions and of the kernel's, by the table of types; which of a
// call may be others than those prepared, and which change roles.
#include <fmt/format.h>

#include <algorithm>

#include "exports/library_text.h"

namespace rooftune::exports {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What has been prepared is of its arguments.
bool is_bound(const LibrarySource& source) {
  return source.backend.prepare || source.backend.finish || !source.kernel.swap.empty() ||
         !promises(source).empty();
}

/// One line of C++ for each pair of arrays that change roles, by their names.
template <class Text>
std::string of_pairs(const LibrarySource& source, const Text& text, const char* between = "") {
  std::vector<std::string> lines;
  const auto& arguments = source.kernel.arguments;
  for (const auto& [first, second] : source.kernel.swap)
    lines.push_back(text(arguments[first].name, arguments[second].name));
  return joined(lines, between);
}

}  // namespace

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

bool is_size(const LibrarySource& source, std::size_t position) {
  const Kernel& kernel = source.kernel;
  const Argument& argument = kernel.arguments[position];
  if (argument.pointer || !argument.type.is_integer() || !is_given(source, position)) return false;
  const auto measures = [&](const std::string& name) {
    if (has(kernel.facts, name) || has(kernel.footprint.names(), name)) return true;
    return std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                       [&](const Argument& one) { return has(one.count.names(), name); });
  };
  const auto& names = argument.value.names();
  return std::any_of(names.begin(), names.end(), measures);
}

std::string takes_text(const LibrarySource& source) {
  if (!is_bound(source)) return "Its arrays and sizes may be others than those prepared.";
  const auto pair = [](const auto& one, const auto& other) { return one + " and " + other; };
  const std::string pairs = of_pairs(source, pair, ", ");
  return "It takes the arrays and sizes that were prepared" +
         (pairs.empty() ? "" : ", also with " + pairs + " exchanged, all at once") +
         "; others are an error.";
}

std::string variants_header_text(const LibrarySource& source) {
  std::string list;
  for (const LibraryVariant& one : source.variants)
    list += fmt::format("extern const Variant {};\n", one.name);
  const auto member = [](const Argument& one) { return declared_type(one) + " " + one.name; };
  const std::string members = of_given(source, member, ";\n  ");
  const bool cuda = source.backend.needs_gpu_compiler();
  std::string changed;
  for (std::size_t i = 0; is_bound(source) && i < source.kernel.arguments.size(); ++i)
    if (const Argument& one = source.kernel.arguments[i]; one.pointer || is_size(source, i))
      changed += fmt::format("  if (call.{0} != prepared.{0}) return \"{0}\";\n", one.name);
  const auto exchanged = of_pairs(source, [](const auto& one, const auto& other) {
    return fmt::format("  std::swap(all.{}, all.{});\n", one, other);
  });
  const auto overlapping = of_pairs(source, [](const auto& one, const auto& other) {
    return fmt::format("  if (all.{0} && all.{0} == all.{1}) return \"{0} and {1}\";\n", one,
                       other);
  });
  return filled(source, "variants.h",
                {{"MEMBERS", members},
                 {"CHANGED", changed},
                 {"EXCHANGED", exchanged},
                 {"OVERLAPPING", overlapping},
                 {"PARTS", cuda ? "library_cuda" : "library"},
                 {"ELEMENTS", has_own_types(source) ? "#include \"rooftune/elements.h\"\n" : ""},
                 {"SIDE", cuda ? "cuda_" : ""},
                 {"LIST", list}});
}

}  // namespace rooftune::exports
