// Every command of `tune` with its options: the one table behind the parser, the help, the
// completion of shells and the pages of the reference.
#pragma once
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/described_options.h"
#include "cli/options.h"

namespace rooftune::cli {

/// Options of a stored study, shared by commands.
void add_study(CLI::App& app, StudySpec& spec);
/// Checks the options of a study against each other, once all are there. Throws Error.
void complete(StudySpec& spec, const CLI::App& command);

/// The options of a command that calls `run` with them, to be filled by its words: those of a
/// member `spec`, checked as a whole, and its own list.
template <class Options>
Options& options_of(CLI::App& command, CommandLine& line, int (*run)(const Options&)) {
  const auto options = std::make_shared<Options>();
  if constexpr (requires { options->spec; }) add_study(command, options->spec);
  if constexpr (requires(DescribedOptions & visit) { Options::fields(*options, visit); }) {
    DescribedOptions add(command);
    Options::fields(*options, add);
  }
  command.callback([&line, &command, options, run] {
    if constexpr (requires { options->spec; }) complete(options->spec, command);
    line.run = [options, run](const CommandLine&) { return run(*options); };
  });
  return *options;
}

/// Adds commands of an extension, or its options of other commands.
using AddCommands = void (*)(CLI::App& app, CommandLine& line);
/// Before anything is parsed.
void extend_command_line(AddCommands add);

/// Adds all commands and options to an empty `app`. Typed words go to `line`, to outlive it.
/// `width`: columns of the help.
void add_all(CLI::App& app, CommandLine& line, int width);

}  // namespace rooftune::cli
