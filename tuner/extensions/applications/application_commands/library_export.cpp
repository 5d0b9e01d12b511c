// tune export --format library: which variants a library holds.
#include <fmt/format.h>

#include <algorithm>

#include "application_commands/extension.h"
#include "cli/console.h"
#include "report/figures.h"
#include "study/model.h"

namespace rooftune::application_commands {
namespace {

/// The application's assurances for the variant.
std::vector<Condition> promises_of(const LibraryVariant& variant) {
  std::vector<Condition> all = variant.conditions;
  std::erase_if(all, [](const Condition& condition) { return !condition.is_promise(); });
  return all;
}

/// One with no more needs than the other.
bool asks_no_more(const LibraryVariant& one, const LibraryVariant& other) {
  const std::vector<Condition> known = promises_of(other), asked = promises_of(one);
  return std::ranges::all_of(asked, [&](const auto& promise) { return holds(known, promise); });
}

/// Its best, and then the fastest ones with fewer assurances by the application, down to none: not
/// every application can give them all.
void add_variants(const ExportChoice& choice, LibrarySource& source) {
  const StudyRecord& record = choice.study.record;
  const SearchSpace space = space_of(record);
  const std::size_t first = source.variants.size();
  const auto add = [&](const Configuration& configuration, const std::string& about) {
    LibraryVariant variant =
        library_variant(record, source.kernel, source.backend, space, configuration);
    if (std::any_of(source.variants.begin() + static_cast<std::ptrdiff_t>(first),
                    source.variants.end(),
                    [&](const LibraryVariant& faster) { return asks_no_more(faster, variant); }))
      return;
    variant.name = fmt::format("v{}", source.variants.size() + 1);
    const std::string where =
        source.backend.needs_gpu_compiler()
            ? fmt::format("compute capability {:.1f}", variant.capability / 10.0)
            : fmt::format("{} threads", record.header.threads);
    variant.about = fmt::format("{} on {} with {}: {}", facts_text(choice.result.problem),
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
  std::vector<const Trial*> others;
  for (const Trial& trial : record.history.trials())
    if (trial.ok()) others.push_back(&trial);
  std::ranges::sort(others, {}, [](const Trial* one) { return one->measurement->seconds.value; });
  for (const Trial* trial : others) {
    add(trial->configuration, fmt::format("{}, the fastest of the search with fewer promises",
                                          seconds_interval(trial->measurement->seconds)));
    if (is_complete()) return;
  }
}

}  // namespace

void test_on(const StudyRecord& study, LibrarySource& source) {
  const SearchSpace space = space_of(study);
  source.variants.back().settings.scalars =
      library_variant(study, source.kernel, source.backend, space, space.baseline())
          .settings.scalars;
  source.problem = study.require_setup().inputs.front().problem;
  source.slots = slots(source.kernel, known_facts(study, 0));
}

LibrarySource library_of(const std::vector<ExportChoice>& choices) {
  const StudyRecord& first = choices.front().study.record;
  if (first.header.backend == command_backend)
    throw Error("a library holds the variants of a kernel, and this study is of a program",
                "--format library", "--format json or header carry its configuration");
  LibrarySource source;
  source.kernel = read_kernel(first.require_setup().kernel_folder);
  source.backend = *source.kernel.backend(first.header.backend);
  for (const ExportChoice& choice : choices) {
    if (choice.study.record.header.backend != source.backend.name)
      throw Error("the studies that fit are of several back ends", "--backend", "name one");
    add_variants(choice, source);
    source.provenance.push_back(exported_best(choice.study.record, choice.result));
  }
  const SearchSpace space = space_of(first);
  LibraryVariant plain =
      library_variant(first, source.kernel, source.backend, space, space.baseline());
  plain.name = "baseline";
  plain.about = fmt::format("the untuned form, for any {} and any size",
                            source.backend.needs_gpu_compiler() ? "card" : "CPU");
  plain.threads = plain.simd_bits = plain.capability = 0;
  plain.conditions.clear();
  source.variants.push_back(std::move(plain));
  test_on(first, source);
  return source;
}

int export_library(std::vector<ExportChoice>& choices, const ExportOptions& options) {
  if (options.output.empty() || is_stdout(options.output))
    throw Error("a library is a folder", "--output", "tune export --format library -o FOLDER");
  if (is_shared_object(options.output)) {
    fmt::print("{}\n", update_library(options.output, choices));
    return 0;
  }
  const LibrarySource source = library_of(choices);
  write_library(options.output, library_files(source));
  fmt::print("wrote {}: {} variant{} of {} and the untuned form\n", options.output,
             source.variants.size() - 1, source.variants.size() == 2 ? "" : "s",
             source.kernel.name);
  if (const auto fixed = constants(source.kernel); !fixed.empty())
    fmt::print("constants in it, no arguments: {} (a parameter in kernel.json makes it one)\n",
               fmt::join(fixed, ", "));
  return 0;
}

}  // namespace rooftune::application_commands
