// --output FORMAT=FILE: results of sweeps, in the formats of other programs.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sweep/formats.h"

namespace rooftune::night_commands {

struct SweepOutput {
  const SweepFormatRow* format = nullptr;
  std::string file;  ///< a folder where the format is pages; "-" is standard output
};

/// Words such as "junit=results.xml"; a word without a format names the folder of the pages. Throws
/// Error for an unknown format, and where a file could not be written.
std::vector<SweepOutput> sweep_outputs(const std::vector<std::string>& words);

/// Whether one of them goes to standard output, where nothing else may be printed then.
bool takes_stdout(const std::vector<SweepOutput>& outputs);

/// Reads the sweeps below the folder and writes all of it; warns of unreadable files. Throws Error.
void write_sweep_outputs(const std::vector<SweepOutput>& outputs,
                         const std::filesystem::path& folder);

}  // namespace rooftune::night_commands
