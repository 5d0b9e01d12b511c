// Choice of the study of an export, and a check of its best against the study.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/study_files.h"
#include "report/best_configuration.h"

namespace rooftune::cli {

/// The forms of an export: the library, those of an exporter, those of a recording.
struct ExportFormat {
  std::string name, summary;
};
std::vector<ExportFormat> export_formats();

/// A study with its result.
struct ExportChoice {
  FoundStudy study;
  StudyResult result;
  /// Changes since, in the words of outdated_parts(); empty for a study of today's sources.
  std::vector<std::string> outdated;
  std::string passed_over;  ///< a faster study of older sources, less preferred
};

/// Remarks for the user on the choice, a sentence each.
std::vector<std::string> remarks(const ExportChoice& choice);

/// The best study of each problem, machine, back end, number of threads, cache state and
/// amortisation under the filter: one of today's sources, compiler and space before any older one,
/// then one with a conclusion, then the fastest. `conclusive`: only those. The rule of `tune
/// export`, `bench` and `baseline accept`. Throws Error without any.
std::vector<ExportChoice> best_studies(const std::filesystem::path& results,
                                       const RecordFilter& filter, bool conclusive);
/// The only one. Throws Error for several, with the differences between them.
ExportChoice& only(std::vector<ExportChoice>& choices);

/// Builds, validates and times the best again on this machine, beside the baseline; returns a
/// sentence. Throws Error on a failure, or for a study of another machine.
std::string verified(const ExportChoice& choice);

/// Content of the exporters, with the compiler's flags.
BestConfiguration exported_best(const StudyRecord& record, const StudyResult& result);

}  // namespace rooftune::cli
