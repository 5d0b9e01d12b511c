// tune records: the care of written records.
#include <fmt/format.h>

#include "cli/options.h"
#include "core/file.h"
#include "store/study_store.h"

namespace rooftune::cli {
namespace {

std::filesystem::path results_with_records(const std::string& option) {
  std::filesystem::path results = std::filesystem::absolute(results_directory(option));
  if (!std::filesystem::exists(results / "records"))
    throw Error("there are no records", (results / "records").string(),
                "name the directory with --results");
  return results;
}

}  // namespace

int verify_command(const VerifyOptions& options) {
  const RecordCheck check = verify_records(results_with_records(options.results));
  for (const RecordFinding& finding : check.findings)
    fmt::print("{}\n  hint: {}\n", finding.text, cure(finding.kind));
  fmt::print("{} studies, {} files, {} records: {}\n", check.studies, check.files, check.records,
             check.findings.empty() ? "all are sound"
             : check.sound()        ? "sound, some are there twice"
                                    : "not all are sound");
  return static_cast<int>(check.sound() ? ExitCode::ok : ExitCode::failure);
}

int merge_command(const MergeOptions& options) {
  const std::filesystem::path results =
      std::filesystem::absolute(results_directory(options.results));
  make_folders(results);
  std::size_t refused = 0;
  for (const std::string& source : options.sources) {
    const MergeCount count = merge_records(results, source);
    for (const std::string& note : count.notes) fmt::print("{}\n", note);
    fmt::print("{}: {} files brought, {} completed, {} were here, {} refused\n", source,
               count.added, count.longer, count.present, count.refused);
    refused += count.refused;
  }
  return static_cast<int>(refused > 0 ? ExitCode::failure : ExitCode::ok);
}

int gc_command(const GcOptions& options) {
  const std::filesystem::path results = results_with_records(options.results);
  OldRecordsRule rule;
  if (options.older_than)
    rule.older_than = std::chrono::seconds(static_cast<std::int64_t>(options.older_than->value()));
  rule.keep = options.keep;
  OldRecords old = old_records(results, rule);
  if (!options.dry_run) remove(old);
  for (const auto* paths : {&old.studies, &old.runs, &old.outcomes, &old.pages, &old.parts})
    for (const std::filesystem::path& path : *paths)
      fmt::print("{}{}\n", options.dry_run ? "would remove " : "removed ", path.string());
  for (const std::string& note : old.notes) fmt::print("{}\n", note);
  fmt::print("{}\n", to_text(old));
  fmt::print(
      "stay: {} as they are not old by this rule; {} outcomes because the next night needs them\n",
      old.recent, old.judged);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace rooftune::cli
