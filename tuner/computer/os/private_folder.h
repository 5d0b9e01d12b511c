// A folder closed to files of others: code from it runs with the rights of the user.
#pragma once
#include <filesystem>
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// Makes the folder, and its parents, for this user alone; then require_private(). Throws Error
/// with `variable` (ROOFTUNE_CACHE), the variable for another choice; ExitCode::io where nothing
/// can be made.
void make_private(const std::filesystem::path& folder, const std::string& variable);
/// Why others may change a file or the names in a folder: "belongs to another user (number 7)",
/// "others may write to it". Empty for what only this user and root may change, and for what is not
/// there. Not thread-safe (getgrgid).
std::string others_may_change(const std::filesystem::path& place);
/// Throws Error where another user could put a file into the folder or another folder in its place:
/// it belongs to a user other than this one or root, or others may write to it, or all may write to
/// one above it without the sticky bit of /tmp. A folder of this user and his own group,
/// without the set-group-ID bit, loses the right of others to write instead. No fault where there
/// is none.
void require_private(const std::filesystem::path& folder, const std::string& variable);
/// Throws Error (ExitCode::io) where the system loads no code from this folder.
void require_executable(const std::filesystem::path& folder, const std::string& variable);

}  // namespace rooftune::os
