// Paradigms, and whether changing a knob can bring one.
#include <algorithm>
#include <set>

#include "core/list.h"
#include "roofline/machine.h"
#include "roofline/roofline.h"

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

namespace {

/// With such a value a knob does nothing.
bool is_off(const Value& value) {
  static const TextSet words{"none", "off", "no", "false", "never", "plain"};
  if (value.is_text()) return words.contains(value.text());
  return value.is_number() && (value.real() == 0 || value.real() == 1) && value != Value(true);
}

/// Paradigms with an amount: more or less of it.
bool is_amount(Paradigm paradigm) {
  static const Paradigms amounts{Paradigm::ilp, Paradigm::prefetch, Paradigm::simd, Paradigm::tlp};
  return amounts.contains(paradigm);
}

}  // namespace

bool can_add(const Step::Change& change, const Paradigms& lacks) {
  if (change.to != Value(true) && is_off(change.to)) return false;
  const bool numbers = change.from.is_number() && change.to.is_number();
  const bool less = numbers && change.to < change.from && !is_off(change.from);
  return any_of(change.breaks, [&](Paradigm paradigm) {
    return lacks.contains(paradigm) && !(less && is_amount(paradigm));
  });
}

}  // namespace rooftune::roofline
