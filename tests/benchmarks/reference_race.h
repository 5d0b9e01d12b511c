// Configurations of a kernel in one race on this host: what is true of studies that found them at
// other moments.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "trial/evaluator.h"

namespace rooftune::testing {

/// `problem`: "n=1000", ...; `tune` serves as the worker. A fault is in the result.
Rounds raced(const std::filesystem::path& tune, const std::string& kernel,
             const std::vector<std::string>& problem,
             const std::vector<Configuration>& configurations, int rounds);

}  // namespace rooftune::testing
