// The doubts of an answer, for tests.
#pragma once
#include <algorithm>

#include "report/answer.h"

namespace rooftune::sample {

/// All doubts of the headline, each once.
inline std::vector<std::string> doubts_of(const Answer& answer) {
  std::vector<std::string> all;
  for (const Phrase& phrase : answer.headline)
    for (const std::string& doubt : phrase.doubts)
      if (std::find(all.begin(), all.end(), doubt) == all.end()) all.push_back(doubt);
  return all;
}

}  // namespace rooftune::sample
