// Recordings by other tuners: what this extension adds to `tune`.
#pragma once
#include "core/modules.h"

namespace CLI {
class App;
}
namespace rooftune::cli {
struct CommandLine;
}

namespace rooftune::replay_commands {

/// Adds its commands, T1 as a search-space form, and the recording forms for `tune export`. To be
/// called before any thread starts.
void add_replay();

/// `tune space`, `tune replay`, and `tune report` for a recording.
void add_space(CLI::App& app, CommandLine& line);
void add_strategies(CLI::App& app, CommandLine& line);
void add_recording_report(CLI::App& app, CommandLine& line);

}  // namespace rooftune::replay_commands
