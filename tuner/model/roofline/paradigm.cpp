#include "roofline/paradigm.h"

#include <algorithm>

#include "core/list.h"
#include "core/text.h"

namespace rooftune::roofline {

void decode(const Place& place, Paradigm& paradigm) {
  std::string text;
  decode(place, text);
  if (!place->is_string()) return;
  const Words all = words(Paradigm{});
  if (const auto index = index_of(all, text))
    paradigm = Paradigm(*index);
  else
    place.fault("unknown paradigm \"" + excerpt(text) + '"',
                did_you_mean(text, {all.begin(), all.end()}));
}

bool breaks_one(const std::vector<Paradigm>& breaks, const Paradigms& lacks) {
  return any_of(breaks, [&](Paradigm paradigm) { return lacks.contains(paradigm); });
}

}  // namespace rooftune::roofline
