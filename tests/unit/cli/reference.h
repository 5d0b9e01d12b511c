// The reference of the command line: the pages in docs/ and the man page, made from the table of
// options.
#pragma once
#include <string>

#include "core/modules.h"

namespace rooftune::cli {

/// docs/cli.md: the options of `tune`, the environment, examples of all commands.
std::string reference_page();
/// docs/commands.md: the options of every command.
std::string commands_page();
/// docs/tune.1, for man.
std::string manual_page();

}  // namespace rooftune::cli
