// Values of a space without a configuration in a sample.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "space/search_space.h"

namespace rooftune::test {

/// "knob=value" of each.
inline std::vector<std::string> missing_values(const SearchSpace& space,
                                               const std::vector<Configuration>& sample) {
  std::vector<std::string> missing;
  for (const Knob& knob : space.knobs())
    for (const Value& value : knob.values)
      if (std::none_of(sample.begin(), sample.end(),
                       [&](const Configuration& one) { return one.at(knob.name) == value; }))
        missing.push_back(knob.name + "=" + to_text(value));
  return missing;
}

}  // namespace rooftune::test
