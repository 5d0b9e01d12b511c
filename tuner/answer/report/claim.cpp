#include "report/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/fields.h"
#include "core/list.h"
#include "report/figures.h"

namespace rooftune::report {
namespace {

/// Busy [%]: from the first on, a part gives its full rate; beyond the second, the code was faster
/// than the micro-kernel that measures the rate.
constexpr double full_rate = 97, beyond_rate = 105;

/// A wider interval (upper end over lower end) supports only its low end.
constexpr double widest_stated = 3;

bool has(const Claim& claim, const char* name) { return claim.figures.contains(name); }

/// "3.21x", "2.37 ms", "84 MB", "98 %".
std::string figure(const Claim& claim, const char* name) {
  const Figure& one = claim.figures.at(name);
  return amount_text(one.value.value, one.unit);
}

std::string interval(const Claim& claim, const char* name) {
  const Estimate& of = claim.figures.at(name).value;
  return fmt::format("[{}, {}]", significant(of.low, 3), significant(of.high, 3));
}

const char* faster(const Claim& claim) {
  return claim.figures.at("time").unit == time_unit ? "faster" : "better";
}

std::string gain_words(const Claim& claim) {
  const Estimate& gain = claim.figures.at("gain").value;
  const std::string but = claim.evidence.empty() ? "" : ", but " + claim.evidence.front();
  if (gain.high > widest_stated * gain.low)
    return fmt::format("{} is at least {} {} than your baseline{}", claim.subject,
                       ratio_text(gain.low), faster(claim), but);
  return fmt::format("{} is {} {} than your baseline {}{}", claim.subject, figure(claim, "gain"),
                     faster(claim), interval(claim, "gain"), but);
}

std::string undecided_words(const Claim& claim) {
  std::string text = fmt::format("Whether anything is {} than your baseline of {} is not decided",
                                 faster(claim), claim.subject);
  if (has(claim, "gain"))
    text += fmt::format(": {} {} so far", figure(claim, "gain"), interval(claim, "gain"));
  return text;
}

std::string broke_words(const Claim& claim) {
  constexpr size_t shown = 2;
  const auto& all = claim.evidence;
  Texts names(all.begin(), all.begin() + std::min(shown, all.size()));
  if (all.size() > shown) names.push_back(fmt::format("{} more", all.size() - shown));
  return "Broken: " + list_text(names);
}

std::string busiest_words(const Claim& claim) {
  return fmt::format("{}, the busiest, is {} busy", part_name(claim.evidence.front()),
                     figure(claim, "busy"));
}

std::string wait_words(const Claim& claim) {
  std::string text = fmt::format("No part of the machine is near its limit: {} {} of the time",
                                 claim.subject, figure(claim, "share"));
  if (has(claim, "each")) text += fmt::format(", {} each", figure(claim, "each"));
  return text + "; " + busiest_words(claim);
}

std::string bounded_words(const Claim& claim) {
  constexpr double at_roof = 1.3;
  const std::string more = figure(claim, "at_most");
  if (value_of(claim, "at_most") <= 1) return "The limit is " + claim.subject;
  return value_of(claim, "at_most") <= at_roof
             ? fmt::format("The limit is {}: no code is more than {} faster", claim.subject, more)
             : fmt::format(
                   "The bound, by {}, allows at most {} more; what lies between was not counted",
                   claim.subject, more);
}

std::string more_words(const Claim& claim) {
  const double more = value_of(claim, "at_most");
  const std::string at_most = more > 1 ? fmt::format("at most {} more", figure(claim, "at_most"))
                              : 100 > more * beyond_rate ? "how much more is not known"
                                                         : "no more";
  if (!has(claim, "amount")) return fmt::format("{}: {}", at_most, claim.subject);
  std::string text = fmt::format("{}: {}{} {}", at_most, figure(claim, "amount"),
                                 more > 1 ? " at" : ", no slower than", claim.evidence.front());
  if (has(claim, "bound"))
    text += fmt::format("; no code is faster than {}, by {}", figure(claim, "bound"),
                        claim.evidence.back());
  else if (has(claim, "least_time"))
    text +=
        fmt::format("; {} for the {} that {}", figure(claim, "least_time"), figure(claim, "least"),
                    claim.figures.at("least").unit == byte_unit ? "must be moved" : "are needed");
  return text;
}

std::string busy_words(const Claim& claim) {
  std::vector<std::pair<double, std::string>> parts;
  for (const auto& [part, share] : claim.figures) parts.emplace_back(share.value.value, part);
  stable_sort(parts, std::greater(), &decltype(parts)::value_type::first);
  // Idle parts are left out, but the busiest part is always named.
  constexpr size_t shown = 4;
  constexpr double idle = 10;
  Texts texts;
  for (const auto& [share, part] : parts)
    if (texts.empty() || (texts.size() < shown && share >= idle))
      texts.push_back(fmt::format("{} {}", part_name(part), amount_text(share, "%")));
  std::string text = joined(texts);
  if (!claim.evidence.empty())
    text += fmt::format("; without a measured rate: {}", joined(claim.evidence));
  return text;
}

std::string tried_words(const Claim& claim) {
  Texts texts;
  for (const auto& [change, gain] : claim.figures)
    texts.push_back(fmt::format("{}: {}", change, ratio_text(gain.value.value)));
  return fmt::format("{} (tried in the same race)", joined(texts));
}

std::string go_on_words(const Claim& claim) {
  if (!claim.subject.empty()) return "yes: " + claim.subject;
  const auto count = [&](const char* name) { return count_text(value_of(claim, name)); };
  const bool late =
      !claim.evidence.empty() || 2 * value_of(claim, "best") >= value_of(claim, "trials");
  constexpr double much = 1.2;
  const bool open = has(claim, "at_most") && value_of(claim, "at_most") > much;
  return fmt::format("{}: last gain after {} of {} trials, {} of {} were tried",
                     late   ? "yes, longer"
                     : open ? "perhaps, longer"
                            : "little is left",
                     count("best"), count("trials"), count("tried"),
                     amount_text(value_of(claim, "size"), "configuration"));
}

std::string conversion_words(const Claim& claim) {
  std::string text = fmt::format("{} takes {}, the time of {} calls", claim.subject,
                                 figure(claim, "time"), significant(value_of(claim, "calls"), 2));
  if (has(claim, "pays_off"))
    text += fmt::format("; pays off after {}", count_text(value_of(claim, "pays_off")));
  return text;
}

std::string subject(const Claim& claim) { return claim.subject; }

struct KindWords {
  Claim::Kind kind;
  const char* label;  ///< its line's; empty: a sentence
  const char* word;   ///< the glossary's
  Ink ink;
  std::string (*text)(const Claim&);
};

/// The row for a kind.
const KindWords& row_of(Claim::Kind kind) {
  using K = Claim::Kind;
  static const KindWords rows[] = {
      {K::faster, "", "speed-up", Ink::green, gain_words},
      {K::baseline_best, "", "baseline", Ink::yellow,
       [](const Claim& c) {
         return fmt::format("Nothing is {} than your baseline of {}", faster(c), c.subject);
       }},
      {K::undecided, "", "speed-up", Ink::yellow, undecided_words},
      {K::no_gain, "", "baseline", Ink::yellow,
       [](const Claim& c) {
         return fmt::format("{} takes {}, and nothing else was compared with it", c.subject,
                            figure(c, "time"));
       }},
      {K::not_measured, "", "", Ink::red,
       [](const Claim& c) {
         return fmt::format("No configuration of {} could be measured", c.subject);
       }},
      {K::broke, "", "broke", Ink::none, broke_words},
      {K::at_limit, "", "busy", Ink::none,
       [](const Claim& c) {
         constexpr double slow = 75;
         const double busy = value_of(c, "busy");
         const bool beyond = busy > beyond_rate;
         std::string text = fmt::format("{} is {}the limit, {}", part_name(c.subject, true),
                                        beyond ? "likely " : "",
                                        beyond ? "faster than its micro-kernel in the same rounds"
                                        : busy >= full_rate ? "at its full rate"
                                                            : figure(c, "busy") + " busy");
         if (has(c, "given") && value_of(c, "given") < slow)
           text += fmt::format(", {} of the fastest seen here", figure(c, "given"));
         return text;
       }},
      {K::waits, "", "busy", Ink::none, wait_words},
      {K::below, "", "busy", Ink::none,
       [](const Claim& c) {
         constexpr double near = 60;
         return value_of(c, "busy") >= near
                    ? fmt::format("{} is nearest to its limit, {} busy", part_name(c.subject, true),
                                  figure(c, "busy"))
                    : "No part of the machine is near its limit: " + busiest_words(c);
       }},
      {K::bounded, "", "bound", Ink::none, bounded_words},
      {K::no_bound, "", "bound", Ink::none,
       [](const Claim& c) { return "How fast it could be is not known: " + c.subject; }},
      {K::above_roof, "", "bound", Ink::red,
       [](const Claim& c) {
         return fmt::format(
             "It takes {} of the least time of {}: a ceiling, the kernel's model or "
             "the measurement is wrong",
             figure(c, "ratio"), c.subject);
       }},
      {K::more, "", "bound", Ink::none, more_words},
      {K::no_steps, "steps", "staircase", Ink::none, subject},
      {K::shortened, "steps", "staircase", Ink::none, subject},
      {K::busy, "busy", "busy", Ink::none, busy_words},
      {K::next_tried, "next", "", Ink::none, tried_words},
      {K::next_other, "next", "", Ink::none,
       [](const Claim& c) {
         return fmt::format("{}, by another layout or algorithm: {}", c.subject,
                            joined(c.evidence));
       }},
      {K::next_none, "next", "", Ink::none,
       [](const Claim&) {
         return std::string("nothing: the most promising values were tried and gained nothing");
       }},
      {K::stop, "go on", "", Ink::none, [](const Claim& c) { return "no: " + c.subject; }},
      {K::go_on, "go on", "", Ink::none, go_on_words},
      {K::conversion, "conversion", "conversion", Ink::none, conversion_words},
      {K::beware, "beware", "", Ink::none, subject},
      {K::failed, "failed", "outcome", Ink::none, subject}};
  return *std::ranges::find(rows, kind, &KindWords::kind);
}

}  // namespace

double value_of(const Claim& claim, const char* figure) {
  return claim.figures.at(figure).value.value;
}

bool is_at_full_rate(double busy) { return busy >= full_rate && busy <= beyond_rate; }

std::string words_of(const Claim& claim) { return row_of(claim.kind).text(claim); }
std::string label_of(const Claim& claim) { return row_of(claim.kind).label; }
std::string glossary_word(const Claim& claim) { return row_of(claim.kind).word; }
Ink ink_of(const Claim& claim) { return row_of(claim.kind).ink; }

std::string part_name(const std::string& part, bool begins) {
  static const NamedTexts spoken{{"integers", "integer arithmetic"},
                                 {"instructions", "the issue of instructions"},
                                 {"divider", "the divider"},
                                 {"launch", "launching"}};
  auto* found = value_at(spoken, part);
  std::string name = !found ? part : *found;
  if (begins) name[0] = char(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

Json to_json(const Claim& claim) {
  FieldWriter one;
  one("kind", claim.kind)("about", label_of(claim));
  ROOFTUNE_EACH(one, claim, subject, figures, evidence, doubts);
  return one("text", words_of(claim)).json;
}

}  // namespace rooftune::report
