// Folders that the tool names itself, below one that the user named.
#pragma once
#include <filesystem>

#include "core/modules.h"

namespace rooftune::core {

/// root / below, made where it is missing. Links are followed in `root`, the user's own word. A
/// link below it is an Error: where others share the folder they may have put it there, and files
/// would land, or be replaced, wherever it leads. Throws Error (io) where a folder cannot be made.
std::filesystem::path folder_below(const std::filesystem::path& root,
                                   const std::filesystem::path& below);

}  // namespace rooftune::core
