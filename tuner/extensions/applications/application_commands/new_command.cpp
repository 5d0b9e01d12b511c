// tune new: a kernel folder from a function in a source, a captured call, or both.
#include <fmt/format.h>

#include "application_commands/extension.h"
#include "build/flags.h"
#include "cli/command_table.h"
#include "cli/options.h"
#include "core/file.h"
#include "core/list.h"
#include "kernel/manifest_reader.h"
#include "scaffold/sketch.h"

namespace rooftune::application_commands {
namespace {

using namespace scaffold;

struct NewOptions {
  std::string name;
  Texts from, problem;
  std::string flags;
  static void fields(auto& self, auto& visit) {
    visit.position("name", self.name, "Of the kernel and of its folder here")->required();
    ROOFTUNE_FIELD(
        from,
        {"Source and function, FILE:FUNCTION, or a folder that rooftune/capture.h wrote; one of "
         "each",
         "FROM"})
        ->required()
        ->allow_extra_args(false);
    visit("cxxflags", self.flags,
          {"Flags of the source's own build: \"-DTUNED -Iinclude\" (else those of a "
           "compile_commands.json beside it or above)",
           "FLAGS"});
    ROOFTUNE_FIELD(problem,
                   {"Values of scalar arguments: name=value[,...]; elements_of_ARRAY=FORMULA, "
                    "elements=FORMULA for all arrays of unknown size",
                    "K=V,..."})
        ->allow_extra_args(false);
  }
};

constexpr const char* from_hint =
    "--from solver.cpp:function, --from capture (a folder that rooftune/capture.h wrote), or both";

/// "solver.cpp:grid::step": the file ends at the first colon that stands alone.
SourceName source_name(const std::string& text) {
  size_t colon = text.find(':');
  while (colon != text.npos && text.substr(colon, 2) == "::") colon = text.find(':', colon + 2);
  if (colon == text.npos || colon + 1 == text.size())
    throw Error(fmt::format("\"{}\" names no function and is no folder", text), "--from",
                from_hint);
  const SourceName name{text.substr(0, colon), text.substr(colon + 1)};
  if (!fs::is_regular_file(name.file)) throw Error("there is no such file", name.file, from_hint);
  return name;
}

std::string about(const SketchArgument& one) {
  if (!one.array) return fmt::format("{}{}", one.value, one.guessed ? " (a guess)" : "");
  std::string text = fmt::format("{} element{}, {}", one.to_fill_in ? "?" : one.count,
                                 one.count == "1" ? "" : "s", word(one.access));
  if (!one.file.empty() || !one.result.empty()) text += ", captured";
  return text;
}

std::string filled_with(const Contents& one) {
  if (one.kind == Contents::Kind::indices)
    return "a permutation: its elements are indices of " + one.of;
  if (one.kind == Contents::Kind::offsets)
    return fmt::format("offsets at even distances: each pass begins at one{}",
                       one.of.empty() ? "" : " of " + one.of);
  return fmt::format("1 to {}: passes of a loop", most_passes);
}

/// Prints what was written, and what only the user knows.
void print(const Sketch& sketch) {
  fmt::print("./{}: {}\n", sketch.name, sketch.origin);
  for (const SketchArgument& one : sketch.arguments)
    fmt::print("  {:<12} {}{}: {}\n", one.name, one.type.word(), one.array ? "*" : "", about(one));
  for (const std::string& loop : sketch.knobs.loops) fmt::print("  loop at {}\n", loop);
  Texts guessed, open;
  for (const SketchArgument& one : sketch.arguments) {
    if (one.guessed) guessed.push_back(one.name);
    if (one.to_fill_in) open.push_back(one.count);
    if (one.contents.kind != Contents::Kind::values && one.file.empty())
      fmt::print("  {:<12} filled with {}\n", one.name, filled_with(one.contents));
  }
  if (!sketch.elsewhere.empty())
    fmt::print("look at: {} of other files: calls do nothing here\n", joined(sketch.elsewhere));
  if (!sketch.has_body) fmt::print("fill in: the body of the function, in openmp.cpp\n");
  if (!open.empty())
    fmt::print("fill in: {}, in kernel.json, or again with --problem '{}=FORMULA'\n", joined(open),
               open.size() > 1 ? "elements" : open.front());
  if (!guessed.empty())
    fmt::print("look at: the values of {} (\"default\" in kernel.json, or --problem)\n",
               joined(guessed));
  if (!sketch.knobs.parallel && sketch.has_body)
    fmt::print(
        "look at: no loop has a pragma of OpenMP: \"omp parallel for\" (Fortran: do) in front of "
        "one "
        "whose passes are independent gives it knobs for threads\n");
  fmt::print("next: tune check ./{0}, which counts the work; then tune --kernel ./{0}\n",
             sketch.name);
}

int new_command(const NewOptions& options) {
  if (!is_name(options.name))
    throw Error(fmt::format("\"{}\" is no name", options.name), "tune new",
                "letters, digits, _ and - only: it becomes a folder and part of file names");
  const fs::path folder = options.name;
  if (fs::exists(fs::symlink_status(folder)))
    throw Error("is there already", folder, "another name, or remove it");
  std::optional<Capture> capture;
  std::optional<SourceName> source;
  for (const std::string& from : options.from) {
    const bool is_capture = fs::is_directory(from);
    if (is_capture ? capture.has_value() : source.has_value())
      throw Error("a second one of its kind: " + from, "--from", from_hint);
    if (is_capture)
      capture = read_capture(from);
    else
      source = source_name(from);
  }
  if (source) source->flags = build::shell_words(options.flags, "--cxxflags");
  NamedTexts problem;
  for (const auto& [name, value] : problem_words(options.problem)) problem[name] = to_text(value);
  const Sketch sketch = sketch_of(options.name, capture, source, problem);
  for (const auto& [name, text] : files_of(sketch)) {
    make_folders(folder);
    write_atomically(folder / name, text);
  }
  for (const SketchArgument& one : sketch.arguments)
    for (const bool result : {false, true}) {
      const fs::path& from = result ? one.result : one.file;
      if (from.empty()) continue;
      make_folders(folder / "data");
      fs::copy_file(from, folder / data_file(one, result));
    }
  print(sketch);
  return 0;
}

void add_new(CLI::App& app, CommandLine& line) {
  add_command(app, line, "new",
              "Make a kernel folder of a function in a source, of a captured call, or of both",
              new_command);
}

}  // namespace

void add_applications() {
  extend_command_line(add_new);
  add_export_form({"library", "Plain C++ of the variants that won, to build and link (a folder)",
                   nullptr, export_library});
}

}  // namespace rooftune::application_commands
