// Every command of `tune` with its options: the one table behind the parser, the help, the
// completion of shells and the pages of the reference.
#pragma once
#include "cli/options.h"

namespace CLI {
class App;
}  // namespace CLI
namespace rooftune::cli {

/// Options of a stored study, shared by commands.
void add_study(CLI::App& app, StudySpec& spec);
/// --study; `fallback`: the study taken without a name.
void add_study_id(CLI::App& app, std::string& id, const std::string& fallback);
/// Checks the options of a study against each other, once all are there. Throws Error.
void complete(StudySpec& spec, const CLI::App& command);

/// Adds commands of an extension, or its options of other commands.
using AddCommands = void (*)(CLI::App& app, CommandLine& line);
/// Before anything is parsed.
void extend_command_line(AddCommands add);

/// Adds all commands and options to an empty `app`. Typed words go to `line`, to outlive it.
/// `width`: columns of the help.
void add_all(CLI::App& app, CommandLine& line, int width);

}  // namespace rooftune::cli
