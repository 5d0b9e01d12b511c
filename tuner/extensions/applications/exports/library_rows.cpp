// The lists that an exported library's templates go through: its arguments, promises, variants and
// functions, as C, C++, Fortran and Python spell them.
#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "core/text.h"
#include "exports/library.h"

namespace rooftune::exports {
namespace {

const char* flag(bool holds) { return holds ? "yes" : ""; }

/// The element count for Python, if the given scalars decide it; else empty.
std::string python_count(const Library& library, const Argument& one) {
  const auto is_scalar = [&](const std::string& name) {
    const auto* scalar = first_where(library.kernel.arguments, [&](const Argument& other) {
      return !other.pointer && other.name == name && other.value.text() == name;
    });
    return scalar && library.is_given(*scalar);
  };
  return all_of(one.count.names(), is_scalar) ? one.count.text() : "";
}

/// A line in the header's table of arguments.
std::string table_line(const Argument& one) {
  std::string about = one.pointer ? word(one.access) : "value";
  if (!one.type.row().is_named_so()) about = one.type.word() + ", " + about;
  if (one.pointer && !one.count.empty()) about += ", " + one.count.text() + " elements";
  return fmt::format("{:<14} {:<15} {}", one.name, declared_type(one), remark(about));
}

/// A Fortran dummy's type and attributes.
std::string fortran_type(const Library& library, const Argument& one) {
  static constexpr const char* intents[] = {"in", "out", "inout"};
  const std::string type = one.type.row().fortran;
  if (passed_by_address(one)) return type + ", intent(in)";
  if (!one.pointer) return type + ", value";
  // An address on the card or on the host, or of a type that Fortran lacks.
  if (library.backend.needs_gpu_compiler() || !one.type.row().is_named_so())
    return "type(c_ptr), value";
  return fmt::format("{}, intent({})", type, intents[size_t(one.access)]);
}

/// A further function's parameter as an argument.
Argument argument_of(const FurtherFunction::Parameter& parameter) {
  Argument one;
  one.name = parameter.name;
  one.type = parameter.type;
  one.pointer = parameter.pointer;
  one.access = parameter.written ? Argument::Access::update : Argument::Access::read;
  return one;
}

Fillings row_of(const Library& library, const Argument& one) {
  const std::string type = fortran_type(library, one);
  const bool read = one.access == Argument::Access::read;
  return {{"ARGUMENT", one.name},
          {"WORD", one.type.word()},
          {"ACCESS", one.pointer ? word(one.access) : ""},
          {"ELEMENTS", one.pointer ? python_count(library, one) : ""},
          {"FORTRAN", type},
          {"SHAPE", one.pointer && !type.ends_with("value") ? "(*)" : ""},
          {"COUNT", one.count.empty() ? "" : in_cpp(one.count, library.kernel)},
          {"BYTES", std::to_string(one.type.size())},
          {"UPDATE", one.access == Argument::Access::update ? "true" : "false"},
          {"MIRRORED", read ? "false" : "true"},
          {"HELD", flag(library.is_held(one))},
          {"CHECKED", flag(one.pointer || library.is_size(one))},
          {"SCRATCH", flag(!read || !library.is_held(one))},
          {"MISSING", read ? fmt::format("if (!all.{}) ", one.name) : ""}};
}

}  // namespace

Rows Library::argument_rows() const {
  // Fortran ignores case and allows no _ in front.
  TextSet taken{"promises", "problem", "stream"};
  Rows all;
  for (const size_t i : indices(kernel.arguments)) {
    const Argument& one = kernel.arguments[i];
    if (!is_given(one)) continue;
    std::string dummy = one.name;
    if (!is_letter(dummy.front()) || taken.contains(lower_case(dummy)))
      dummy = fmt::format("argument_{}", i + 1);
    taken.insert(lower_case(dummy));
    Fillings& row = all.emplace_back(row_of(*this, one));
    row["DUMMY"] = dummy;
    row["LINE"] = table_line(one);
    row["DECLARATION"] = declaration(one);
    if (one.pointer) row["ARRAY"] = "yes";
  }
  return all;
}

Rows Library::promise_rows() const {
  const auto all = promises();
  Rows rows;
  for (const size_t i : indices(all))
    rows.push_back({{"EXPRESSION", remark(all[i].expression)},
                    {"REASON", remark(all[i].reason)},
                    {"PROMISE", promise_name(i)},
                    {"SHORT", promise_name(i).substr(library_name().size() + 1)},
                    {"BIT", std::to_string(size_t{1} << i)}});
  return rows;
}

Rows Library::variant_rows() const {
  Rows all;
  for (const LibraryVariant& one : variants) {
    // As a study compiles them: the launching half of a CUDA variant has no loop to optimise.
    Texts options{backend.needs_gpu_compiler() ? "-O1" : "-O3"};
    append(options, one.flags);
    const int threads = one.settings.team.threads;
    Fillings row{{"VARIANT", one.name},
                 {"LINE", fmt::format("{:<9} {}", one.name, remark(one.about))},
                 {"WHERE", one.about},
                 {"KNOBS", difference_text(one.configuration, variants.back().configuration)},
                 {"FLAGS", joined(options, " ")},
                 {"OPTIONS", joined(options, ";")},
                 {"NVRTC", joined(one.kernel_options, " ")},
                 // No study chose a compiler for the untuned form.
                 {"COMPILER", &one == &variants.back() ? "" : one.compiler},
                 {"FAMILY", contains(one.compiler, "clang") ? "Clang" : "GNU"},
                 {"TEAM", threads > 0 && threads < one.threads ? std::to_string(threads) : ""},
                 {"THREADS", std::to_string(one.threads)}};
    for (const Level& level : levels_of(one))
      row.lists["LEVELS"].push_back({{"LEVEL", level.name}});
    for (const Condition& condition : one.conditions)
      row.lists["CONDITIONS"].push_back(
          {{"EXPRESSION", condition.expression},
           {"REASON", condition.reason},
           {"PROMISED", condition.check.empty() ? ": the application has to promise it" : ""}});
    for (const auto& [variable, value] : one.settings.environment)
      row.lists["ENVIRONMENTS"].push_back({{"VARIABLE", variable}, {"VALUE", value}});
    all.push_back(std::move(row));
  }
  return all;
}

Rows Library::function_rows() const {
  Rows all;
  for (const FurtherFunction& function : backend.functions) {
    std::string declared, passed;
    Texts types;
    Rows taken;
    for (const FurtherFunction::Parameter& parameter : function.parameters) {
      const Argument one = argument_of(parameter);
      types.push_back(declared_type(one));
      declared += ", " + declaration(one);
      passed += ", " + one.name;
      taken.push_back(row_of(*this, one));
      const auto* held = first_with(kernel.arguments, &Argument::name, one.name);
      taken.back()["HELD"] = flag(held && is_held(*held));
    }
    Fillings& row = all.emplace_back(Fillings{{"FUNCTION", function.name},
                                              {"DOC", remark(function.doc)},
                                              {"PARAMETERS", declared},
                                              {"PASSED", passed},
                                              {"TYPES", joined(types)},
                                              {"POSITION", std::to_string(all.size())}});
    row.lists["TAKEN"] = std::move(taken);
  }
  return all;
}

}  // namespace rooftune::exports
