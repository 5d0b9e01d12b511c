// tune export: the best validated configuration with its provenance, for an application to load.
#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/study_files.h"
#include "report/exporter.h"
#include "store/recording_writer.h"
#include "store/study_store.h"

namespace rooftune::inline cli {

namespace {

/// Every trial in a form of the field, or the best configuration as an exporter writes it.
std::string exported(const FoundStudy& study, const ExportOptions& options) {
  if (const RecordingFormat* form = find_recording_format(options.format))
    return form->write(recording_of(study.record));
  const ExporterRow& exporter = find_exporter(options.format);
  std::string text = exporter.write(best_configuration(study.result()));
  std::error_code ignored;
  const bool there = std::filesystem::is_regular_file(options.output, ignored);
  return exporter.joined && there ? exporter.joined(options.output, text) : text;
}

/// Throws Error with the names of all formats, those of the field and those for applications.
void check_format(const std::string& format) {
  std::vector<std::string> names;
  for (const ExporterRow& row : exporters()) names.emplace_back(row.name);
  for (const RecordingFormat& row : recording_formats()) names.emplace_back(row.name);
  if (std::find(names.begin(), names.end(), format) != names.end()) return;
  throw Error("unknown export format \"" + format + "\"", "--format", did_you_mean(format, names));
}

}  // namespace

int export_command(const ExportOptions& options) {
  check_format(options.format);
  require_output(options.output);
  if (options.spec.kernel.empty())
    throw Error("no kernel given", "--kernel", "tune export --kernel NAME --format header -o FILE");
  RecordFilter filter;
  filter.kernel = options.spec.kernel;
  filter.machine = options.spec.machine;
  filter.backend = options.spec.backend;
  filter.inputs = options.spec.inputs;
  const FoundStudy study = found_study(std::filesystem::absolute(options.spec.results), filter);
  write_output(options.output.empty() ? "-" : options.output, exported(study, options));
  if (options.output.empty() || is_stdout(options.output)) return 0;
  const Trial* best = study.record.history.best();
  fmt::print("wrote {} (study {}, {})\n", options.output, study.record.header.id,
             best ? best->configuration.key() : "nothing ran");
  return 0;
}

int index_command(const std::string& results) {
  const std::filesystem::path directory = std::filesystem::absolute(results_directory(results));
  if (!std::filesystem::exists(directory / "records"))
    throw Error("there are no records", (directory / "records").string(),
                "name the directory with --results");
  rebuild_index(directory);
  fmt::print("wrote {}\n", (directory / "index.sqlite").string());
  return 0;
}

}  // namespace rooftune::inline cli
