// The files of the source tree, read for the rules.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace rooftune::lint {

struct SourceFile {
  std::filesystem::path path;  ///< relative to the root of the project
  std::vector<std::string> lines;
};

/// Files under `folder` whose names end in one of `endings`, sorted by path; results and builds
/// excluded.
std::vector<SourceFile> files(const std::string& folder, const std::vector<std::string>& endings);

}  // namespace rooftune::lint
