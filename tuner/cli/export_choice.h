// Studies chosen for exports, with a check of the best against its study.
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
  /// Changes since, in the words of outdated_parts(); empty for a study of today's sources.
  Texts outdated;
  std::string passed_over;  ///< a faster study of older sources, less preferred
};
using ExportChoices = std::vector<ExportChoice>;

/// A form of an export: one of the functions that write is there.
struct ExportForm {
  std::string name, summary;
  /// The text of a study, with or without a best configuration.
  std::function<std::string(const StudyRecord& study)> write_record = {};
  /// Writes a folder from the checked best studies; returns the exit code.
  int (*write_best)(ExportChoices& choices, const ExportOptions& options) = nullptr;
  /// The text of the best; see exporter.h.
  std::string (*write)(const StudyResult& result, const Texts& flags) = nullptr;
  /// Content of a file after the export, from its old content and the new text; nullptr: the new
  /// text.
  std::string (*joined)(const fs::path& before, const std::string& text) = nullptr;
};
/// Ours, and those that extensions add.
const std::vector<ExportForm>& export_formats();
/// Before any thread starts.
void add_export_form(const ExportForm& form);

/// Remarks for the user on the choice, a sentence each.
Texts remarks(const ExportChoice& choice);

/// The best study of each problem, machine, back end, number of threads, cache state and
/// amortisation under the filter: one of today's sources, compiler and space before any older one,
/// then one with a conclusion, then the fastest. The rule of `tune export`, `bench` and `baseline
/// accept`. Throws Error without any.
ExportChoices best_studies(const fs::path& results, const RecordFilter& filter);
/// The kernel's studies at these sizes, "1e4,1e6" or "n=1e4,1e6", in their order: a size without a
/// study gets one, of the bests of the others.
ExportChoices best_at_sizes(const fs::path& results, RecordFilter filter, const std::string& sizes);
/// The only one. Throws Error for several, with the differences between them.
ExportChoice& only(ExportChoices& choices);

/// Builds, validates and times the best again on this machine, beside the baseline; returns a
/// sentence. The times of now replace those of the study in the result, so they are exported.
/// Throws Error on a failure, for a study of another machine, and where it is not faster now or the
/// interval disagrees with the study's.
std::string verified(ExportChoice& choice);

/// The best's compiler flags, if it was timed on this machine; those of its instruction set
/// otherwise.
Texts flags_of(const StudyRecord& record, const StudyResult& result);

}  // namespace rooftune::cli
