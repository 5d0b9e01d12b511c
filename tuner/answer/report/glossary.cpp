#include "report/glossary.h"

#include <algorithm>
#include <sstream>

#include "report/glossary_text.h"

namespace rooftune::report {

std::vector<GlossaryEntry> glossary() {
  std::vector<GlossaryEntry> entries;
  std::istringstream lines(glossary_text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find(" | ");
    if (!line.starts_with("| ") || bar == std::string::npos) continue;
    // Lines before the rule are the table's head.
    if (line.starts_with("| ---"))
      entries.clear();
    else
      entries.push_back(
          {line.substr(2, bar - 2), line.substr(bar + 3, line.rfind(" |") - bar - 3)});
  }
  return entries;
}

std::string glossary_link(const std::string& word) {
  const auto entries = glossary();
  if (std::none_of(entries.begin(), entries.end(),
                   [&](const GlossaryEntry& entry) { return entry.word == word; }))
    return {};
  std::string link = "#word-" + word;
  std::replace(link.begin(), link.end(), ' ', '-');
  return link;
}

}  // namespace rooftune::report
