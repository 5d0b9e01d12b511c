// Which study an export is of, and whether its best still is what the study says.
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

/// A study with what it found.
struct ExportChoice {
  FoundStudy study;
  StudyResult result;
  /// What has changed since, in the words of outdated_parts(); empty for one of today's sources.
  std::vector<std::string> outdated;
  std::string passed_over;  ///< the faster study of older sources that this one was preferred to
};

/// What a person should know of the choice, a sentence each.
std::vector<std::string> remarks(const ExportChoice& choice);

/// The best study of each problem, machine, back end, number of threads, cache state and
/// amortisation that fits: one of today's sources, compiler and space before any older one, then
/// one that concluded, then the fastest. `conclusive`: only those. What `tune export`, `bench` and
/// `baseline accept` go by. Throws Error when there is none.
std::vector<ExportChoice> best_studies(const std::filesystem::path& results,
                                       const RecordFilter& filter, bool conclusive);
/// The only one. Throws Error naming what tells them apart when there are several.
ExportChoice& only(std::vector<ExportChoice>& choices);

/// Builds, validates and times the best again on this machine, beside the baseline; what it says is
/// a sentence. Throws Error when that fails, or when the study is of another machine.
std::string verified(const ExportChoice& choice);

/// What exporters write, with the compiler's flags.
BestConfiguration exported_best(const StudyRecord& record, const StudyResult& result);

}  // namespace rooftune::cli
