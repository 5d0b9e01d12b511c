// Every reader of a file or text from outside, with samples that it accepts: what the campaign and
// the suite damage.
// A reader ends in a result or an Error, and in nothing else.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace rooftune::fuzz {

struct Reader {
  std::string name;
  std::function<std::vector<std::string>()> samples;
  /// Reads the text and uses what was read. Throws Error for what is refused.
  std::function<void(const std::string& text)> read;
  bool compressed = false;  ///< samples are packed with gzip before they are read
};

const std::vector<Reader>& readers();

/// Inputs that once broke the reader, by the name of their file (corpus/<reader>/).
std::vector<std::pair<std::string, std::string>> corpus(const std::string& reader);

}  // namespace rooftune::fuzz
