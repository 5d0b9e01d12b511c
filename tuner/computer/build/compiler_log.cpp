// The search for the line with the reason of a failed build.
#include "build/compiler_log.h"

#include <sstream>

namespace rooftune::build {
namespace {

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
  return text;
}

bool names_error(const std::string& line) {
  for (const char* mark : {"error:", "Error:", "undefined reference", "undefined symbol"})
    if (line.find(mark) != std::string::npos) return true;
  return false;
}

}  // namespace

std::string first_error(const std::string& log, const std::vector<std::filesystem::path>& folders) {
  std::istringstream lines(log);
  std::string first, found;
  for (std::string line; found.empty() && std::getline(lines, line);) {
    if (first.empty()) first = line;
    if (names_error(line)) found = line;
  }
  if (found.empty()) found = first;
  for (const auto& folder : folders) found = without(found, folder.string() + "/");
  return found;
}

}  // namespace rooftune::build
