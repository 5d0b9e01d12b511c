// The files that a night writes: pages, JUnit, JSON, annotations.
#pragma once
#include <string>
#include <vector>

#include "cli/options.h"
#include "core/list.h"
#include "sweep/formats.h"

namespace rooftune::night_commands {

/// --output FORMAT=FILE.
struct SweepOutput {
  SweepFormat format = SweepFormat::html;
  std::string file;  ///< a folder if the format is html; "-" is standard output
};
using SweepOutputs = std::vector<SweepOutput>;
/// Words such as "junit=results.xml"; a word without a format names the folder for the pages.
/// Throws Error for an unknown format, and where a file could not be written.
SweepOutputs sweep_outputs(const Texts& words);
/// Reads the sweeps below the folder and writes all outputs; warns about unreadable files.
/// `missing`: studies that tonight did not reach. Throws Error.
void write_sweep_outputs(const SweepOutputs& outputs, const fs::path& folder,
                         const NightList& missing = {});
/// `tune report --sweep FOLDER`.
int report_sweeps(const ReportOptions& options, const std::string& folder);

}  // namespace rooftune::night_commands
