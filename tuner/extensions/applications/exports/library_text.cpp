// What an exported library asks applications to promise; its header, variants and dispatch.
#include <fmt/format.h>

#include <algorithm>

#include "build/includes.h"
#include "core/list.h"
#include "core/text.h"
#include "exports/library.h"
#include "os/paths.h"

namespace rooftune::exports {
namespace {

/// A C name from the kernel's name: other characters become _.
std::string identifier(std::string text) {
  for (char& c : text)
    if (!is_identifier_char(c)) c = '_';
  return text;
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

/// The arguments in a call to the kernel's function.
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

/// A variant's conditions, as far as arguments and facts decide them.
std::string fits_text(const LibraryVariant& variant) {
  std::string text = "true";
  for (const Condition& condition : variant.conditions)
    if (!condition.check.empty()) text += " && " + condition.check;
  return text;
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

/// Whether the kernel keeps a state for each prepared problem.
bool keeps_states(const Library& library) {
  const auto headers = build::included_files(library.backend.source, variant_include_directory());
  return any_of(headers, [](const auto& one) { return one.filename() == "kept.h"; });
}

}  // namespace

void Library::add_lists(Fillings& all) const {
  auto& lists = all.lists;
  Texts declared, names, dummies, facts = members(kernel.inspected, literal);
  for (const Argument& one : kernel.arguments) {
    if (!is_size(one)) continue;
    lists["SIZES"].push_back({{"ARGUMENT", one.name}, {"PLACE", std::to_string(facts.size())}});
    facts.push_back(literal(one.name));
  }
  lists["ARGUMENTS"] = argument_rows();
  for (const Fillings& one : lists["ARGUMENTS"]) {
    lists[one.contains("ARRAY") ? "ARRAYS" : "SCALARS"].push_back(one);
    names.push_back(one.at("ARGUMENT"));
    declared.push_back(one.at("DECLARATION"));
    dummies.push_back(one.at("DUMMY"));
  }
  lists["PROMISES"] = promise_rows();
  lists["VARIANTS"] = variant_rows();
  lists["FUNCTIONS"] = function_rows();
  for (const auto& [first, second] : kernel.swap)
    lists["PAIRS"].push_back(
        {{"ONE", kernel.arguments[first].name}, {"OTHER", kernel.arguments[second].name}});
  all.merge(Fillings{{"DECLARED", joined(declared)},
                     {"NAMES", joined(names)},
                     {"DUMMIES", joined(dummies, ", &\n        ")},
                     {"FACT_NAMES", facts.empty() ? "nullptr" : joined(facts)},
                     {"FACT_COUNT", std::to_string(facts.size())},
                     {"FACT_ROOM", std::to_string(std::max<size_t>(1, facts.size()))}});
}

std::string Library::filled(const std::string& file, Fillings fillings) const {
  const auto flag = [](bool holds) { return holds ? "yes" : ""; };
  const bool cuda = backend.needs_gpu_compiler(), kokkos = backend.needs_kokkos(),
             keeps = keeps_states(*this);
  add_lists(fillings);
  fillings.merge(
      Fillings{{"TITLE", remark(kernel.title)},
               {"ENVIRONMENT", variant_variable()},
               {"KEEPS", flag(keeps)},
               {"SINGLE", backend.prepare && !keeps ? ", or a problem is prepared already" : ""},
               {"KERNEL", kernel.function},
               {"BASELINE", variants.back().name},
               {"CUDA", flag(cuda)},
               {"KOKKOS", flag(kokkos)},
               {"HOST", flag(!cuda && !kokkos)},
               {"PREPARES", flag(backend.prepare)},
               {"FINISHES", flag(backend.finish)},
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
  // An application may also link the library for the CPU, so the names differ.
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
  return none_of(argument.value.names(), [&](const auto& one) { return knobs.has(one); });
}

Conditions Library::promises() const {
  Conditions all;
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
    // Only the fact's name where the fact must hold: "symmetric > 0".
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
  return filled(backend.needs_gpu_compiler() ? "cuda_header.h" : "header.h",
                {{"CONSTANTS", remark(joined(constants(kernel)))}, {"TAKES", takes_text()}});
}

std::string Library::dispatch_text() const {
  Amalgamation inspector;
  if (!kernel.inspected.empty())
    inspector = amalgamated(kernel.inspector, variant_include_directory(), {});
  const Placement& placement = variants.front().settings.placement;
  return filled(backend.needs_gpu_compiler() ? "cuda_dispatch.cpp" : "dispatch.cpp",
                {{"COUNT", std::to_string(variants.size())},
                 {"INCLUDES", inspector.includes()},
                 {"INSPECTOR", inspector.text},
                 {"CALL", call_arguments(*this, variants.back())},
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
  Fillings fillings = cuda ? cuda_fillings(variant) : Fillings();
  fillings.merge(Fillings{
      {"DIFFERENCE", remark(difference_text(variant.configuration, variants.back().configuration))},
      {"INCLUDES", code.includes()},
      {"CODE", code.text},
      {"LEVEL", std::to_string(levels_of(variant).front().bits)},
      {"FITS", fits_text(variant)},
      {"CALL", call_arguments(*this, variant)},
      {"FACTS", variant.threads > 0 ? timed_facts(*this, variant) : ""},
      {"THREADS", std::to_string(variant.threads)},
      {"PROMISES", std::to_string(promise_bits(*this, variant))},
      {"TEAM", team_text(variant)},
      {"SPACE", space},
      {"VARIANT", variant.name},
      {"ABOUT", remark(variant.about)}});
  return filled(cuda ? "cuda_variant.cpp" : "variant.cpp", fillings);
}

}  // namespace rooftune::exports
