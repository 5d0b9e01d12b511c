// Chooses studies for exports, and checks the best against its study.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "core/list.h"
#include "store/study_record.h"
#include "study/find_study.h"
#include "study/result.h"

namespace rooftune::cli {

/// A study with its result.
struct ExportChoice {
  StudyRecord study;
  StudyResult result;
  /// What changed since, as outdated_parts() says it; empty for a study with today's sources.
  Texts outdated;
  std::string passed_over;  ///< a faster study with older sources, less preferred
};
using ExportChoices = std::vector<ExportChoice>;

/// A form of an export: it has one of the functions that write.
struct ExportForm {
  std::string name, summary;
  /// Writes a study, with or without a best configuration.
  std::function<std::string(const StudyRecord& study)> write_record = {};
  /// Writes a folder from the checked best studies; returns the exit code.
  int (*write_best)(ExportChoices& choices, const ExportOptions& options) = nullptr;
  /// Writes the best; see exporter.h.
  std::string (*write)(const StudyResult& result, const Texts& flags) = nullptr;
  /// What a file holds after the export, from the old file and the new text; nullptr: the new text.
  std::string (*joined)(const fs::path& before, const std::string& text) = nullptr;
};
/// Ours, and those that extensions add.
const std::vector<ExportForm>& export_formats();
/// To be called before any thread starts.
void add_export_form(const ExportForm& form);

/// The studies that options name. Throws Error where they name none.
RecordFilter typed_filter(const StudySpec& spec, const std::string& study);
/// What the user should know about the choice, a sentence each.
Texts remarks(const ExportChoice& choice);

/// The best study under the filter for each problem, machine, back end, thread count, cache state
/// and amortisation: studies with today's sources, compiler and space come before older ones, then
/// conclusive ones, then the fastest. `tune export`, `bench` and `baseline accept` follow this
/// rule. Throws Error if there is no study.
ExportChoices best_studies(const fs::path& results, const RecordFilter& filter);
/// The kernel's studies at these sizes, "1e4,1e6" or "n=1e4,1e6", in their order: a size without a
/// study gets one, which races the bests from the others.
ExportChoices best_at_sizes(const fs::path& results, RecordFilter filter, const std::string& sizes);
/// The only choice. Throws Error for several, with how they differ.
ExportChoice& only(ExportChoices& choices);

/// Builds, validates and times the best again on this machine, beside the baseline; returns a
/// sentence. Today's times replace the study's in the result, so they are exported. Throws Error on
/// a failure, for a study from another machine, and where the best is not faster now or the
/// interval disagrees with the study's.
std::string verified(ExportChoice& choice);

/// The best's compiler flags, if it was timed on this machine; else flags for its instruction set.
Texts flags_of(const StudyRecord& record, const StudyResult& result);

}  // namespace rooftune::cli
