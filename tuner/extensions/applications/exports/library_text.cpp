// What an exported library asks of applications; its header, variants and dispatch.
#include <fmt/format.h>

#include <algorithm>

#include "build/includes.h"
#include "core/list.h"
#include "core/text.h"
#include "exports/library.h"
#include "os/paths.h"

namespace rooftune::exports {
namespace {

/// A name of C from a kernel's: other characters become _.
std::string identifier(std::string text) {
  for (char& c : text)
    if (!is_identifier_char(c)) c = '_';
  return text;
}

std::string argument_table(const Library& library) {
  const auto line = [](const Argument& one) {
    std::string about = one.pointer ? word(one.access) : "value";
    if (!one.type.row().is_named_so()) about = one.type.word() + ", " + about;
    if (one.pointer && !one.count.empty()) about += ", " + one.count.text() + " elements";
    return fmt::format(" *   {:<14} {:<15} {}\n", one.name, declared_type(one), remark(about));
  };
  std::string text = library.of_given(line, "");
  if (const auto fixed = constants(library.kernel); !fixed.empty())
    text += fmt::format(" *\n * Constants here, since kernel.json gives them no parameter: {}\n",
                        remark(joined(fixed)));
  return text;
}

std::string promise_lines(const Library& library) {
  const auto all = library.promises();
  if (all.empty()) return {};
  std::string text =
      "/* What the arguments do not tell and some variants need: give those that hold to " +
      library.library_name() +
      "_prepare, by\n * their names; another export numbers them otherwise, or needs none of one. "
      "*/\n";
  for (const size_t i : indices(all))
    text += fmt::format("/* {}: else {} */\n#define {} {}u\n", remark(all[i].expression),
                        remark(all[i].reason), library.promise_name(i), size_t{1} << i);
  return text + '\n';
}

unsigned promise_bits(const Library& library, const LibraryVariant& variant) {
  const auto all = library.promises();
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
std::string call_arguments(const Library& library, const LibraryVariant& variant) {
  Texts parts;
  for (const size_t i : indices(library.kernel.arguments)) {
    const Argument& one = library.kernel.arguments[i];
    const bool is_own = library.is_given(one);
    std::string given =
        is_own ? "arguments_." + one.name : scalar_text(variant.settings.scalars[i]);
    if (is_own && passed_by_address(one))
      given = fmt::format("*static_cast<const {}*>({})", one.type.cpp(), given);
    parts.push_back(passed(one, given));
  }
  return joined(parts);
}

/// Locals of the scalar arguments.
std::string scalar_lines(const Library& library, const char* from) {
  const auto local = [&](const Argument& one) {
    return one.pointer
               ? ""
               : fmt::format("  [[maybe_unused]] const auto {0} = {1}.{0};\n", one.name, from);
  };
  return library.of_given(local, "");
}

/// The conditions of a variant as far as arguments and facts decide them.
std::string fits_text(const Library& library, const LibraryVariant& variant) {
  std::string text = "true";
  for (const Condition& condition : variant.conditions)
    if (!condition.check.empty()) text += " && " + condition.check;
  return scalar_lines(library, "arguments_") + "  return " + text + ";\n";
}

/// Facts about the problem that a variant was timed with: what an inspector finds, and the sizes.
std::string timed_facts(const Library& library, const LibraryVariant& variant) {
  Texts all;
  for (const double fact : variant.inspected) all.push_back(fmt::format("{:.17g}", fact));
  for (const size_t i : indices(library.kernel.arguments))
    if (library.is_size(library.kernel.arguments[i]))
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
std::string scratch_text(const Library& library) {
  std::string lines = scalar_lines(library, "all");
  for (const Argument& one : library.kernel.arguments) {
    const bool is_read = one.access == Argument::Access::read;
    if (!one.pointer || (is_read && library.is_held(one))) continue;
    const std::string count = one.count.empty() ? "" : in_cpp(one.count, library.kernel);
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
bool keeps_states(const Library& library) {
  const auto headers = build::included_files(library.backend.source, variant_include_directory());
  return std::ranges::any_of(headers, [](const auto& one) { return one.filename() == "kept.h"; });
}

}  // namespace

std::string Library::of_given(const std::function<std::string(const Argument&)>& text,
                              const std::string& between) const {
  Texts parts;
  for (const Argument& one : kernel.arguments)
    if (is_given(one)) parts.push_back(text(one));
  return joined(parts, between);
}

std::string Library::filled(const std::string& file, Fillings fillings) const {
  const auto flag = [](bool holds) { return holds ? "yes" : ""; };
  const bool cuda = backend.needs_gpu_compiler(), kokkos = backend.needs_kokkos();
  fillings.merge(Fillings{{"TITLE", remark(kernel.title)},
                          {"ENVIRONMENT", variant_variable()},
                          {"DECLARED", of_given(declaration)},
                          {"NAMES", of_given([](const Argument& one) { return one.name; })},
                          {"CUDA", flag(cuda)},
                          {"KOKKOS", flag(kokkos)},
                          {"HOST", flag(!cuda && !kokkos)},
                          {"PREPARES", flag(backend.prepare)},
                          {"DEVICE_ARRAYS", flag(backend.device_arrays)},
                          {"UPPER", macro_word(library_name())},
                          {"KERNEL_SPDX", has_own_licence() ? "LicenseRef-kernel" : "MIT-0"},
                          {"MAJOR", "1"},
                          {"MINOR", "2"},
                          {"NAME", library_name()}});
  return filled_template("library/" + file, fillings);
}

std::string Library::library_name() const {
  if (!name.empty()) return name;
  const std::string host_name = "tuned_" + identifier(kernel.name);
  // An application may link the library for the CPU beside it.
  const bool host = backend_row(backend.name).builder == Builder::host_compiler;
  return host ? host_name : host_name + "_" + identifier(backend.name);
}

bool Library::has_own_licence() const {
  const auto kernels = fs::weakly_canonical(home() / "kernels");
  return fs::exists(kernel.folder / "LICENSE") ||
         fs::weakly_canonical(kernel.folder).parent_path() != kernels;
}

std::string Library::variant_variable() const { return macro_word(library_name()) + "_VARIANT"; }

bool Library::is_given(const Argument& argument) const {
  if (argument.pointer) return true;
  if (argument.is_constant()) return false;
  const Configuration& knobs = variants.back().configuration;
  return std::ranges::none_of(argument.value.names(),
                              [&](const auto& one) { return knobs.has(one); });
}

std::vector<Condition> Library::promises() const {
  std::vector<Condition> all;
  for (const LibraryVariant& variant : variants)
    for (const Condition& condition : variant.conditions)
      if (condition.check.empty() && !holds(all, condition)) all.push_back(condition);
  if (all.size() > 31)
    throw Error("the variants need more than 31 promises of the application", kernel.name,
                "export fewer studies at once: --study ID");
  return all;
}

std::string Library::promise_name(size_t promise) const {
  // Fortran's names have 63 letters; a number may follow.
  constexpr size_t longest = 60;
  const auto all = promises();
  const auto word_of = [&](size_t i) {
    // A fact that holds: "symmetric > 0".
    const std::string& text = all[i].expression;
    const bool fact = text.ends_with(" > 0");
    const std::string word = identifier(fact ? text.substr(0, text.size() - 4) : text);
    return macro_word(library_name() + "_promise_" + word).substr(0, longest);
  };
  for (size_t i = 0; i < promise; ++i)
    if (word_of(i) == word_of(promise)) return fmt::format("{}_{}", word_of(promise), promise + 1);
  return word_of(promise);
}

std::string Library::header_text() const {
  std::string list = " * Variants:\n";
  for (const LibraryVariant& one : variants)
    list += fmt::format(" *   {:<9} {}\n", one.name, remark(one.about));
  const bool single = backend.prepare && !keeps_states(*this);
  return filled(backend.needs_gpu_compiler() ? "cuda_header.h" : "header.h",
                {{"TABLE", argument_table(*this)},
                 {"VARIANTS", list},
                 {"PROMISES", promise_lines(*this)},
                 {"TAKES", takes_text()},
                 {"FUNCTIONS", function_declarations()},
                 {"SINGLE", single ? ", or a problem is prepared already" : ""}});
}

std::string Library::dispatch_text() const {
  const bool cuda = backend.needs_gpu_compiler();
  std::string list, facts;
  for (const LibraryVariant& one : variants) list += listed(one, cuda);
  Texts names;
  for (const std::string& fact : kernel.inspected) names.push_back(literal(fact));
  if (!names.empty())
    facts = fmt::format("  inspector::{}_inspect({}, facts);\n", kernel.function,
                        call_arguments(*this, variants.back()));
  for (const Argument& one : kernel.arguments) {
    if (!is_size(one)) continue;
    facts += fmt::format("  facts[{}] = double(arguments_.{});\n", names.size(), one.name);
    names.push_back(literal(one.name));
  }
  Amalgamation inspector;
  if (!kernel.inspected.empty())
    inspector = amalgamated(kernel.inspector, variant_include_directory(), {});
  const Placement& placement = variants.front().settings.placement;
  return filled(backend.needs_gpu_compiler() ? "cuda_dispatch.cpp" : "dispatch.cpp",
                {{"LIST", list},
                 {"COUNT", std::to_string(variants.size())},
                 {"INCLUDES", inspector.includes()},
                 {"INSPECTOR", inspector.text.empty()
                                   ? ""
                                   : "\nnamespace {\nnamespace inspector {\n\n" + inspector.text +
                                         "\n}  // namespace inspector\n}  // namespace\n\n"},
                 {"SCRATCH", cuda ? "" : scratch_text(*this)},
                 {"FUNCTIONS", function_definitions()},
                 {"FACTS", facts},
                 {"FACT_ROOM", std::to_string(std::max<size_t>(1, names.size()))},
                 {"FACT_NAMES", names.empty() ? "nullptr" : joined(names)},
                 {"FACT_COUNT", std::to_string(names.size())},
                 {"OFFSET", std::to_string(placement.offset)},
                 {"HUGE", placement.huge_pages ? "true" : "false"}});
}

std::string Library::variant_text(const LibraryVariant& variant) const {
  const bool cuda = backend.needs_gpu_compiler();
  const bool kokkos = backend.needs_kokkos();
  const Side side = cuda ? Side::launching : kokkos ? Side::kokkos : Side::host;
  const Amalgamation code =
      amalgamated(backend.source, variant_include_directory(), variant.macros, side);
  const std::string space = library_name() + "_library_" + variant.name;
  const std::string inside = cuda ? space : "kernel";
  std::string calls;
  const auto call = [&](const char* function, const char* suffix) {
    calls += fmt::format(
        "void {}([[maybe_unused]] const Arguments& arguments_) {{\n{}  {}::{}{}({});\n}}\n",
        function, kokkos ? "  " + inside + "::rooftune::start_kokkos();\n" : "", inside,
        kernel.function, suffix, call_arguments(*this, variant));
  };
  call("run", "");
  if (backend.prepare) call("prepare", "_prepare");
  if (backend.finish) call("finish", "_finish");
  const bool timed = variant.threads > 0;
  const std::string kept = "kernel::rooftune::kept_state";
  Fillings fillings = cuda ? cuda_fillings(variant) : Fillings();
  fillings.merge(Fillings{
      {"DIFFERENCE", remark(difference_text(variant.configuration, variants.back().configuration))},
      {"INCLUDES", code.includes()},
      {"CODE", code.text},
      {"LEVEL", std::to_string(levels_of(variant).front().bits)},
      {"FITS", fits_text(*this, variant)},
      {"CALLS", calls},
      {"STATES", keeps_states(*this) ? fmt::format("{{{0}.make, {0}.destroy, {0}.use}}", kept)
                                     : "{nullptr, nullptr, nullptr}"},
      {"FACTS", timed ? "const double facts[] = {" + timed_facts(*this, variant) + "};\n" : ""},
      {"FACTS_NAME", timed ? "facts" : "nullptr"},
      {"THREADS", std::to_string(variant.threads)},
      {"PROMISES", std::to_string(promise_bits(*this, variant))},
      {"TEAM", team_text(variant)},
      {"FUNCTIONS", function_addresses()},
      {"PREPARE", backend.prepare ? "prepare" : "nullptr"},
      {"FINISH", backend.finish ? "finish" : "nullptr"},
      {"SPACE", space},
      {"VARIANT", variant.name},
      {"ABOUT", remark(variant.about)}});
  return filled(cuda ? "cuda_variant.cpp" : "variant.cpp", fillings);
}

}  // namespace rooftune::exports
