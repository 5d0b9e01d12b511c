// The words of answers and reports with their meanings: the table of docs/glossary.md, which the
// program carries.
#pragma once
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::report {

struct GlossaryEntry {
  std::string word, meaning;
};

/// In the order of the page, which is that of the alphabet.
std::vector<GlossaryEntry> glossary();
/// Where a page has this word's meaning, "#word-limited-by"; empty for a word that it has not.
std::string glossary_link(const std::string& word);

}  // namespace rooftune::report
