// Options of the commands that have no study of their own.
#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}  // namespace CLI
namespace rooftune::inline cli {

/// tune sweep.
void add_sweep(CLI::App& app, CommandLine& line);
/// tune list.
void add_list(CLI::App& app, CommandLine& line);
/// Commands on files that others recorded.
void add_recorded(CLI::App& app, CommandLine& line);
/// tune kokkos.
void add_kokkos(CLI::App& app, CommandLine& line);
/// tune cache.
void add_cache(CLI::App& app, CommandLine& line);

}  // namespace rooftune::inline cli
