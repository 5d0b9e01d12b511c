// tune glossary [WORD]: the words of answers and reports, as docs/glossary.md has them.
#include <fmt/format.h>

#include "cli/console.h"
#include "cli/options.h"
#include "core/error.h"
#include "report/glossary.h"
#include "report/text_table.h"

namespace rooftune::cli {

int glossary_command(const GlossaryOptions& options) {
  const TerminalStyle style = style_of(1);
  TextTable table(style.width);
  std::vector<std::string> words;
  bool found = false;
  for (const GlossaryEntry& entry : glossary()) {
    words.push_back(entry.word);
    if (!options.word.empty() && options.word != entry.word) continue;
    table.row({{entry.word, Ink::strong}, {entry.meaning}});
    found = true;
  }
  if (!found)
    throw Error(fmt::format("the glossary has no word \"{}\"", excerpt(options.word)), "glossary",
                did_you_mean(options.word, words));
  fmt::print("{}", table.str(style.colour));
  return 0;
}

}  // namespace rooftune::cli
