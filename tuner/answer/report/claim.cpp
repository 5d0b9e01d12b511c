#include "report/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

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

/// A claim that speaks.
struct Spoken : Claim {
  /// "3.21x", "2.37 ms", "84 MB", "98 %".
  std::string figure(const char* name) const {
    const Figure& one = figures.at(name);
    return amount_text(one.value.value, one.unit);
  }

  std::string interval(const char* name) const {
    const Estimate& of = figures.at(name).value;
    return fmt::format("[{}, {}]", significant(of.low, 3), significant(of.high, 3));
  }

  const char* faster() const { return figures.at("time").unit == time_unit ? "faster" : "better"; }

  std::string gain_words() const {
    const Estimate& gain = figures.at("gain").value;
    const std::string but = evidence.empty() ? "" : ", but " + evidence.front();
    if (gain.high > widest_stated * gain.low)
      return fmt::format("{} is at least {} {} than your baseline{}", subject, ratio_text(gain.low),
                         faster(), but);
    return fmt::format("{} is {} {} than your baseline {}{}", subject, figure("gain"), faster(),
                       interval("gain"), but);
  }

  std::string undecided_words() const {
    std::string text = fmt::format("Whether anything is {} than your baseline of {} is not decided",
                                   faster(), subject);
    if (has("gain")) text += fmt::format(": {} {} so far", figure("gain"), interval("gain"));
    return text;
  }

  std::string broke_words() const {
    constexpr size_t shown = 2;
    const auto& all = evidence;
    Texts names(all.begin(), all.begin() + std::min(shown, all.size()));
    if (all.size() > shown) names.push_back(fmt::format("{} more", all.size() - shown));
    return "Broken: " + list_text(names);
  }

  std::string busiest_words() const {
    return fmt::format("{}, the busiest, is {} busy", part_name(evidence.front()), figure("busy"));
  }

  std::string wait_words() const {
    std::string text = fmt::format("No part of the machine is near its limit: {} {} of the time",
                                   subject, figure("share"));
    if (has("each")) text += fmt::format(", {} each", figure("each"));
    return text + "; " + busiest_words();
  }

  std::string bounded_words() const {
    constexpr double at_roof = 1.3;
    const std::string more = figure("at_most");
    if (value_of("at_most") <= 1) return "The limit is " + subject;
    return value_of("at_most") <= at_roof
               ? fmt::format("The limit is {}: no code is more than {} faster", subject, more)
               : fmt::format(
                     "The bound, by {}, allows at most {} more; what lies between was not counted",
                     subject, more);
  }

  std::string more_words() const {
    const double more = value_of("at_most");
    const std::string at_most = more > 1 ? fmt::format("at most {} more", figure("at_most"))
                                : 100 > more * beyond_rate ? "how much more is not known"
                                                           : "no more";
    if (!has("amount")) return at_most + ": " + subject;
    std::string text = fmt::format("{}: {}{} {}", at_most, figure("amount"),
                                   more > 1 ? " at" : ", no slower than", evidence.front());
    if (has("bound"))
      text += fmt::format("; no code is faster than {}, by {}", figure("bound"), evidence.back());
    else if (has("least_time"))
      text += fmt::format("; {} for the {} that {}", figure("least_time"), figure("least"),
                          figures.at("least").unit == byte_unit ? "must be moved" : "are needed");
    return text;
  }

  std::string busy_words() const {
    std::vector<std::pair<double, std::string>> parts;
    for (const auto& [part, share] : figures) parts.emplace_back(share.value.value, part);
    stable_sort(parts, std::greater(), &decltype(parts)::value_type::first);
    // Idle parts are left out, but the busiest part is always named.
    constexpr size_t shown = 4;
    constexpr double idle = 10;
    Texts texts;
    for (const auto& [share, part] : parts)
      if (texts.empty() || (texts.size() < shown && share >= idle))
        texts.push_back(part_name(part) + " " + amount_text(share, "%"));
    std::string text = joined(texts);
    if (!evidence.empty()) text += "; without a measured rate: " + joined(evidence);
    return text;
  }

  std::string tried_words() const {
    Texts texts;
    for (const auto& [change, gain] : figures)
      texts.push_back(change + ": " + ratio_text(gain.value.value));
    return joined(texts) + " (tried in the same race)";
  }

  std::string go_on_words() const {
    if (!subject.empty()) return "yes: " + subject;
    const auto count = [&](const char* name) { return count_text(value_of(name)); };
    const bool late = !evidence.empty() || 2 * value_of("best") >= value_of("trials");
    constexpr double much = 1.2;
    const bool open = has("at_most") && value_of("at_most") > much;
    return fmt::format("{}: last gain after {} of {} trials, {} of {} were tried",
                       late   ? "yes, longer"
                       : open ? "perhaps, longer"
                              : "little is left",
                       count("best"), count("trials"), count("tried"),
                       amount_text(value_of("size"), "configuration"));
  }

  std::string conversion_words() const {
    std::string text = fmt::format("{} takes {}, the time of {} calls", subject, figure("time"),
                                   significant(value_of("calls"), 2));
    if (has("pays_off")) text += "; pays off after " + count_text(value_of("pays_off"));
    return text;
  }
};

struct KindWords {
  Claim::Kind kind;
  const char* label;  ///< its line's; empty: a sentence
  const char* word;   ///< the glossary's
  Ink ink;
  std::function<std::string(const Spoken&)> text;
};

/// The row for a kind.
const KindWords& row_of(Claim::Kind kind) {
  using K = Claim::Kind;
  static const KindWords rows[] = {
      {K::faster, "", "speed-up", Ink::green, &Spoken::gain_words},
      {K::baseline_best, "", "baseline", Ink::yellow,
       [](const Spoken& c) {
         return fmt::format("Nothing is {} than your baseline of {}", c.faster(), c.subject);
       }},
      {K::undecided, "", "speed-up", Ink::yellow, &Spoken::undecided_words},
      {K::no_gain, "", "baseline", Ink::yellow,
       [](const Spoken& c) {
         return fmt::format("{} takes {}, and nothing else was compared with it", c.subject,
                            c.figure("time"));
       }},
      {K::not_measured, "", "", Ink::red,
       [](const Spoken& c) {
         return fmt::format("No configuration of {} could be measured", c.subject);
       }},
      {K::broke, "", "broke", Ink::none, &Spoken::broke_words},
      {K::at_limit, "", "busy", Ink::none,
       [](const Spoken& c) {
         constexpr double slow = 75;
         const double busy = c.value_of("busy");
         const bool beyond = busy > beyond_rate;
         std::string text = fmt::format("{} is {}the limit, {}", part_name(c.subject, true),
                                        beyond ? "likely " : "",
                                        beyond ? "faster than its micro-kernel in the same rounds"
                                        : busy >= full_rate ? "at its full rate"
                                                            : c.figure("busy") + " busy");
         if (c.has("given") && c.value_of("given") < slow)
           text += fmt::format(", {} of the fastest seen here", c.figure("given"));
         return text;
       }},
      {K::waits, "", "busy", Ink::none, &Spoken::wait_words},
      {K::below, "", "busy", Ink::none,
       [](const Spoken& c) {
         constexpr double near = 60;
         return c.value_of("busy") >= near
                    ? fmt::format("{} is nearest to its limit, {} busy", part_name(c.subject, true),
                                  c.figure("busy"))
                    : "No part of the machine is near its limit: " + c.busiest_words();
       }},
      {K::bounded, "", "bound", Ink::none, &Spoken::bounded_words},
      {K::no_bound, "", "bound", Ink::none,
       [](const Spoken& c) { return "How fast it could be is not known: " + c.subject; }},
      {K::above_roof, "", "bound", Ink::red,
       [](const Spoken& c) {
         return fmt::format(
             "It takes {} of the least time of {}: a ceiling, the kernel's model or "
             "the measurement is wrong",
             c.figure("ratio"), c.subject);
       }},
      {K::more, "", "bound", Ink::none, &Spoken::more_words},
      {K::no_steps, "steps", "staircase", Ink::none, &Spoken::subject},
      {K::shortened, "steps", "staircase", Ink::none, &Spoken::subject},
      {K::busy, "busy", "busy", Ink::none, &Spoken::busy_words},
      {K::next_tried, "next", "", Ink::none, &Spoken::tried_words},
      {K::next_other, "next", "", Ink::none,
       [](const Spoken& c) {
         return c.subject + ", by another layout or algorithm: " + joined(c.evidence);
       }},
      {K::next_none, "next", "", Ink::none,
       [](const Spoken&) {
         return std::string("nothing: the most promising values were tried and gained nothing");
       }},
      {K::stop, "go on", "", Ink::none, [](const Spoken& c) { return "no: " + c.subject; }},
      {K::go_on, "go on", "", Ink::none, &Spoken::go_on_words},
      {K::conversion, "conversion", "conversion", Ink::none, &Spoken::conversion_words},
      {K::beware, "beware", "", Ink::none, &Spoken::subject},
      {K::failed, "failed", "outcome", Ink::none, &Spoken::subject}};
  return *std::ranges::find(rows, kind, &KindWords::kind);
}

}  // namespace

bool is_at_full_rate(double busy) { return busy >= full_rate && busy <= beyond_rate; }

std::string words_of(const Claim& claim) { return row_of(claim.kind).text({claim}); }
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
  if (begins) name[0] = char(std::toupper(uint8_t(name[0])));
  return name;
}

Json to_json(const Claim& claim) {
  FieldWriter one;
  one("kind", claim.kind)("about", label_of(claim));
  ROOFTUNE_EACH(one, claim, subject, figures, evidence, doubts);
  return one("text", words_of(claim)).json;
}

}  // namespace rooftune::report
