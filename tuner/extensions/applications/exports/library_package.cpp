// Files around the code of a library: build, installation, test and description; and parts of
// libraries of CUDA kernels only: source for NVRTC, its options, arrays for the launching half.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "build/includes.h"
#include "core/file.h"
#include "core/json.h"
#include "core/list.h"
#include "exports/library.h"
#include "os/paths.h"
#include "report/exporter.h"
#include "run/array_contents.h"
#include "run/array_set.h"
#include "run/comparison.h"

namespace rooftune::exports {
namespace {

Texts options_of(const Library& library, const LibraryVariant& variant) {
  // As a study compiles them: the launching half of CUDA kernels has no loop to optimise.
  Texts options{library.backend.needs_gpu_compiler() ? "-O1" : "-O3"};
  append(options, variant.flags);
  return options;
}

/// As they were when the variant was timed, without the card's architecture and the standard: the
/// latter is the newest known to the NVRTC there.
std::string nvrtc_options(const LibraryVariant& variant) {
  Texts options{literal("--device-as-default-execution-space")};
  for (const std::string& option : variant.kernel_options) options.push_back(literal(option));
  return joined(options);
}

std::string number(const Value& value) {
  return value.is_real() ? fmt::format("{:.17g}", value.real()) : to_text(value);
}

/// An element of the test's arrays: vectors of bool are none.
std::string stored(const Argument& one) {
  return one.type.element() == Element::boolean ? "rooftune_library::Truth"
                                                : library_type(one.type);
}

/// An array of the test: from the problem, or filled.
std::string test_array(const Slot& slot) {
  const Argument& one = slot.argument;
  const std::string element = stored(one), type = fmt::format("std::vector<{}>", element);
  if (one.from_problem)
    return fmt::format("  {} {} = problem.taken<{}>(\"{}\");\n", type, one.name, element, one.name);
  if (!one.file.empty())
    return fmt::format("  {} {} = rooftune_library::contents<{}>({}, {}, {});\n", type, one.name,
                       element, literal(one.file.string()), ArrayContents(one.file, slot).offset(),
                       slot.count);
  if (one.type.element() == Element::bytes)
    return fmt::format("  {} {}({});\n", type, one.name, slot.count);
  if (one.access != Argument::Access::write && one.fill.kind == Fill::Kind::uniform)
    return fmt::format("  {} {} = rooftune_library::uniform<{}>({}, {:.17g}, {:.17g}, {});\n", type,
                       one.name, element, slot.count, one.fill.low, one.fill.high,
                       one.fill.seed % 4294967296U);
  const Fill& fill = one.fill;
  std::string value = fmt::format("{:.17g}", fill.kind == Fill::Kind::constant ? fill.value : 0);
  if (fill.kind == Fill::Kind::index)
    value = fmt::format("{:.17g} + {:.17g} * i", fill.offset, fill.scale);
  if (fill.kind == Fill::Kind::permutation)
    value = fmt::format(
        "double(({}U + static_cast<std::uint64_t>(i)) % {:.0f}U * {:.0f}U % {:.0f}U)",
        fill.seed % 4294967296U, std::max(fill.high, 1.0), fill.scale, std::max(fill.high, 1.0));
  if (fill.kind == Fill::Kind::sine)
    value = fmt::format("{:.17g} + {:.17g} * std::sin(6.283185307179586 * {:.17g} * i / n)",
                        fill.offset, fill.scale, fill.waves);
  return fmt::format(
      "  {} {} = rooftune_library::made<{}>({}, []([[maybe_unused]] double i, "
      "[[maybe_unused]] double n) {{ return {}; }});\n",
      type, one.name, element, slot.count, value);
}

/// For the kernel's function and the library's alike.
std::string start_of(const Argument& one, const std::string& vector) {
  const bool is_plain = one.type.row().is_named_so() && one.type.element() != Element::boolean;
  return is_plain ? vector + ".data()"
                  : fmt::format("rooftune_library::AnyArray<{}, {}>{{{}.data()}}", one.type.size(),
                                one.access != Argument::Access::read, vector);
}

/// The files needed by the test: of parameters and of arrays.
Texts files_of(const Library& library) {
  Texts files;
  for (const Parameter& parameter : library.kernel.parameters) {
    const auto* chosen = value_at(library.problem, parameter.name);
    if (parameter.type == Parameter::Type::file && chosen && !chosen->text().empty())
      files.push_back(chosen->text());
  }
  for (const Argument& argument : library.kernel.arguments)
    if (!argument.file.empty()) files.push_back(argument.file.string());
  return files;
}

std::string problem_lines(const Library& library) {
  std::string text;
  for (const std::string& file : files_of(library))
    text += fmt::format("  if (!rooftune_library::is_there({})) return 77;\n", literal(file));
  if (!library.kernel.problem) return text;
  Texts parameters;
  for (const auto& [name, value] : library.problem)
    parameters.push_back(fmt::format("{{{}, {}}}", literal(name), literal(number(value))));
  return text + fmt::format(
                    "  rooftune_library::TestProblem<test_problem::rooftune::Problem> problem(\n   "
                    "   {{{}}});\n  test_problem::problem(problem);\n",
                    joined(parameters, ", "));
}

/// Words of arguments with those exchanged that change roles.
Texts exchanged_words(const Library& library, Texts all) {
  for (const auto& [first, second] : library.kernel.swap) std::swap(all[first], all[second]);
  return all;
}

/// Fills the expected arrays: by the reference, or without one by the untuned form. On a card the
/// latter is the library's own.
std::string reference_calls(const Library& library, const Texts& all) {
  const bool own = !library.kernel.reference.empty();
  if (!own && library.backend.needs_gpu_compiler()) return {};
  const auto exchanged = exchanged_words(library, all);
  std::string calls;
  const auto call = [&](const char* suffix, const Texts& words) {
    calls += fmt::format("  test_reference::{}{}({});\n", library.kernel.function, suffix,
                         joined(words, ", "));
  };
  const bool swaps = !library.kernel.swap.empty();
  if (!own && library.backend.prepare) call("_prepare", all);
  call("", all);
  if (swaps) call("", exchanged);
  if (!own && library.backend.finish && swaps) call("_finish", exchanged);
  if (!own && library.backend.finish) call("_finish", all);
  return calls;
}

}  // namespace

Fillings Library::cuda_fillings(const LibraryVariant& variant) const {
  const auto mirrored = [](const Argument& one) {
    return one.pointer ? fmt::format("mirrors.of(arguments_.{}, {}, stream)", one.name,
                                     one.access != Argument::Access::read)
                       : "arguments_." + one.name;
  };
  return {{"OPTIONS", nvrtc_options(variant)},
          {"CAPABILITY", std::to_string(variant.capability)},
          {"MULTIPROCESSORS", std::to_string(variant.threads)},
          {"MIRRORED", of_given(mirrored, ",\n          ")},
          {"MIRRORED_NAME", backend.device_arrays ? "nullptr" : "mirrored"}};
}

std::string Library::cuda_kernels_text(const LibraryVariant& variant) const {
  const Amalgamation code =
      amalgamated(backend.source, variant_include_directory(), variant.macros, Side::kernels);
  return filled("cuda_kernels.cpp",
                {{"DIFFERENCE",
                  remark(difference_text(variant.configuration, variants.back().configuration))},
                 {"INCLUDES", code.includes()},
                 {"CODE", code.text},
                 {"VARIANT", variant.name}});
}

std::string Library::self_test_text() const {
  const LibraryVariant& plain = variants.back();
  const bool cuda = backend.needs_gpu_compiler();
  const bool own = !kernel.reference.empty();
  Amalgamation reference;
  if (own || !cuda)
    reference = amalgamated(own ? kernel.reference : backend.source, variant_include_directory(),
                            plain.macros);
  std::string problem_code;
  if (kernel.problem) {
    const Amalgamation made =
        amalgamated(*kernel.problem, variant_include_directory(), plain.macros);
    reference.system_headers.insert(made.system_headers.begin(), made.system_headers.end());
    problem_code = "namespace test_problem {\n\n" + made.text + "\n}  // namespace test_problem\n";
  }
  // Names in rooftune_library::Tolerance::Scale, in the order of Scaling.
  static constexpr const char* scales[] = {"element", "largest", "given"};
  Texts arguments, exchanged, expected, expected_given;
  Indices other_role(slots.size());
  std::iota(other_role.begin(), other_role.end(), size_t{0});
  for (const auto& [first, second] : kernel.swap) std::swap(other_role[first], other_role[second]);
  std::string arrays, places, comparisons, restored;
  for (const size_t i : indices(slots)) {
    const Slot& slot = slots[i];
    const Argument& one = slot.argument;
    if (!one.pointer) {
      std::string value = scalar_text(plain.settings.scalars[i]);
      expected.push_back(passed(one, value));
      if (!is_given(kernel.arguments[i])) continue;
      if (passed_by_address(one)) {
        arrays += fmt::format("  const {} {}({});\n", one.type.cpp(), one.name, value);
        value = "&" + one.name;
      }
      arguments.push_back(value);
      exchanged.push_back(value);
      expected_given.push_back(value);
      continue;
    }
    arrays += test_array(slot);
    const bool written = one.access != Argument::Access::read;
    const std::string other = written ? "expected_" + one.name : one.name;
    const std::string place = cuda ? "placed_" + one.name : one.name;
    places +=
        fmt::format("    rooftune_cuda_library::TestArray {}({}, on_card);\n", place, one.name);
    arguments.push_back(start_of(one, place));
    const Argument& turned = slots[other_role[i]].argument;
    exchanged.push_back(start_of(turned, turned.name));
    expected.push_back(start_of(one, other));
    expected_given.push_back(start_of(one, other));
    if (!written) continue;
    arrays += fmt::format("  auto {} = {};\n", other, one.name);
    if (!cuda) arrays += fmt::format("  const auto start_{0} = {0};\n", one.name);
    restored += fmt::format("    {0} = start_{0};\n", one.name);
    const Scaling scale = scaling(one.tolerance);
    comparisons += fmt::format(
        "  same = rooftune_library::equal(variant, \"{0}\", {5}, expected_{0},\n                  "
        "                {{{1:.17g}, {2:.17g}, rooftune_library::Tolerance::Scale::{3}, {6:.17g}, "
        "{7}}}, {4}) "
        "&& same;\n",
        one.name, one.tolerance.relative, one.tolerance.absolute, scales[size_t(scale)],
        scale == Scaling::by_array
            ? fmt::format("problem.taken<double>(\"{}\")", one.tolerance.scale)
            : "{}",
        cuda ? place + ".taken()" : one.name, one.tolerance.ulp * one.type.row().epsilon,
        one.tolerance.nan);
  }
  return filled(
      cuda ? "cuda_self_test.cpp" : "self_test.cpp",
      {{"INCLUDES", reference.includes()},
       {"PLACES", places},
       {"REFERENCE", reference.text},
       {"PROBLEM_CODE", problem_code},
       {"PROBLEM", problem_lines(*this)},
       {"ARRAYS", arrays},
       {"RESTORED", restored},
       {"ARGUMENTS", joined(arguments, ", ")},
       {"SECOND_STEP", kernel.swap.empty() ? ""
                                           : fmt::format("\n        || {}_run(prepared, {}) != 0",
                                                         library_name(), joined(exchanged, ", "))},
       {"CALLS", reference_calls(*this, expected)},
       {"GIVEN", joined(expected_given, ", ")},
       {"BASELINE", plain.name},
       {"COMPARISONS", comparisons},
       {"FIRST", variants.front().name}});
}

std::vector<Level> levels_of(const LibraryVariant& variant) {
  std::vector<Level> all{{"v4", 512}, {"v3", 256}, {"v2", 128}, {"any", 0}};
  if (variant.threads == 0) return all;
  std::erase_if(all, [&](const Level& one) { return one.bits > variant.simd_bits; });
  // Below v2 the untuned form runs.
  if (all.size() > 1) all.pop_back();
  return all;
}

std::string Library::build_text() const {
  Texts files, names;
  std::string options, levels;
  std::map<std::string, Texts> of_level;
  for (const LibraryVariant& one : variants) {
    names.push_back(one.name);
    files.push_back(fmt::format("src/{}.cpp", one.name));
    for (const Level& level : levels_of(one)) of_level[level.name].push_back(files.back());
    // Warnings are for the kernel's author; an application may make errors of them.
    options += fmt::format(
        "set_source_files_properties({} PROPERTIES COMPILE_OPTIONS \"{};-w;-Wno-psabi\")\n",
        files.back(), joined(options_of(*this, one), ";"));
    if (backend.needs_gpu_compiler()) files.push_back(fmt::format("src/{}_kernels.cpp", one.name));
  }
  std::vector<Level> narrowest_first = levels_of(variants.back());
  std::ranges::reverse(narrowest_first);
  for (const Level& level : narrowest_first)
    join(levels,
         fmt::format("  tuned_set({} {} \"{}\" {})", level.name, level.bits,
                     level.bits > 0 ? fmt::format("-march=x86-64-{}", level.name) : "",
                     joined(of_level[level.name], " ")),
         "\n");
  return filled("CMakeLists.txt", {{"FILES", joined(files, " ")},
                                   {"LEVELS", levels},
                                   {"OPTIONS", options},
                                   {"VARIANTS", joined(names, " ")}});
}

std::string Library::readme_text() const {
  std::string text = filled("README.md", {{"TITLE", kernel.title}});
  for (const LibraryVariant& one : variants) {
    text += fmt::format("## {}\n\n{}\n\n", one.name, one.about);
    text += fmt::format("- knobs: {}\n- compiler flags: `{}`\n",
                        difference_text(one.configuration, variants.back().configuration),
                        joined(options_of(*this, one), " "));
    if (!one.kernel_options.empty())
      text += fmt::format("- NVRTC's options: `{}`\n", joined(one.kernel_options, " "));
    for (const Condition& condition : one.conditions)
      text += fmt::format("- right only where `{}` (else {}){}\n", condition.expression,
                          condition.reason,
                          condition.check.empty() ? ": the application has to promise it" : "");
    for (const auto& [variable, value] : one.settings.environment)
      text += fmt::format("- timed with {}={}, which only the caller of the program can set\n",
                          variable, value);
    if (one.settings.team.threads > 0 && one.settings.team.threads < one.threads)
      text += fmt::format(
          "- takes {} of {} threads; right after a parallel loop of the application the others "
          "still spin,\n  which can cost it half its speed: compare with OMP_WAIT_POLICY=passive\n",
          one.settings.team.threads, one.threads);
    text += '\n';
  }
  return text;
}

std::string Library::licence_text() const {
  const auto own = kernel.folder / "LICENSE";
  std::string terms;
  if (fs::exists(own))
    terms = "the following licence holds (SPDX: LicenseRef-kernel).\n\n" + read_text(own);
  else if (has_own_licence())
    terms =
        "its author's terms hold (SPDX: LicenseRef-kernel): there is no LICENSE beside its "
        "kernel.json.\n";
  else
    terms = "which comes with Rooftune, the same licence holds.\n";
  return filled("LICENSE", {{"KERNEL", terms}});
}

std::string Library::provenance_text() const { return json_text(studies, 2) + '\n'; }

}  // namespace rooftune::exports
