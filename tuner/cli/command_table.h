// Every command of `tune` with its options: the one table behind the parser, the help, the
// completion of shells and the pages of the reference.
#pragma once
#include "cli/options.h"
#include "cli/program_options.h"

namespace CLI {
class App;
}  // namespace CLI
namespace rooftune::cli {

/// A study's words as typed, before they have types.
struct StudyWords {
  std::vector<std::string> problem;
  std::string budget = "2min", objective, until_within, confidence, cache, path, results;
};

/// Of each command on a study.
struct AllWords {
  StudyWords tune, explain, export_, bench, baseline;
  ProgramWords program;
};

/// Adds all commands and options to an empty `app`. Typed words go to `line` and `words`, to
/// outlive it. `width`: columns of the help.
void add_all(CLI::App& app, CommandLine& line, AllWords& words, int width);

}  // namespace rooftune::cli
