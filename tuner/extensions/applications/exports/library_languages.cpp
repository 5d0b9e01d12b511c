// The arguments of an exported library in Fortran, Python and C++.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/list.h"
#include "core/text.h"
#include "exports/library.h"

namespace rooftune::exports {
namespace {

/// The given arguments by names that Fortran allows: it knows no case, and no _ in front.
std::vector<std::pair<std::string, const Argument*>> dummies(const Library& library) {
  TextSet taken{"promises", "problem", "stream"};
  std::vector<std::pair<std::string, const Argument*>> all;
  for (const Argument& one : library.kernel.arguments) {
    if (!library.is_given(one)) continue;
    std::string name = one.name;
    if (!is_letter(name.front()) || taken.contains(lower_case(name)))
      name = fmt::format("argument_{}", &one - library.kernel.arguments.data() + 1);
    taken.insert(lower_case(name));
    all.emplace_back(name, &one);
  }
  return all;
}

std::string fortran_declaration(const Library& library, const std::string& name,
                                const Argument& one) {
  static constexpr const char* intents[] = {"in", "out", "inout"};
  const std::string type = one.type.row().fortran;
  if (passed_by_address(one)) return fmt::format("      {}, intent(in) :: {}\n", type, name);
  if (!one.pointer) return fmt::format("      {}, value :: {}\n", type, name);
  // An address on the card or on the host, or of what Fortran has no type for.
  if (library.backend.needs_gpu_compiler() || !one.type.row().is_named_so())
    return fmt::format("      type(c_ptr), value :: {}\n", name);
  return fmt::format("      {}, intent({}) :: {}(*)\n", type, intents[size_t(one.access)], name);
}

/// A number of elements that the given scalars decide; empty: they do not.
std::string python_count(const Library& library, const Argument& one) {
  const auto is_scalar = [&](const std::string& name) {
    const auto scalar = std::ranges::find_if(library.kernel.arguments, [&](const Argument& other) {
      return !other.pointer && other.name == name && other.value.text() == name;
    });
    return scalar != library.kernel.arguments.end() && library.is_given(*scalar);
  };
  return std::ranges::all_of(one.count.names(), is_scalar) ? one.count.text() : "";
}

/// One line of C++ for each pair of arrays that change roles, by their names.
template <class Text>
std::string of_pairs(const Library& library, const Text& text, const char* between = "") {
  Texts lines;
  const auto& arguments = library.kernel.arguments;
  for (const auto& [first, second] : library.kernel.swap)
    lines.push_back(text(arguments[first].name, arguments[second].name));
  return joined(lines, between);
}

}  // namespace

std::string Library::fortran_text() const {
  const auto all = promises();
  std::string bits, declarations;
  for (const size_t i : indices(all))
    bits +=
        fmt::format("  integer(c_int), parameter :: {} = {}\n", promise_name(i), size_t{1} << i);
  Texts names;
  for (const auto& [dummy, argument] : dummies(*this)) {
    names.push_back(dummy);
    declarations += fortran_declaration(*this, dummy, *argument);
  }
  const bool plain = !backend.needs_gpu_compiler() && !backend.prepare;
  return filled("module.f90", {{"CONSTANTS", bits},
                               {"FUNCTIONS", function_interfaces()},
                               {"DUMMIES", joined(names, ", &\n        ")},
                               {"DECLARATIONS", declarations},
                               {"PLAIN", plain ? "yes" : ""}});
}

std::string Library::python_text() const {
  const auto row = [&](const Argument& one) {
    return fmt::format("    (\"{}\", \"{}\", \"{}\", \"{}\"),\n", one.name, one.type.word(),
                       one.pointer ? word(one.access) : "",
                       one.pointer ? python_count(*this, one) : "");
  };
  NamedTexts types;
  of_given([&](const Argument& one) {
    const ElementRow& type = one.type.row();
    return types[one.type.word()] = fmt::format("\"{}\": ({}, \"{}\", ctypes.{})", one.type.word(),
                                                one.type.size(), type.formats, type.ctype);
  });
  Texts rows;
  for (const auto& [word, text] : types) rows.push_back(text);
  const auto all = promises();
  std::string bits;
  const std::string prefix = macro_word(library_name()) + "_";
  for (const size_t i : indices(all))
    bits += fmt::format("{} = {}  # {}\n", promise_name(i).substr(prefix.size()), size_t{1} << i,
                        remark(all[i].expression));
  std::string held;
  for (const Argument& one : kernel.arguments)
    if (is_held(one)) held += literal(one.name) + ", ";
  return filled("module.py", {{"TYPES", joined(rows, ",\n          ")},
                              {"ROWS", of_given(row, "")},
                              {"PROMISES", bits},
                              {"FUNCTIONS", function_rows()},
                              {"HELD", held},
                              {"STREAM", backend.needs_gpu_compiler() ? "True" : "False"},
                              {"VARIABLE", prefix + "LIBRARY"}});
}

bool Library::has_own_types() const {
  return std::ranges::any_of(kernel.arguments,
                             [](const Argument& one) { return !one.type.row().is_named_so(); });
}

bool Library::is_size(const Argument& argument) const {
  if (argument.pointer || !argument.type.is_integer() || !is_given(argument)) return false;
  const auto measures = [&](const std::string& fact) {
    if (contains(kernel.facts, fact) || contains(kernel.footprint.names(), fact)) return true;
    return std::ranges::any_of(kernel.arguments,
                               [&](const auto& one) { return contains(one.count.names(), fact); });
  };
  const auto& names = argument.value.names();
  return std::ranges::any_of(names, measures);
}

bool Library::is_held(const Argument& argument) const {
  if (!argument.pointer && !is_size(argument)) return false;
  if (backend.holds && argument.pointer) return contains(*backend.holds, argument.name);
  return backend.prepare || backend.finish || !kernel.swap.empty();
}

std::string Library::takes_text() const {
  Texts held, free;
  for (const Argument& one : kernel.arguments)
    if (one.pointer || is_size(one)) (is_held(one) ? held : free).push_back(one.name);
  if (held.empty()) return "Its arrays and sizes may be others than those prepared.";
  const auto pair = [](const auto& one, const auto& other) { return one + " and " + other; };
  const std::string pairs = of_pairs(*this, pair, ", ");
  return "It takes what was prepared: " + joined(held) +
         (pairs.empty() ? "" : ", also with " + pairs + " exchanged, all at once") +
         "; others are an error." +
         (free.empty()
              ? ""
              : "\n * Any at every call: " + joined(free) +
                    (promises().empty() ? "."
                                        : "; but of a variant that was chosen by a promise."));
}

std::string Library::variants_header_text() const {
  const bool cuda = backend.needs_gpu_compiler();
  size_t facts = kernel.inspected.size();
  for (const Argument& one : kernel.arguments) facts += is_size(one);
  std::string list;
  for (const LibraryVariant& one : variants) {
    std::vector<Level> levels{{"any", 0}};
    if (!cuda) levels = levels_of(one), levels.push_back({"any", 0});
    for (const Level& level : levels)
      list += cuda ? fmt::format("extern const Variant {};\n", one.name)
                   : fmt::format("namespace {} {{\nextern const Variant {};\n}}\n", level.name,
                                 one.name);
  }
  const std::string members = of_given(declaration, ";\n  ");
  std::string changed;
  for (const Argument& one : kernel.arguments)
    if (one.pointer || is_size(one))
      changed += fmt::format("  if ({1}call.{0} != prepared.{0}) return \"{0}\";\n", one.name,
                             is_held(one) ? "" : "all && ");
  const auto exchanged = of_pairs(*this, [](const auto& one, const auto& other) {
    return fmt::format("  std::swap(all.{}, all.{});\n", one, other);
  });
  const auto overlapping = of_pairs(*this, [](const auto& one, const auto& other) {
    return fmt::format("  if (all.{0} && all.{0} == all.{1}) return \"{0} and {1}\";\n", one,
                       other);
  });
  return filled("variants.h",
                {{"MEMBERS", members},
                 {"HOST_SIDE", cuda ? "" : "yes"},
                 {"FACT_ROOM", std::to_string(std::max<size_t>(1, facts))},
                 {"CHANGED", changed},
                 {"EXCHANGED", exchanged},
                 {"OVERLAPPING", overlapping},
                 {"PARTS", cuda ? "library_cuda" : "library"},
                 {"ELEMENTS", has_own_types() ? "#include \"rooftune/elements.h\"\n" : ""},
                 {"SIDE", cuda ? "cuda_" : ""},
                 {"LIST", list}});
}

}  // namespace rooftune::exports
