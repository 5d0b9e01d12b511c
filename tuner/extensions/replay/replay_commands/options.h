// What the commands of this extension were asked for.
#pragma once
#include "cli/options.h"

namespace rooftune::replay_commands {

struct SpaceOptions {
  std::string file, machine = "host";
  std::vector<std::string> problem;
  bool count = false, json = false;
};

struct ImportOptions {
  std::string file, format = "t4", output;
};

struct ReplayOptions {
  std::vector<std::string> files;
  std::string strategy;  ///< names between commas, or "all"
  std::size_t seeds = 50, budget = 400;
  /// Knobs with the number of threads of a block as their product; empty: those of the convention.
  std::vector<std::string> block_size_names;
  std::optional<Fraction> until_within, confidence;  ///< as of `tune`: ends certain searches
  bool json = false;
};

int space_command(const SpaceOptions& options);
int replay_command(const ReplayOptions& options);
int import_command(const ImportOptions& options);
/// The page of a recording. Throws Error.
int recording_report(const cli::ReportOptions& options, const std::filesystem::path& file);

}  // namespace rooftune::replay_commands
