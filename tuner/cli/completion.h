// Completions behind typed words, for the scripts of bash, zsh and fish.
#pragma once
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::cli {

struct Offer {
  std::string word, about;
};

/// Candidates for the last of `words` (those after `tune`; "" for a new one), with its beginning.
/// Empty: a file, or an unpredictable word.
std::vector<Offer> completions(const std::vector<std::string>& words);
/// `tune complete WORDS...`: a line for each offer, word and description with a tab between them.
int print_completions(const std::vector<std::string>& words);

}  // namespace rooftune::cli
