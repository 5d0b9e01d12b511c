// tune export: the best validated configuration with its provenance, for an application to load, or
// as the code itself.
#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/export_choice.h"
#include "cli/options.h"
#include "exports/kernel_library.h"
#include "report/exporter.h"
#include "report/figures.h"
#include "store/recording_writer.h"
#include "store/study_store.h"
#include "study/model.h"

namespace rooftune::cli {

namespace {

constexpr const char* library_format = "library";

/// The best configuration as an exporter writes it.
std::string exported(const ExportChoice& choice, const ExporterRow& exporter,
                     const ExportOptions& options) {
  std::string text = exporter.write(exported_best(choice.study.record, choice.result));
  std::error_code ignored;
  const bool there = std::filesystem::is_regular_file(options.output, ignored);
  return exporter.joined && there ? exporter.joined(options.output, text) : text;
}

Error unknown_format(const std::string& format) {
  std::vector<std::string> names;
  for (const ExportFormat& row : export_formats()) names.push_back(row.name);
  return Error("unknown export format \"" + format + "\"", "--format", did_you_mean(format, names));
}

/// Every trial of the study worked on last, in a form of the field.
int export_recording(const RecordingFormat& form, const RecordFilter& filter,
                     const ExportOptions& options) {
  const StudyRecord study = find_study(std::filesystem::absolute(options.spec.results), filter);
  write_output(options.output.empty() ? "-" : options.output, form.write(recording_of(study)));
  if (!options.output.empty() && !is_stdout(options.output))
    fmt::print("wrote {} (study {}, {} trials)\n", options.output, study.header.id,
               study.history.size());
  return 0;
}

void check(const ExportChoice& choice, const ExportOptions& options) {
  const auto say = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  for (const std::string& remark : remarks(choice)) say(remark);
  for (const std::string& reason : choice.result.inconclusive) say("not conclusive: " + reason);
  for (const std::string& note : choice.study.record.notes) say("note: " + note);
  if (!options.as_recorded && options.verify)
    say(fmt::format("study {}: {}", choice.study.record.header.id.substr(0, 8), verified(choice)));
}

/// The application's assurances for the variant.
std::vector<Condition> promises_of(const LibraryVariant& variant) {
  std::vector<Condition> all;
  for (const Condition& condition : variant.conditions)
    if (condition.check.empty()) all.push_back(condition);
  return all;
}

/// One with no more needs than the other.
bool asks_no_more(const LibraryVariant& one, const LibraryVariant& other) {
  const std::vector<Condition> known = promises_of(other), asked = promises_of(one);
  return std::all_of(asked.begin(), asked.end(),
                     [&](const Condition& promise) { return holds(known, promise); });
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
  add(best.configuration,
      fmt::format("{}, {} over the untuned form, {} from the bound", seconds_interval(best.seconds),
                  choice.result.speedup ? ratio_interval(*choice.result.speedup) : "?",
                  ratio_interval(best.gap.total)));
  if (is_complete()) return;
  std::vector<const Trial*> others;
  for (const Trial& trial : record.history.trials())
    if (trial.ok()) others.push_back(&trial);
  std::sort(others.begin(), others.end(), [](const Trial* a, const Trial* b) {
    return a->measurement->seconds.value < b->measurement->seconds.value;
  });
  for (const Trial* trial : others) {
    add(trial->configuration, fmt::format("{}, the fastest of the search with fewer promises",
                                          seconds_interval(trial->measurement->seconds)));
    if (is_complete()) return;
  }
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
  source.problem = first.setup->inputs.front().problem;
  source.slots = slots(source.kernel, known_facts(first, 0));
  return source;
}

int export_library(std::vector<ExportChoice>& choices, const ExportOptions& options) {
  if (options.output.empty() || is_stdout(options.output))
    throw Error("a library is a folder", "--output", "tune export --format library -o FOLDER");
  const LibrarySource source = library_of(choices);
  write_library(options.output, library_files(source));
  fmt::print("wrote {}: {} variant{} of {} and the untuned form\n", options.output,
             source.variants.size() - 1, source.variants.size() == 2 ? "" : "s",
             source.kernel.name);
  return 0;
}

}  // namespace

int export_command(const ExportOptions& options) {
  const bool library = options.format == library_format;
  const RecordingFormat* const recording = find_recording_format(options.format);
  const ExporterRow* const exporter = find_exporter(options.format);
  if (!library && !recording && !exporter) throw unknown_format(options.format);
  if (!library) require_output(options.output);
  if (options.spec.kernel.empty() && options.study.empty())
    throw Error("no kernel given", "--kernel",
                "tune export --kernel NAME --format library -o FOLDER, or --study ID");
  const RecordFilter filter = filter_of(options.spec, options.study);
  if (recording) return export_recording(*recording, filter, options);
  std::vector<ExportChoice> choices =
      best_studies(options.spec.results, filter, options.require == "conclusive");
  if (!library) only(choices);
  // Starts for studies elsewhere are tried there: only variants for an application are checked
  // again.
  if (options.format != "best-known")
    for (const ExportChoice& choice : choices) check(choice, options);
  if (library) return export_library(choices, options);
  const ExportChoice& choice = choices.front();
  write_output(options.output.empty() ? "-" : options.output, exported(choice, *exporter, options));
  if (options.output.empty() || is_stdout(options.output)) return 0;
  fmt::print("wrote {} (study {}, {})\n", options.output, choice.study.record.header.id,
             choice.result.best->configuration.key());
  return 0;
}

}  // namespace rooftune::cli
