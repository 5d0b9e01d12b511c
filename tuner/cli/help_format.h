// Description of a command and its options for people: once for the help, the man page and the
// reference of the documentation.
#pragma once
#include <string>

#include "core/modules.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI
namespace rooftune::cli {

/// "tune records gc".
std::string full_name(const CLI::App& command);
/// "-k, --kernel KERNEL", "--cache {warm,cold}", "plan".
std::string option_words(const CLI::Option& option);
/// Its effect, with its default where it has one that stands in the table.
std::string option_about(const CLI::Option& option);
/// A line for each example of a command, as typed and its effect; empty without examples.
std::string example_lines(const CLI::App& command);
/// The help of `app`, and of later added commands, in lines of `width` columns.
void set_help_format(CLI::App& app, int width);

}  // namespace rooftune::cli
