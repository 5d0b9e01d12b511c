// The revision of the repository that holds a folder.
#pragma once
#include <filesystem>
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// "0123456789ab", with " and changes" where tracked files of the folder differ from it; empty
/// outside a repository, without git, or where git does not answer within seconds.
std::string git_revision(const std::filesystem::path& folder);

}  // namespace rooftune::os
