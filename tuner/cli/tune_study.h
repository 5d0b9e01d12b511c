// Runs one study from options to report; `tune` and `tune sweep` share it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/options.h"
#include "report/study_report.h"
#include "session.h"
#include "store/record_store.h"

namespace rooftune {

struct TunedStudy {
  StudyReport report;
  std::filesystem::path page;  ///< HTML written; empty when that failed
  std::vector<std::string> warnings;
  bool interrupted = false;
};

/// Probes a host that was never probed, prepares, searches, races, records, writes page, chart and
/// index. Throws Error when the user's input or environment is at fault.
TunedStudy tune_study(const TuneOptions& options, const std::vector<std::string>& argv);

/// <results>/records/<kernel>.<backend>.<id>
std::filesystem::path study_directory(const std::filesystem::path& results,
                                      const StudyHeader& header);
/// Writes <results>/reports/<kernel>.<backend>.<id>.html and .svg; returns the page.
std::filesystem::path write_study_page(const StudyReport& report,
                                       const std::filesystem::path& page);
std::filesystem::path default_page(const StudyReport& report, const std::filesystem::path& results);

}  // namespace rooftune
