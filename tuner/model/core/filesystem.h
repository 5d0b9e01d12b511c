// The standard's file system under a short name.
#pragma once
#include <filesystem>

#include "core/modules.h"

namespace rooftune::core {

namespace fs = std::filesystem;

}  // namespace rooftune::core
