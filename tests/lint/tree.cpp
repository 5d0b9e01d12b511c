#include "lint/tree.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace rooftune::lint {

std::vector<SourceFile> files(const std::string& folder, const std::vector<std::string>& endings) {
  const std::filesystem::path root = ROOFTUNE_SOURCE_DIR;
  std::vector<SourceFile> all;
  if (!std::filesystem::exists(root / folder)) return all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    const std::string name = entry.path().filename().string();
    const bool wanted = std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
      return name.ends_with(ending);
    });
    if (!entry.is_regular_file() || !wanted) continue;
    SourceFile file{entry.path().lexically_relative(root), {}};
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
    all.push_back(std::move(file));
  }
  std::sort(all.begin(), all.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return all;
}

LinePattern::LinePattern(const std::string& text, bool any_case) {
  if (regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB | (any_case ? REG_ICASE : 0)) != 0)
    throw std::invalid_argument("no regular expression: " + text);
}

}  // namespace rooftune::lint
