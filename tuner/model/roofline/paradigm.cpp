// Paradigms, and the changed knobs that brought a variant past a ceiling or wall.
#include <algorithm>
#include <iterator>
#include <set>

#include "roofline/machine.h"
#include "roofline/roofline.h"

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

namespace {

/// With such a value a knob does nothing.
bool is_off(const Value& value) {
  static const std::set<std::string> words{"none", "off", "no", "false", "never", "plain"};
  if (value.is_text()) return words.contains(value.text());
  return value.is_number() && (value.real() == 0 || value.real() == 1) && value != Value(true);
}

/// Paradigms with an amount: more or less of it.
bool is_amount(Paradigm paradigm) {
  static const Paradigms amounts{Paradigm::ilp, Paradigm::prefetch, Paradigm::simd, Paradigm::tlp};
  return amounts.contains(paradigm);
}

/// Adds the set-backs that are slower than `seconds`, slowest first.
void add_set_backs(const std::vector<SetBackTime>& all, double seconds, LedgerEntry& entry) {
  std::vector<const SetBackTime*> chosen;
  for (const SetBackTime& back : all)
    if (can_add(back.change, entry.lacks) && back.seconds.low > seconds) chosen.push_back(&back);
  std::stable_sort(chosen.begin(), chosen.end(), [](const SetBackTime* a, const SetBackTime* b) {
    return a->seconds.value > b->seconds.value;
  });
  for (const SetBackTime* back : chosen) {
    entry.knobs.push_back(back->change);
    entry.set_back.push_back(back->seconds);
  }
}

void add_able(const std::vector<Step::Change>& all, const Paradigms& lacks,
              std::vector<Step::Change>& chosen) {
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
               [&](const Step::Change& change) { return can_add(change, lacks); });
}

/// Knobs of the last step to lead past the limit for good.
void add_crossing(const std::vector<Step>& path, LedgerEntry& entry) {
  std::size_t crossing = path.size();
  while (crossing > 1 && path[crossing - 1].seconds.value < entry.time.value()) --crossing;
  if (crossing < path.size()) add_able(path[crossing].changes, entry.lacks, entry.knobs);
}

}  // namespace

bool can_add(const Step::Change& change, const Paradigms& lacks) {
  if (!(change.to == Value(true)) && is_off(change.to)) return false;
  const bool numbers = change.from.is_number() && change.to.is_number();
  const bool less = numbers && change.to < change.from && !is_off(change.from);
  return std::any_of(change.breaks.begin(), change.breaks.end(), [&](Paradigm paradigm) {
    return lacks.contains(paradigm) && !(less && is_amount(paradigm));
  });
}

void name_causes(const std::vector<Step>& path, const Attribution& attribution, double seconds,
                 LedgerEntry& entry) {
  using Evidence = LedgerEntry::Evidence;
  const auto found = [&](Evidence evidence) {
    entry.evidence = entry.knobs.empty() ? Evidence::none : evidence;
    return !entry.knobs.empty();
  };
  add_set_backs(attribution.set_back, seconds, entry);
  if (found(Evidence::ablation)) return;
  add_able(attribution.not_set_back, entry.lacks, entry.not_set_back);
  if (!entry.not_set_back.empty() || !attribution.set_back.empty()) return;
  add_crossing(path, entry);
  found(Evidence::search);
}

}  // namespace rooftune::roofline
