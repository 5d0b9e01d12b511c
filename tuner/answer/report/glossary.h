// The words of answers and reports with their meanings: the table of docs/glossary.md, compiled
// into the program.
#pragma once
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::report {

struct GlossaryEntry {
  std::string word, meaning;
};

/// In the order of the page: alphabetical.
std::vector<GlossaryEntry> glossary();
/// The place of this word's meaning in a page, "#word-limited-by"; empty for an unknown word.
std::string glossary_link(const std::string& word);

}  // namespace rooftune::report
