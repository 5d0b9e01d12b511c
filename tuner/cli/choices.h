// What can be typed, for help, completion and error messages.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/list.h"

namespace rooftune::cli {

/// Accepts only these words; the help lists them, a fault names the nearest.
CLI::Validator one_of(const Texts& words);
/// The app's commands, without those hidden from the help.
Texts command_names(const CLI::App& app);
/// The command that the words so far have chosen; `app` itself if none has.
const CLI::App& chosen_command(const CLI::App& app);
/// What is wrong with a command line, with the nearest valid word.
Error wrong_words(const CLI::App& app, const CLI::ParseError& fault, const Texts& argv);
/// "tune records gc".
std::string full_name(const CLI::App& command);
/// "-k, --kernel KERNEL", "--cache {warm,cold}", "plan".
std::string option_words(const CLI::Option& option);
/// What the option does, with its default where the table has one.
std::string option_about(const CLI::Option& option);
/// A line for each example of a command, as typed and what it does; empty without examples.
std::string example_lines(const CLI::App& command);
/// Sets the help for `app`, and for commands added later, in lines with `width` columns.
void set_help_format(CLI::App& app, int width);
/// What `tune help TOPIC...` prints: a command's help, an option group (study, program),
/// "commands", "all", what a glossary word means; without a topic a screen to begin with. Throws
/// Error for another word.
std::string help_page(const CLI::App& app, const Texts& topic, int width);

}  // namespace rooftune::cli
