// A folder that nobody else can put files into: code from it runs with the rights of the user.
#pragma once
#include <filesystem>
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// Makes the folder, and those that lead to it, for this user alone; then require_private(). Throws
/// Error, which names `variable` (ROOFTUNE_CACHE), the variable that chooses another one.
void make_private(const std::filesystem::path& folder, const std::string& variable);
/// Throws Error where somebody else could put a file into the folder or another folder in its
/// place: it belongs to another user than this one or root, or others may write to it, or all may
/// to one above it that is not sticky as /tmp is. From a folder of this user the right of others to
/// write is taken first. No fault where there is none.
void require_private(const std::filesystem::path& folder, const std::string& variable);

}  // namespace rooftune::os
