// What makes equal words another program: a study of a program is known by it.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "kernel/program.h"

namespace rooftune::run {

/// Names and values: the words, metric and check, the folder, contents of the program's file and of
/// files among its words, and variables of this process that change runs or builds.
std::vector<std::pair<std::string, std::string>> program_identity(const Program& program);

}  // namespace rooftune::run
