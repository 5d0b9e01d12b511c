// Ways to carry a best configuration into an application: one file and one row of the table for
// each. The caller writes the text, atomically.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "report/best_configuration.h"

namespace rooftune::report {

/// One row per exporter: the visible table is in exporter.cpp.
struct ExporterRow {
  const char* name;
  const char* summary;
  std::string (*write)(const BestConfiguration&);
  /// Content of a file after the export, from its old content and the new text; nullptr: the new
  /// text.
  std::string (*joined)(const std::filesystem::path& before, const std::string& text) = nullptr;
};
const std::vector<ExporterRow>& exporters();
/// nullptr when there is none of this name.
const ExporterRow* find_exporter(const std::string& name);

/// C and C++ header: #define ROOFTUNE_<KERNEL>_<KNOB>, enumerators for texts.
std::string header_export(const BestConfiguration& best);
/// "rooftune-export-1": configuration, defaults and provenance, read by
/// the run-time library (docs/applications.md).
std::string json_export(const BestConfiguration& best);
/// `export NAME='value'` lines for a POSIX shell, with the variables set when the best was timed.
std::string environment_export(const BestConfiguration& best);
/// "rooftune-best-known-1" with this one entry. Throws Error for a study of several inputs.
std::string best_known_export(const BestConfiguration& best);
/// With the present entries of the file. Throws Error for a file of another kernel or back end.
std::string joined_best_known(const std::filesystem::path& before, const std::string& text);

}  // namespace rooftune::report
