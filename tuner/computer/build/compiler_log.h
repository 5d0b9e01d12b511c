// The most useful part of a compiler's output.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::build {

/// The first line with an error, without the names of `folders`; else the first line of any kind.
std::string first_error(const std::string& log, const std::vector<std::filesystem::path>& folders);

}  // namespace rooftune::build
