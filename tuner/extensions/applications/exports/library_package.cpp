// The files around a library's code: build, installation, test and description; and what only
// libraries with CUDA kernels have: source for NVRTC, its options, arrays for the launching half.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "build/includes.h"
#include "core/file.h"
#include "core/json.h"
#include "core/list.h"
#include "exports/library.h"
#include "os/paths.h"
#include "run/array_contents.h"
#include "run/array_set.h"
#include "run/comparison.h"

namespace rooftune::exports {
namespace {

/// The options that the variant was timed with, without the card's architecture and the standard:
/// the latter is the newest that the NVRTC there knows.
std::string nvrtc_options(const LibraryVariant& variant) {
  Texts options{literal("--device-as-default-execution-space")};
  for (const std::string& option : variant.kernel_options) options.push_back(literal(option));
  return joined(options);
}

std::string number(const Value& value) {
  return value.is_real() ? fmt::format("{:.17g}", value.real()) : to_text(value);
}

/// The element type of the test's arrays: a std::vector<bool> is no array.
std::string stored(const Argument& one) {
  return one.type.element() == Element::boolean ? "rooftune_library::Truth"
                                                : library_type(one.type);
}

/// How a test array begins: taken from the problem, read from a file, or filled.
std::string contents_of(const Slot& slot) {
  const Argument& one = slot.argument;
  const Fill& fill = one.fill;
  const std::string element = stored(one);
  if (one.from_problem) return fmt::format("problem.taken<{}>(\"{}\")", element, one.name);
  if (!one.file.empty())
    return fmt::format("rooftune_library::contents<{}>({}, {}, {})", element,
                       literal(one.file.string()), ArrayContents(one.file, slot).offset(),
                       slot.count);
  if (one.type.element() == Element::bytes)
    return fmt::format("std::vector<{}>({})", element, slot.count);
  if (one.access != Argument::Access::write && fill.kind == Fill::Kind::uniform)
    return fmt::format("rooftune_library::uniform<{}>({}, {:.17g}, {:.17g}, {})", element,
                       slot.count, fill.low, fill.high, fill.seed % 4294967296U);
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
      "rooftune_library::made<{}>({}, []([[maybe_unused]] double i, [[maybe_unused]] double n) {{ "
      "return {}; }})",
      element, slot.count, value);
}

/// A pointer that the kernel's function and the library's both take.
std::string start_of(const Argument& one, const std::string& vector) {
  const bool is_plain = one.type.row().is_named_so() && one.type.element() != Element::boolean;
  return is_plain ? vector + ".data()"
                  : fmt::format("rooftune_library::AnyArray<{}, {}>{{{}.data()}}", one.type.size(),
                                one.access != Argument::Access::read, vector);
}

/// The files that the test needs, for parameters and arrays.
Rows files_of(const Library& library) {
  Rows files;
  const auto add = [&](const std::string& file) { files.push_back({{"FILE", literal(file)}}); };
  for (const Parameter& parameter : library.kernel.parameters) {
    const auto* chosen = value_at(library.problem, parameter.name);
    if (parameter.type == Parameter::Type::file && chosen && !chosen->text().empty())
      add(chosen->text());
  }
  for (const Argument& argument : library.kernel.arguments)
    if (!argument.file.empty()) add(argument.file.string());
  return files;
}

/// The non-empty words in `all`, one for each argument, with pairs that change roles exchanged.
std::string exchanged(const Library& library, Texts all) {
  for (const auto& [first, second] : library.kernel.swap) std::swap(all[first], all[second]);
  std::erase(all, "");
  return joined(all);
}

}  // namespace

Fillings Library::cuda_fillings(const LibraryVariant& variant) const {
  return {{"OPTIONS", nvrtc_options(variant)},
          {"CAPABILITY", std::to_string(variant.capability)},
          {"MULTIPROCESSORS", std::to_string(variant.threads)}};
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

Rows Library::slot_rows() const {
  // Names in rooftune_library::Tolerance::Scale, ordered as in Scaling.
  static constexpr const char* scales[] = {"element", "largest", "given"};
  Rows all;
  for (const size_t i : indices(slots)) {
    const Argument& one = slots[i].argument;
    if (!one.pointer) {
      if (is_given(kernel.arguments[i]) && passed_by_address(one))
        all.push_back({{"ARGUMENT", one.name},
                       {"SCALAR", one.type.cpp()},
                       {"VALUE", scalar_text(variants.back().settings.scalars[i])}});
      continue;
    }
    const Tolerance& tolerance = one.tolerance;
    const Scaling scale = scaling(tolerance);
    all.push_back(
        {{"ARGUMENT", one.name},
         {"ELEMENT", stored(one)},
         {"CONTENTS", contents_of(slots[i])},
         {"WRITTEN", one.access == Argument::Access::read ? "" : "yes"},
         {"TOLERANCE",
          fmt::format("{:.17g}, {:.17g}, rooftune_library::Tolerance::Scale::{}, {:.17g}, {}",
                      tolerance.relative, tolerance.absolute, scales[size_t(scale)],
                      tolerance.ulp * one.type.row().epsilon, tolerance.nan)},
         {"SCALE", scale == Scaling::by_array
                       ? fmt::format("problem.taken<double>(\"{}\")", tolerance.scale)
                       : "{}"}});
  }
  return all;
}

std::string Library::self_test_text() const {
  const LibraryVariant& plain = variants.back();
  const bool cuda = backend.needs_gpu_compiler();
  const bool own = !kernel.reference.empty();
  Amalgamation reference, problem_code;
  if (own || !cuda)
    reference = amalgamated(own ? kernel.reference : backend.source, variant_include_directory(),
                            plain.macros);
  if (kernel.problem) {
    problem_code = amalgamated(*kernel.problem, variant_include_directory(), plain.macros);
    reference.system_headers.merge(problem_code.system_headers);
  }
  Texts arguments, expected, given, parameters;
  for (const size_t i : indices(slots)) {
    const Argument& one = slots[i].argument;
    if (one.pointer) {
      const bool written = one.access != Argument::Access::read;
      arguments.push_back(start_of(one, cuda ? "placed_" + one.name : one.name));
      expected.push_back(start_of(one, written ? "expected_" + one.name : one.name));
      given.push_back(expected.back());
      continue;
    }
    const std::string value = scalar_text(plain.settings.scalars[i]);
    expected.push_back(passed(one, value));
    arguments.push_back(!is_given(kernel.arguments[i]) ? ""
                        : passed_by_address(one)       ? "&" + one.name
                                                       : value);
    given.push_back(arguments.back());
  }
  for (const auto& [parameter, value] : problem)
    parameters.push_back(fmt::format("{{{}, {}}}", literal(parameter), literal(number(value))));
  const std::string last_arguments = exchanged(*this, arguments),
                    last_expected = exchanged(*this, expected);
  std::erase(arguments, "");
  std::erase(given, "");
  Fillings fillings{{"INCLUDES", reference.includes()}, {"REFERENCE", reference.text},
                    {"BORROWED", own ? "" : "yes"},     {"PROBLEM", problem_code.text},
                    {"PARAMETERS", joined(parameters)}, {"ARGUMENTS", joined(arguments)},
                    {"LAST_ARGUMENTS", last_arguments}, {"EXPECTED", joined(expected)},
                    {"LAST_EXPECTED", last_expected},   {"GIVEN", joined(given)},
                    {"FIRST", variants.front().name}};
  fillings.lists["SLOTS"] = slot_rows();
  fillings.lists["FILES"] = files_of(*this);
  return filled(cuda ? "cuda_self_test.cpp" : "self_test.cpp", std::move(fillings));
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
  ByName<Texts> of_level;
  for (const LibraryVariant& one : variants) {
    names.push_back(one.name);
    files.push_back(fmt::format("src/{}.cpp", one.name));
    for (const Level& level : levels_of(one)) of_level[level.name].push_back(files.back());
    if (backend.needs_gpu_compiler()) files.push_back(fmt::format("src/{}_kernels.cpp", one.name));
  }
  Fillings fillings{{"FILES", joined(files, " ")}, {"VARIANTS", joined(names, " ")}};
  std::vector<Level> narrowest_first = levels_of(variants.back());
  std::ranges::reverse(narrowest_first);
  for (const Level& level : narrowest_first)
    fillings.lists["SETS"].push_back(
        {{"LEVEL", level.name},
         {"BITS", std::to_string(level.bits)},
         {"MARCH", level.bits > 0 ? fmt::format("-march=x86-64-{}", level.name) : ""},
         {"OF_LEVEL", joined(of_level[level.name], " ")}});
  return filled("CMakeLists.txt", std::move(fillings));
}

std::string Library::readme_text() const { return filled("README.md", {{"TITLE", kernel.title}}); }

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
