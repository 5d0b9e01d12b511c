#include "roofline/paradigm.h"

#include <algorithm>

namespace rooftune::roofline {

void decode(const Json& json, const Place& place, Paradigm& paradigm) {
  std::string text;
  decode(json, place, text);
  if (!json.is_string()) return;
  const Words all = words(Paradigm{});
  if (const auto index = index_of(all, text))
    paradigm = static_cast<Paradigm>(*index);
  else
    place.fault("unknown paradigm \"" + excerpt(text) + '"',
                did_you_mean(text, {all.begin(), all.end()}));
}

bool breaks_one(const std::vector<Paradigm>& breaks, const Paradigms& lacks) {
  return std::any_of(breaks.begin(), breaks.end(),
                     [&](Paradigm paradigm) { return lacks.contains(paradigm); });
}

}  // namespace rooftune::roofline
