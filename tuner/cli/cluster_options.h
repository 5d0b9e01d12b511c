// Option tables for running a sweep elsewhere, and for the use of its records.
#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}

namespace rooftune::cli {

/// --exports and --update-exports of commands that run a plan.
void add_exports(CLI::App& app, ExportsOptions& exports);
void add_launcher(CLI::App& app, LauncherOptions& launcher);
void add_worker(CLI::App& app, CommandLine& line);
void add_records(CLI::App& app, CommandLine& line);

}  // namespace rooftune::cli
