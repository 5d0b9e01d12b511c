// The texts in a kernel folder, laid out as a person would.
#include <fmt/format.h>

#include <algorithm>

#include "build/host_compiler.h"
#include "core/json.h"
#include "os/paths.h"
#include "scaffold/sketch.h"

namespace rooftune::scaffold {
namespace {

std::string quoted(const std::string& text) { return Json(text).dump(); }

/// The bounds of a random fill; low = high: zeros.
std::pair<int, int> range_of(ElementType type) {
  if (type.is_rounded()) return {0, 1};
  if (type.is(ElementRow::Family::truth)) return {0, 2};
  if (type.size() > 1 || !type.is_integer()) return {0, 0};
  return type.is(ElementRow::Family::natural) ? std::pair(0, 256) : std::pair(-128, 128);
}

/// Where an array that a call reads gets its contents.
std::string contents_text(const SketchArgument& one, const std::string& indexed_count, int seed) {
  using Kind = Contents::Kind;
  if (!one.file.empty()) return ", \"file\": " + quoted(data_file(one, false).string());
  const auto [low, high] =
      one.contents.kind == Kind::lengths ? std::pair(1, most_passes + 1) : range_of(one.type);
  std::string fill =
      fmt::format(R"("uniform", "low": {}, "high": {}, "seed": {})", low, high, seed);
  if (one.contents.kind == Kind::indices)
    fill = fmt::format(R"("permutation", "of": {}, "seed": {})", quoted(indexed_count), seed);
  else if (one.contents.kind == Kind::offsets)
    fill = fmt::format(R"("index", "of": {})", quoted(indexed_count));
  else if (low == high)
    return {};
  return fmt::format(",\n     \"fill\": {{\"kind\": {}}}", fill);
}

/// A formula for the bytes read or written, each byte once.
std::string bytes_text(const Sketch& sketch, bool read, bool written) {
  std::string sum;
  for (const SketchArgument& one : sketch.arguments) {
    if (!one.array) continue;
    const bool counts = (read && one.access != Argument::Access::write) ||
                        (written && one.access != Argument::Access::read);
    if (counts) join(sum, fmt::format("{}*({})", one.type.size(), one.count), " + ");
  }
  return quoted(sum.empty() ? "0" : sum);
}

std::string manifest_text(const Sketch& sketch) {
  double relative = 0;  // the tolerance for the shortest numbers
  int seed = 0;
  Fillings all{{"NAME", sketch.name},
               {"TITLE", quoted(sketch.origin)},
               {"FUNCTION", sketch.function},
               {"READ", bytes_text(sketch, true, false)},
               {"WRITE", bytes_text(sketch, false, true)},
               {"FOOTPRINT", bytes_text(sketch, true, true)},
               {"REFERENCE", sketch.reference.empty() ? "" : "yes"},
               {"EXTENSION", sketch.extension}};
  for (const SketchArgument& one : sketch.arguments) {
    relative = std::max(relative, one.type.row().relative);
    Fillings row{{"ARGUMENT", one.name}, {"TYPE", one.type.word()}};
    if (one.array) {
      const auto* indexed = first_with(sketch.arguments, &SketchArgument::name, one.contents.of);
      const std::string contents = contents_text(one, indexed ? indexed->count : one.count, ++seed);
      row.merge(Fillings{
          {"COUNT", quoted(one.count)},
          {"ACCESS", word(one.access)},
          {"CONTENTS", one.access == Argument::Access::write && one.file.empty() ? "" : contents},
          {"RESULT",
           one.result.empty() ? "" : ", \"result\": " + quoted(data_file(one, true).string())}});
    } else {
      row.merge(
          Fillings{{"REAL", one.type.is_rounded() ? "real" : "integer"}, {"VALUE", one.value}});
      add_json_row(all.lists["PARAMETERS"], row);
    }
    add_json_row(all.lists["ARGUMENTS"], row);
  }
  if (relative > 0) all["TOLERANCE"] = fmt::format("{:g}", relative);
  return filled_template("library/kernel.json", all);
}

std::string space_text(const Sketch& sketch) {
  const auto flag = [](bool wanted) { return wanted ? "yes" : ""; };
  Integers collapse;
  for (int loops = 1; loops <= sketch.knobs.collapse; ++loops) collapse.push_back(loops);
  return filled_template(
      "library/space.json",
      {{"NAME", sketch.name},
       {"THREADS", flag(sketch.knobs.parallel)},
       {"SCHEDULE", flag(sketch.knobs.schedule)},
       {"FIRST", sketch.knobs.first_schedule},
       {"COLLAPSE", sketch.knobs.collapse > 1 ? fmt::format("{}", fmt::join(collapse, ", ")) : ""},
       {"SIMD", flag(sketch.knobs.simd)},
       {"UNROLL", flag(sketch.knobs.unroll)},
       {"CHOICE",
        flag(build::language_of("openmp" + sketch.extension) != build::Language::fortran)}});
}

}  // namespace

fs::path data_file(const SketchArgument& argument, bool result) {
  return fs::path("data") / (argument.name + (result ? ".result.npy" : ".npy"));
}

FileTexts files_of(const Sketch& sketch) {
  FileTexts files{{"kernel.json", manifest_text(sketch)},
                  {"openmp" + sketch.extension, sketch.variant},
                  {sketch.name + ".openmp.json", space_text(sketch)}};
  if (!sketch.reference.empty()) files["reference" + sketch.extension] = sketch.reference;
  return files;
}

}  // namespace rooftune::scaffold
