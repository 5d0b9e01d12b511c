// The files of the source tree, read for the rules.
#pragma once
#include <regex.h>

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

/// An extended regular expression of POSIX with \b, \w and \s of the GNU library: over the whole
/// tree it takes a tenth of the time of std::regex.
class LinePattern {
 public:
  explicit LinePattern(const std::string& text, bool any_case = false);
  LinePattern(const LinePattern&) = delete;
  LinePattern& operator=(const LinePattern&) = delete;
  ~LinePattern() { regfree(&compiled_); }
  bool is_in(const std::string& line) const {
    return regexec(&compiled_, line.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_;
};

}  // namespace rooftune::lint
