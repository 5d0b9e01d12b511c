// Every command of `tune` with its options: the one table from which the parser, the help, the
// completion of shells and the pages of the reference are made.
#pragma once
#include "cli/options.h"
#include "cli/program_options.h"

namespace CLI {
class App;
}  // namespace CLI
namespace rooftune::cli {

/// What people type of a study before it has its types.
struct StudyWords {
  std::vector<std::string> problem;
  std::string budget = "2min", objective, until_within, confidence, cache, path, results;
};

/// Of each command that takes a study.
struct AllWords {
  StudyWords tune, explain, export_, bench, baseline;
  ProgramWords program;
};

/// Adds all commands and options to an empty `app`. What is typed goes to `line` and `words`, which
/// must outlive it. `width`: columns of the help.
void add_all(CLI::App& app, CommandLine& line, AllWords& words, int width);

}  // namespace rooftune::cli
