// The headers of a source, as part of the key of its artefact. Headers of the system are covered by
// the compiler's version.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::build {

struct Include {
  std::string name;
  bool quoted = false;  ///< "name", not <name>
};
/// Of an #include line with a literal name; an empty name for any other line.
Include included(const std::string& line);

/// Files included by `source` with a literal name, directly or through others, and found beside the
/// including file or in `directory`; sorted. Conditions around an #include are not evaluated: the
/// list may hold more files than the compiler reads, never fewer.
std::vector<std::filesystem::path> included_files(const std::filesystem::path& source,
                                                  const std::filesystem::path& directory);

}  // namespace rooftune::build
