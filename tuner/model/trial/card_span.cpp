#include "trial/card_span.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace rooftune::trial {
namespace {

/// A share of the time or the clock; less changes no figure by more than it varies anyway.
constexpr double noticeable = 0.05;

/// "heat lowered the card's clock for 34 % of the time, to 1200 of 1980 MHz at the end"; nothing
/// where that changes no figure.
Texts slowed_by(const CardSpan& span, const std::string& reason, const char* words) {
  const double share = copy_at(span.slowed, reason).value_or(0);
  const bool known = span.clock && span.most_clock;
  const bool low = !known || *span.clock < (1 - noticeable) * *span.most_clock;
  if (share < noticeable && !(low && contains(span.slowing, reason))) return {};
  std::string text = std::string(words) + " lowered the card's clock";
  if (share > 0) text += fmt::format(" for {:.0f} % of the time", 100 * share);
  if (known)
    text += fmt::format(", {:.0f} of {:.0f} MHz at the end", 1e-6 * *span.clock,
                        1e-6 * *span.most_clock);
  return {text};
}

}  // namespace

Texts card_doubts(const CardSpan& span) {
  Texts doubts = slowed_by(span, "heat", "heat");
  append(doubts, slowed_by(span, "hardware", "a brake of its hardware"));
  constexpr size_t shown = 3;
  const size_t named = std::min(span.others.size(), shown);
  if (named > 0)
    doubts.push_back("others had work on the card meanwhile: " +
                     joined(Texts(span.others.begin(), span.others.begin() + ptrdiff_t(named))) +
                     (span.others.size() > shown
                          ? fmt::format(" and {} more", span.others.size() - shown)
                          : ""));
  return doubts;
}

Texts card_notes(const CardSpan& span) { return slowed_by(span, "power", "its power limit"); }

}  // namespace rooftune::trial
