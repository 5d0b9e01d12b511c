// The functions of an exported library for Fortran and Python: one table of them, written twice.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "exports/library_text.h"

namespace rooftune::exports {
namespace {

enum class Gives { nothing, problem, text, code, memory };
enum class Passed { promises, problem, stream, bytes, position, start, arguments };

/// A function of the header, without the library's name.
struct Function {
  const char* suffix;
  Gives gives;
  std::vector<Passed> takes;
};

std::vector<Function> functions_of(const LibrarySource& source) {
  using enum Passed;
  std::vector<Function> all{{"free", Gives::nothing, {problem}},
                            {"variant", Gives::text, {problem}},
                            {"error", Gives::text, {}}};
  if (source.backend.needs_gpu_compiler()) {
    all.insert(all.end(), {{"prepare", Gives::problem, {promises, stream, arguments}},
                           {"run", Gives::code, {problem, stream, arguments}},
                           {"finish", Gives::code, {problem, stream, arguments}},
                           {"call", Gives::code, {stream, arguments}}});
    return all;
  }
  all.insert(all.end(), {{"prepare", Gives::problem, {promises, arguments}},
                         {"run", Gives::code, {problem, arguments}},
                         {"finish", Gives::code, {problem, arguments}},
                         {"allocate", Gives::memory, {bytes, position}},
                         {"deallocate", Gives::nothing, {start}}});
  if (!source.backend.prepare) all.push_back({"call", Gives::nothing, {arguments}});
  return all;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The given arguments by names that Fortran allows: it knows no case, and no _ in front.
std::vector<std::pair<std::string, const Argument*>> dummies(const LibrarySource& source) {
  std::set<std::string> taken{"promises", "problem", "stream"};
  std::vector<std::pair<std::string, const Argument*>> all;
  for (std::size_t i = 0; i < source.kernel.arguments.size(); ++i) {
    if (!is_given(source, i)) continue;
    std::string name = source.kernel.arguments[i].name;
    if (std::isalpha(static_cast<unsigned char>(name.front())) == 0 || taken.contains(lower(name)))
      name = fmt::format("argument_{}", i + 1);
    taken.insert(lower(name));
    all.emplace_back(name, &source.kernel.arguments[i]);
  }
  return all;
}

std::string fortran_declaration(const LibrarySource& source, const std::string& name,
                                const Argument& one) {
  static constexpr const char* intents[] = {"in", "out", "inout"};
  const std::string type = one.type.row().fortran;
  if (passed_by_address(one)) return fmt::format("      {}, intent(in) :: {}\n", type, name);
  if (!one.pointer) return fmt::format("      {}, value :: {}\n", type, name);
  // An address on the card or on the host, or of what Fortran has no type for.
  if (source.backend.needs_gpu_compiler() || !one.type.row().has_fortran)
    return fmt::format("      type(c_ptr), value :: {}\n", name);
  return fmt::format("      {}, intent({}) :: {}(*)\n", type,
                     intents[static_cast<std::size_t>(one.access)], name);
}

std::string fortran_function(const LibrarySource& source, const Function& function) {
  std::vector<std::string> names;
  std::string declarations;
  // In the order of Passed.
  static constexpr std::pair<const char*, const char*> plain[] = {
      {"promises", "integer(c_int)"}, {"problem", "type(c_ptr)"},     {"stream", "type(c_ptr)"},
      {"bytes", "integer(c_size_t)"}, {"position", "integer(c_int)"}, {"start", "type(c_ptr)"}};
  for (const Passed one : function.takes) {
    if (one != Passed::arguments) {
      const auto& [name, type] = plain[static_cast<std::size_t>(one)];
      names.emplace_back(name);
      declarations += fmt::format("      {}, value :: {}\n", type, name);
      continue;
    }
    for (const auto& [name, argument] : dummies(source)) {
      names.push_back(name);
      declarations += fortran_declaration(source, name, *argument);
    }
  }
  const bool gives = function.gives != Gives::nothing;
  const std::string kind =
      gives ? fmt::format("{} function",
                          function.gives == Gives::code ? "integer(c_int)" : "type(c_ptr)")
            : "subroutine";
  const std::string name = library_name(source) + "_" + function.suffix;
  return fmt::format(
      "    {0} {1}({2}) &\n        bind(C, name=\"{1}\")\n      import\n{3}    end {4} {1}\n", kind,
      name, joined(names, ", &\n        "), declarations, gives ? "function" : "subroutine");
}

/// A number of elements that the given scalars decide, in Python's words; empty: they do not.
std::string python_count(const LibrarySource& source, const Argument& one) {
  const auto is_scalar = [&](const std::string& name) {
    const auto& all = source.kernel.arguments;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!all[i].pointer && all[i].name == name && all[i].value.text() == name)
        return is_given(source, i);
    return false;
  };
  const std::string text = one.count.text();
  const auto& names = one.count.names();
  bool plain = true;  // names, numbers, sums and products, and no function
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_word = [&](std::size_t at) {
      return text[at] == '_' || std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    const bool calls = text[i] == '(' && i > 0 && is_word(i - 1);
    plain = plain && !calls &&
            (is_word(i) || std::string_view("+*-() ").find(text[i]) != std::string_view::npos);
  }
  return plain && std::all_of(names.begin(), names.end(), is_scalar) ? text : "";
}

}  // namespace

std::string fortran_text(const LibrarySource& source) {
  const auto all = promises(source);
  std::string bits, interfaces;
  for (std::size_t i = 0; i < all.size(); ++i)
    bits += fmt::format("  integer(c_int), parameter :: {} = {}\n", promise_name(source, i),
                        std::size_t{1} << i);
  for (const Function& function : functions_of(source))
    interfaces += fortran_function(source, function);
  return filled(source, "module.f90", {{"CONSTANTS", bits}, {"INTERFACES", interfaces}});
}

std::string python_text(const LibrarySource& source) {
  const auto row = [&](const Argument& one) {
    return fmt::format("    (\"{}\", \"{}\", \"{}\", \"{}\"),\n", one.name, one.type.word(),
                       one.pointer ? word(one.access) : "",
                       one.pointer ? python_count(source, one) : "");
  };
  std::map<std::string, std::string> types;
  of_given(source, [&](const Argument& one) {
    const ElementRow& type = one.type.row();
    return types[one.type.word()] = fmt::format("\"{}\": ({}, \"{}\", ctypes.{})", one.type.word(),
                                                one.type.size(), type.formats, type.ctype);
  });
  std::vector<std::string> rows;
  for (const auto& [name, text] : types) rows.push_back(text);
  const auto all = promises(source);
  std::string bits;
  const std::string prefix = upper(library_name(source)) + "_";
  for (std::size_t i = 0; i < all.size(); ++i)
    bits += fmt::format("{} = {}  # {}\n", promise_name(source, i).substr(prefix.size()),
                        std::size_t{1} << i, remark(all[i].expression));
  return filled(source, "module.py",
                {{"TYPES", joined(rows, ",\n          ")},
                 {"ROWS", of_given(source, row, "")},
                 {"PROMISES", bits},
                 {"STREAM", source.backend.needs_gpu_compiler() ? "True" : "False"},
                 {"VARIABLE", prefix + "LIBRARY"}});
}

}  // namespace rooftune::exports
