// Every command of `tune` with its options: the one table behind the parser, the help, the
// completion of shells and the pages of the reference.
#pragma once
#include "cli/options.h"
#include "cli/program_options.h"

namespace CLI {
class App;
}  // namespace CLI
namespace rooftune::cli {

/// Adds all commands and options to an empty `app`. Typed words go to `line` and `program`,
/// to outlive it. `width`: columns of the help.
void add_all(CLI::App& app, CommandLine& line, ProgramWords& program, int width);

}  // namespace rooftune::cli
