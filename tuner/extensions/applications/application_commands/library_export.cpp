// tune export --format library: which variants a library holds.
#include <fmt/format.h>

#include <algorithm>

#include "application_commands/extension.h"
#include "cli/console.h"
#include "core/file.h"
#include "core/list.h"
#include "core/pattern.h"
#include "exports/kernel_library.h"
#include "report/exporter.h"
#include "report/figures.h"
#include "study/find_study.h"
#include "study/model.h"

namespace rooftune::application_commands {
namespace {

Json document_of(const ExportChoice& choice) {
  return parse_json(json_export(choice.result, flags_of(choice.study, choice.result)), "export");
}

/// A document without what tells a host from others of its kind.
Json published(Json document) {
  Json& identity = document["machine"]["identity"];
  for (const char* own : {"hostname", "kernel", "microcode", "driver"}) identity.erase(own);
  return document;
}

/// A problem's text without the user's folders.
std::string public_text(const Kernel& kernel, Facts problem) {
  for (const Parameter& one : kernel.parameters)
    if (auto* file = value_at(problem, one.name); one.type == Parameter::Type::file && file)
      *file = file_name(file->text());
  return facts_text(problem);
}

/// What the application has to promise for the variant.
Conditions promises_of(const LibraryVariant& variant) {
  Conditions all = variant.conditions;
  std::erase_if(all, [](const Condition& condition) { return !condition.is_promise(); });
  return all;
}

/// Whether `one` needs no promise that `other` does not need.
bool asks_no_more(const LibraryVariant& one, const LibraryVariant& other) {
  const Conditions known = promises_of(other), asked = promises_of(one);
  return all_of(asked, [&](const auto& promise) { return holds(known, promise); });
}

/// Adds the study's best, and then the fastest variants that need fewer promises from the
/// application, down to none: not every application can give them all.
void add_variants(const ExportChoice& choice, LibrarySource& source) {
  const StudyRecord& record = choice.study;
  const SearchSpace space = space_of(record);
  const size_t first = source.variants.size();
  const auto add = [&](const Configuration& configuration, const std::string& about) {
    LibraryVariant variant = library_variant(record, source, space, configuration);
    if (std::any_of(source.variants.begin() + ptrdiff_t(first), source.variants.end(),
                    [&](const LibraryVariant& faster) { return asks_no_more(faster, variant); }))
      return;
    variant.name = fmt::format("v{}", source.variants.size() + 1);
    const std::string where =
        source.backend.needs_gpu_compiler()
            ? fmt::format("compute capability {:.1f}", variant.capability / 10.0)
            : fmt::format("{} threads", record.header.threads);
    variant.about =
        fmt::format("{} on {} with {}: {}", public_text(source.kernel, choice.result.problem),
                    choice.result.roofline.machine.name, where, about);
    source.variants.push_back(std::move(variant));
  };
  const auto is_complete = [&] { return promises_of(source.variants.back()).empty(); };
  const Contender& best = *choice.result.best;
  const std::string faster = choice.result.speedup ? ", " + ratio_interval(*choice.result.speedup) +
                                                         " over the untuned form"
                                                   : "";
  add(best.configuration, fmt::format("{}{}, {} from the bound", seconds_interval(best.seconds),
                                      faster, ratio_interval(best.gap.total)));
  if (is_complete()) return;
  TrialRefs others;
  for (const Trial& trial : record.history.trials())
    if (trial.ok()) others.push_back(&trial);
  sort(others, {}, [](const Trial* one) { return one->seconds(); });
  for (const Trial* trial : others) {
    add(trial->configuration, seconds_interval(trial->measurement->seconds) +
                                  ", the fastest of the search with fewer promises");
    if (is_complete()) return;
  }
}

/// From now on the library's test uses this study's problem.
void test_on(const StudyRecord& study, LibrarySource& source) {
  const SearchSpace space = space_of(study);
  source.variants.back().settings.scalars =
      library_variant(study, source, space, space.baseline()).settings.scalars;
  source.problem = study.require_setup().inputs.front().problem;
  source.slots = slots(source.kernel, known_facts(study, 0));
}

/// A library with each study's best. Throws Error for a program's study, and for several back ends.
LibrarySource library_of(const ExportChoices& choices, const std::string& name) {
  const StudyRecord& first = choices.front().study;
  if (first.header.backend == command_backend)
    throw Error("a library holds the variants of a kernel, and this study is of a program",
                "--format library", "--format json or header carry its configuration");
  LibrarySource source;
  source.kernel = read_kernel(first.require_setup().kernel_folder);
  source.name = name;
  source.backend = *source.kernel.backend(first.header.backend);
  // An application's arrays may lie on a card, where no inspector reads them.
  if (source.backend.needs_gpu_compiler()) source.kernel.inspected.clear();
  for (const ExportChoice& choice : choices) {
    if (choice.study.header.backend != source.backend.name)
      throw Error("the studies that fit are of several back ends", "--backend", "name one");
    add_variants(choice, source);
    source.studies.push_back(published(document_of(choice)));
  }
  const SearchSpace space = space_of(first);
  LibraryVariant plain = library_variant(first, source, space, space.baseline());
  plain.name = "baseline";
  plain.about = fmt::format("the untuned form, for any {} and any size",
                            source.backend.needs_gpu_compiler() ? "card" : "CPU");
  plain.threads = plain.simd_bits = plain.capability = 0;
  plain.conditions.clear();
  source.variants.push_back(std::move(plain));
  test_on(first, source);
  return source;
}

/// The problems and what their variants gain; any other problem is raced when it comes up.
std::string gains(const ExportChoices& choices) {
  std::string lines;
  for (const ExportChoice& choice : choices) {
    const StudyResult& result = choice.result;
    lines += fmt::format(
        "  {}: {}{}{}\n", facts_text(result.problem),
        result.baseline ? seconds_interval(result.baseline->seconds) + " untuned, " : "",
        seconds_interval(result.best->seconds),
        result.baseline_stands ? ": the untuned form stays"
        : result.speedup       ? ", " + ratio_interval(*result.speedup) + " faster"
                               : "");
  }
  return lines +
         "  any other problem: raced when it is prepared, the untuned form among the rivals\n";
}

}  // namespace

int export_library(ExportChoices& choices, const ExportOptions& options) {
  if (options.output.empty() || is_stdout(options.output))
    throw Error("a library is a folder", "--output", "tune export --format library -o FOLDER");
  if (!options.name.empty() && !Pattern("[A-Za-z][A-Za-z0-9_]*").matches(options.name))
    throw Error("\"" + options.name + "\" cannot begin names of functions", "--name",
                "a letter, then letters, digits and _");
  const LibrarySource source = library_of(choices, options.name);
  write_library(options.output, library_files(source));
  fmt::print("wrote {}: {} variant{} of {} and the untuned form\n{}", options.output,
             source.variants.size() - 1, source.variants.size() == 2 ? "" : "s", source.kernel.name,
             gains(choices));
  if (const auto fixed = constants(source.kernel); !fixed.empty())
    fmt::print("constants in it, no arguments: {} (a parameter in kernel.json makes it one)\n",
               joined(fixed));
  return 0;
}

}  // namespace rooftune::application_commands
