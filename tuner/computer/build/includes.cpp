// A scan for #include lines.
#include "build/includes.h"

#include <set>
#include <sstream>
#include <string>

#include "core/file.h"

namespace rooftune::build {
namespace {

void collect(const std::filesystem::path& file, const std::filesystem::path& directory,
             std::set<std::filesystem::path>& found) {
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);) {
    const std::string name = included(line).name;
    if (name.empty()) continue;
    for (const auto& place : {file.parent_path(), directory}) {
      const auto candidate = (place / name).lexically_normal();
      std::error_code fault;
      if (!std::filesystem::is_regular_file(candidate, fault)) continue;
      if (found.insert(candidate).second) collect(candidate, directory, found);
      break;
    }
  }
}

}  // namespace

Include included(const std::string& line) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return {};
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include") != 0) return {};
  at = line.find_first_of("\"<", at + 7);
  if (at == std::string::npos) return {};
  const bool quoted = line[at] == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', at + 1);
  if (end == std::string::npos) return {};
  return {line.substr(at + 1, end - at - 1), quoted};
}

std::vector<std::filesystem::path> included_files(const std::filesystem::path& source,
                                                  const std::filesystem::path& directory) {
  std::set<std::filesystem::path> found;
  collect(source, directory, found);
  return {found.begin(), found.end()};
}

}  // namespace rooftune::build
