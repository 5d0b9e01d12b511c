#include "report/glossary.h"

#include <sstream>

#include "report/glossary_text.h"

namespace rooftune::inline report {

std::vector<GlossaryEntry> glossary() {
  std::vector<GlossaryEntry> entries;
  std::istringstream lines(glossary_text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find(" | ");
    if (!line.starts_with("| ") || bar == std::string::npos || line.starts_with("| ---")) continue;
    const std::string word = line.substr(2, bar - 2);
    if (word != "word") entries.push_back({word, line.substr(bar + 3, line.rfind(" |") - bar - 3)});
  }
  return entries;
}

}  // namespace rooftune::inline report
