// Options of the commands without a study of their own.
#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}  // namespace CLI
namespace rooftune::cli {

/// Shared with tune explain.
inline constexpr const char* input_help =
    "Of a study of several inputs, this one, from 1 (default: the farthest from its bound)";
inline constexpr const char* current_model_help =
    "Recompute bound, gap and ledger with today's kernel, space and machine file";

/// tune probe.
void add_probe(CLI::App& app, CommandLine& line);
/// tune report.
void add_report(CLI::App& app, CommandLine& line);
void add_plot(CLI::App& app, CommandLine& line);
/// tune check.
void add_check(CLI::App& app, CommandLine& line);
/// tune list.
void add_list(CLI::App& app, CommandLine& line);
/// tune doctor.
void add_doctor(CLI::App& app, CommandLine& line);
/// tune glossary.
void add_glossary(CLI::App& app, CommandLine& line);
/// tune cache.
void add_cache(CLI::App& app, CommandLine& line);
/// tune records.
void add_records(CLI::App& app, CommandLine& line);

}  // namespace rooftune::cli
