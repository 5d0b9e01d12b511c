// What shells offer behind the words that were typed; the scripts of bash, zsh and fish ask for it.
#pragma once
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::cli {

struct Offer {
  std::string word, about;
};

/// What may stand in the place of the last of `words` (those after `tune`; "" where a new one
/// begins), of what it begins with. Empty: a file, or a word that nobody can know.
std::vector<Offer> completions(const std::vector<std::string>& words);
/// `tune complete WORDS...`: a line for each offer, word and description with a tab between them.
int print_completions(const std::vector<std::string>& words);

}  // namespace rooftune::cli
