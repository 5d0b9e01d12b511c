#include "exports/library_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "build/includes.h"
#include "core/list.h"
#include "core/text.h"
#include "exports/library_functions.h"
#include "exports/library_languages.h"
#include "exports/library_package.h"
#include "os/paths.h"

namespace rooftune::exports {
namespace {

/// A name of C from a kernel's: other characters become _.
std::string identifier(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
}

std::string declared(const LibrarySource& source, const char* between = ", ") {
  return of_given(
      source, [](const Argument& one) { return declared_type(one) + " " + one.name; }, between);
}

std::string argument_table(const LibrarySource& source) {
  const auto line = [](const Argument& one) {
    std::string about = one.pointer ? word(one.access) : "value";
    if (!one.type.row().is_named_so()) about = one.type.word() + ", " + about;
    if (one.pointer && !one.count.empty()) about += ", " + one.count.text() + " elements";
    return fmt::format(" *   {:<14} {:<15} {}\n", one.name, declared_type(one), remark(about));
  };
  std::string text = of_given(source, line, "");
  if (const auto fixed = constants(source.kernel); !fixed.empty())
    text += fmt::format(" *\n * Constants here, since kernel.json gives them no parameter: {}\n",
                        remark(joined(fixed)));
  return text;
}

std::string promise_lines(const LibrarySource& source) {
  const auto all = promises(source);
  if (all.empty()) return {};
  std::string text =
      "/* What the arguments do not tell and some variants need: give those that hold to " +
      library_name(source) +
      "_prepare, by\n * their names; another export numbers them otherwise, or needs none of one. "
      "*/\n";
  for (const size_t i : indices(all))
    text += fmt::format("/* {}: else {} */\n#define {} {}u\n", remark(all[i].expression),
                        remark(all[i].reason), promise_name(source, i), size_t{1} << i);
  return text + '\n';
}

unsigned promise_bits(const LibrarySource& source, const LibraryVariant& variant) {
  const auto all = promises(source);
  unsigned bits = 0;
  for (const size_t i : indices(all))
    if (holds(variant.conditions, all[i])) bits |= 1U << i;
  return bits;
}

std::string team_text(const LibraryVariant& variant) {
  const Team& team = variant.settings.team;
  const bool all = variant.threads == 0 || team.threads >= variant.threads;
  return fmt::format("{{{}, {}, omp_sched_{}, {}}}", all ? 0 : team.threads, !team.schedule.empty(),
                     team.schedule.empty() ? "static" : team.schedule, team.chunk);
}

/// The arguments of a call of the kernel's function.
std::string call_arguments(const LibrarySource& source, const LibraryVariant& variant) {
  Texts parts;
  for (const size_t i : indices(source.kernel.arguments)) {
    const Argument& one = source.kernel.arguments[i];
    const bool is_own = is_given(source, one);
    std::string given =
        is_own ? "arguments_." + one.name : scalar_text(variant.settings.scalars[i]);
    if (is_own && passed_by_address(one))
      given = fmt::format("*static_cast<const {}*>({})", one.type.cpp(), given);
    parts.push_back(passed(one, given));
  }
  return joined(parts);
}

/// Locals of the scalar arguments.
std::string scalar_lines(const LibrarySource& source, const char* from) {
  const auto local = [&](const Argument& one) {
    return one.pointer
               ? ""
               : fmt::format("  [[maybe_unused]] const auto {0} = {1}.{0};\n", one.name, from);
  };
  return of_given(source, local, "");
}

/// The conditions of a variant as far as arguments and facts decide them.
std::string fits_text(const LibrarySource& source, const LibraryVariant& variant) {
  std::string text = "true";
  for (const Condition& condition : variant.conditions)
    if (!condition.check.empty()) text += " && " + condition.check;
  return scalar_lines(source, "arguments_") + "  return " + text + ";\n";
}

/// Facts about the problem that a variant was timed with: what an inspector finds, and the sizes.
std::string timed_facts(const LibrarySource& source, const LibraryVariant& variant) {
  Texts all;
  for (const double fact : variant.inspected) all.push_back(fmt::format("{:.17g}", fact));
  for (const size_t i : indices(source.kernel.arguments))
    if (is_size(source, source.kernel.arguments[i]))
      all.push_back(scalar_text(variant.settings.scalars[i]));
  return all.empty() ? "0" : joined(all);
}

/// Addresses of its objects, one for each set of instructions.
std::string listed(const LibraryVariant& variant, bool cuda) {
  if (cuda) return fmt::format("&{},", variant.name);
  std::string levels;
  for (const Level& level : levels_of(variant))
    levels += fmt::format("\n    &{}::{},", level.name, variant.name);
  return fmt::format("\n#ifdef TUNED_LEVELS{}\n#else\n    &any::{},\n#endif\n", levels,
                     variant.name);
}

/// Statements that put own arrays in place of those that are written, and of those that are read
/// but not there yet.
std::string scratch_text(const LibrarySource& source) {
  std::string lines = scalar_lines(source, "all");
  for (const Argument& one : source.kernel.arguments) {
    const bool is_read = one.access == Argument::Access::read;
    if (!one.pointer || (is_read && is_held(source, one))) continue;
    const std::string count = one.count.empty() ? "" : in_cpp(one.count, source.kernel);
    const std::string when = is_read ? fmt::format("  if (!all.{}) ", one.name) : "  ";
    lines +=
        when + (count.empty()
                    ? "return false;\n"
                    : fmt::format("all.{0} = static_cast<decltype(all.{0})>(scratch.of(all.{0}, "
                                  "{1} * {2}, {3}));\n",
                                  one.name, count, one.type.size(),
                                  one.access == Argument::Access::update));
  }
  return lines + "  return true;\n";
}

/// The kernel has one state for each prepared problem.
bool keeps_states(const LibrarySource& source) {
  const auto headers = build::included_files(source.backend.source, variant_include_directory());
  return std::ranges::any_of(headers, [](const auto& one) { return one.filename() == "kept.h"; });
}

}  // namespace

std::string upper(std::string text) {
  for (char& c : text) c = char(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string of_given(const LibrarySource& source,
                     const std::function<std::string(const Argument&)>& text,
                     const std::string& between) {
  Texts parts;
  for (const Argument& one : source.kernel.arguments)
    if (is_given(source, one)) parts.push_back(text(one));
  return joined(parts, between);
}

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

std::string filled(const LibrarySource& source, const std::string& name, Fillings fillings) {
  const Backend& backend = source.backend;
  const auto flag = [](bool holds) { return holds ? "yes" : ""; };
  const bool cuda = backend.needs_gpu_compiler(), kokkos = backend.needs_kokkos();
  fillings.merge(Fillings{{"TITLE", remark(source.kernel.title)},
                          {"ENVIRONMENT", variant_variable(source)},
                          {"DECLARED", declared(source)},
                          {"NAMES", of_given(source, [](const Argument& one) { return one.name; })},
                          {"CUDA", flag(cuda)},
                          {"KOKKOS", flag(kokkos)},
                          {"HOST", flag(!cuda && !kokkos)},
                          {"PREPARES", flag(backend.prepare)},
                          {"DEVICE_ARRAYS", flag(backend.device_arrays)},
                          {"UPPER", upper(library_name(source))},
                          {"KERNEL_SPDX", has_own_licence(source) ? "LicenseRef-kernel" : "MIT-0"},
                          {"MAJOR", "1"},
                          {"MINOR", "2"},
                          {"NAME", library_name(source)}});
  return filled_template("library/" + name, fillings);
}

std::string library_name(const LibrarySource& source) {
  if (!source.name.empty()) return source.name;
  const std::string name = "tuned_" + identifier(source.kernel.name);
  // An application may link the library for the CPU beside it.
  const bool host = backend_row(source.backend.name).builder == Builder::host_compiler;
  return host ? name : name + "_" + identifier(source.backend.name);
}

bool has_own_licence(const LibrarySource& source) {
  const auto kernels = fs::weakly_canonical(home() / "kernels");
  return fs::exists(source.kernel.folder / "LICENSE") ||
         fs::weakly_canonical(source.kernel.folder).parent_path() != kernels;
}

std::string variant_variable(const LibrarySource& source) {
  return upper(library_name(source)) + "_VARIANT";
}

bool is_given(const LibrarySource& source, const Argument& argument) {
  if (argument.pointer) return true;
  if (argument.is_constant()) return false;
  const Configuration& knobs = source.variants.back().configuration;
  return std::ranges::none_of(argument.value.names(),
                              [&](const auto& name) { return knobs.has(name); });
}

std::vector<Condition> promises(const LibrarySource& source) {
  std::vector<Condition> all;
  for (const LibraryVariant& variant : source.variants)
    for (const Condition& condition : variant.conditions)
      if (condition.check.empty() && !holds(all, condition)) all.push_back(condition);
  if (all.size() > 31)
    throw Error("the variants need more than 31 promises of the application", source.kernel.name,
                "export fewer studies at once: --study ID");
  return all;
}

std::string promise_name(const LibrarySource& source, size_t promise) {
  // Fortran's names have 63 letters; a number may follow.
  constexpr size_t longest = 60;
  const auto all = promises(source);
  const auto name = [&](size_t i) {
    // A fact that holds: "symmetric > 0".
    const std::string& text = all[i].expression;
    const bool fact = text.ends_with(" > 0");
    const std::string word = identifier(fact ? text.substr(0, text.size() - 4) : text);
    return upper(library_name(source) + "_promise_" + word).substr(0, longest);
  };
  for (size_t i = 0; i < promise; ++i)
    if (name(i) == name(promise)) return fmt::format("{}_{}", name(promise), promise + 1);
  return name(promise);
}

std::string header_text(const LibrarySource& source) {
  std::string variants = " * Variants:\n";
  for (const LibraryVariant& one : source.variants)
    variants += fmt::format(" *   {:<9} {}\n", one.name, remark(one.about));
  const bool single = source.backend.prepare && !keeps_states(source);
  return filled(source, source.backend.needs_gpu_compiler() ? "cuda_header.h" : "header.h",
                {{"TABLE", argument_table(source)},
                 {"VARIANTS", variants},
                 {"PROMISES", promise_lines(source)},
                 {"TAKES", takes_text(source)},
                 {"FUNCTIONS", function_declarations(source)},
                 {"SINGLE", single ? ", or a problem is prepared already" : ""}});
}

std::string dispatch_text(const LibrarySource& source) {
  const bool cuda = source.backend.needs_gpu_compiler();
  std::string list, facts;
  for (const LibraryVariant& one : source.variants) list += listed(one, cuda);
  Texts names;
  for (const std::string& fact : source.kernel.inspected) names.push_back(literal(fact));
  if (!names.empty())
    facts = fmt::format("  inspector::{}_inspect({}, facts);\n", source.kernel.function,
                        call_arguments(source, source.variants.back()));
  for (const Argument& one : source.kernel.arguments) {
    if (!is_size(source, one)) continue;
    facts += fmt::format("  facts[{}] = double(arguments_.{});\n", names.size(), one.name);
    names.push_back(literal(one.name));
  }
  Amalgamation inspector;
  if (!source.kernel.inspected.empty())
    inspector = amalgamated(source.kernel.inspector, variant_include_directory(), {});
  const Placement& placement = source.variants.front().settings.placement;
  return filled(source, source.backend.needs_gpu_compiler() ? "cuda_dispatch.cpp" : "dispatch.cpp",
                {{"LIST", list},
                 {"COUNT", std::to_string(source.variants.size())},
                 {"INCLUDES", inspector.includes()},
                 {"INSPECTOR", inspector.text.empty()
                                   ? ""
                                   : "\nnamespace {\nnamespace inspector {\n\n" + inspector.text +
                                         "\n}  // namespace inspector\n}  // namespace\n\n"},
                 {"SCRATCH", cuda ? "" : scratch_text(source)},
                 {"FUNCTIONS", function_definitions(source)},
                 {"FACTS", facts},
                 {"FACT_ROOM", std::to_string(std::max<size_t>(1, names.size()))},
                 {"FACT_NAMES", names.empty() ? "nullptr" : joined(names)},
                 {"FACT_COUNT", std::to_string(names.size())},
                 {"OFFSET", std::to_string(placement.offset)},
                 {"HUGE", placement.huge_pages ? "true" : "false"}});
}

std::string variant_text(const LibrarySource& source, const LibraryVariant& variant) {
  const bool cuda = source.backend.needs_gpu_compiler();
  const bool kokkos = source.backend.needs_kokkos();
  const Side side = cuda ? Side::launching : kokkos ? Side::kokkos : Side::host;
  const Amalgamation code =
      amalgamated(source.backend.source, variant_include_directory(), variant.macros, side);
  const std::string space = library_name(source) + "_library_" + variant.name;
  const std::string inside = cuda ? space : "kernel";
  std::string calls;
  const auto call = [&](const char* function, const char* suffix) {
    calls += fmt::format(
        "void {}([[maybe_unused]] const Arguments& arguments_) {{\n{}  {}::{}{}({});\n}}\n",
        function, kokkos ? "  " + inside + "::rooftune::start_kokkos();\n" : "", inside,
        source.kernel.function, suffix, call_arguments(source, variant));
  };
  call("run", "");
  if (source.backend.prepare) call("prepare", "_prepare");
  if (source.backend.finish) call("finish", "_finish");
  const bool timed = variant.threads > 0;
  const std::string kept = "kernel::rooftune::kept_state";
  Fillings fillings = cuda ? cuda_fillings(source, variant) : Fillings();
  fillings.merge(Fillings{
      {"DIFFERENCE",
       remark(difference_text(variant.configuration, source.variants.back().configuration))},
      {"INCLUDES", code.includes()},
      {"CODE", code.text},
      {"LEVEL", std::to_string(levels_of(variant).front().bits)},
      {"FITS", fits_text(source, variant)},
      {"CALLS", calls},
      {"STATES", keeps_states(source) ? fmt::format("{{{0}.make, {0}.destroy, {0}.use}}", kept)
                                      : "{nullptr, nullptr, nullptr}"},
      {"FACTS", timed ? "const double facts[] = {" + timed_facts(source, variant) + "};\n" : ""},
      {"FACTS_NAME", timed ? "facts" : "nullptr"},
      {"THREADS", std::to_string(variant.threads)},
      {"PROMISES", std::to_string(promise_bits(source, variant))},
      {"TEAM", team_text(variant)},
      {"FUNCTIONS", function_addresses(source)},
      {"PREPARE", source.backend.prepare ? "prepare" : "nullptr"},
      {"FINISH", source.backend.finish ? "finish" : "nullptr"},
      {"SPACE", space},
      {"VARIANT", variant.name},
      {"ABOUT", remark(variant.about)}});
  return filled(source, cuda ? "cuda_variant.cpp" : "variant.cpp", fillings);
}

}  // namespace rooftune::exports
