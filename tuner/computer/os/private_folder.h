// A folder closed to files of others: code from it runs with the rights of the user.
#pragma once
#include <filesystem>
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// Makes the folder, and its parents, for this user alone; then require_private(). Throws Error
/// with `variable` (ROOFTUNE_CACHE), the variable for another choice.
void make_private(const std::filesystem::path& folder, const std::string& variable);
/// Throws Error where another user could put a file into the folder or another folder in its place:
/// it belongs to a user other than this one or root, or others may write to it, or all may write to
/// one above it without the sticky bit of /tmp. From a folder of this user the right of others to
/// write is taken first. No fault where there is none.
void require_private(const std::filesystem::path& folder, const std::string& variable);

}  // namespace rooftune::os
