#include "report/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "study/platform.h"

namespace rooftune::report {
namespace {

/// A gap too small to go on for.
constexpr double negligible = 1.05;

std::string machine_words(const StudyResult& result) {
  const std::string& name = result.roofline.machine.name;
  return name == host_machine ? "this machine" : name;
}

/// How many times the interval's upper end is its lower one.
double spread_of(const Estimate& figure) { return figure.high / figure.low; }

/// A wider interval supports its low end only.
constexpr double widest_stated = 3;
/// It may be closed as well as wide: nothing follows.
bool is_open(const Estimate& gap) { return spread_of(gap) > widest_stated && gap.low <= 1; }

/// "3.89x"; of a wide interval "at least 2.10x".
std::string stated(const Estimate& factor) {
  return spread_of(factor) > widest_stated ? "at least " + ratio_text(factor.low)
                                           : ratio_text(factor.value);
}

/// Baseline over best; an interval that holds 1 states none.
std::optional<Estimate> stated_gain(const StudyResult& result) {
  const auto& gain = result.inputs ? result.inputs->speedup : result.speedup;
  return gain && gain->low > 1 ? gain : std::nullopt;
}

/// Of several inputs the absence of a speed-up says the same, where the baseline ran.
bool baseline_is_best(const StudyResult& result) {
  return result.baseline_stands ||
         (result.inputs && result.inputs->baseline_gap && !result.inputs->speedup);
}

/// The one gap that headline, tables and page state: over the bound, which is of the fastest that
/// the machine was seen to be.
const Estimate& stated_gap(const StudyResult& result) {
  return result.inputs && result.inputs->gap ? *result.inputs->gap : result.best->gap.total;
}

/// A factor worth a word.
constexpr double noticeable = 1.1;
/// Within this of its bound code is at that roof.
constexpr double at_roof = 1.3;

/// What was counted above the least of any variant, largest first.
struct Excess {
  double factor;
  const char* verb;     ///< "computes", "moves"
  Paradigms paradigms;  ///< of knobs that may lower it
};
std::vector<Excess> excesses(const Gap& gap) {
  std::vector<Excess> all;
  using P = Paradigm;
  if (gap.work.value_or(1) > noticeable) all.push_back({*gap.work, "computes", {P::work}});
  if (gap.traffic.value_or(1) > noticeable)
    all.push_back({*gap.traffic,
                   "moves",
                   {P::capacity, P::compulsory, P::conflict, P::nt_store, P::write_allocate}});
  std::ranges::stable_sort(all, std::greater(), &Excess::factor);
  return all;
}

bool counted(const Gap& gap) { return gap.work && gap.traffic && gap.rate; }

/// How far the rate is from its ceiling; the least of it where the time says no more; 1 unknown.
double certain_rate(const StudyResult& result) {
  const Estimate& gap = stated_gap(result);
  const double rate = result.best->gap.rate.value_or(1);
  return spread_of(gap) > widest_stated ? rate * gap.low / gap.value : rate;
}

/// What is between the best and the bound: factors as counted, or the roof that it is at.
Phrase rest_phrase(const StudyResult& result) {
  const double total = stated_gap(result).value;
  const bool undecided = is_open(stated_gap(result));
  // Below the bound the measurement is in doubt, and nothing is closed.
  if (!undecided && total <= result.target_gap && total * result.target_gap >= 1 &&
      result.flags.empty())
    return {"; the gap is closed", {}};
  const Gap& gap = result.best->gap;
  std::vector<std::string> factors;
  for (const Excess& excess : excesses(gap))
    factors.push_back(fmt::format("{} {}", excess.verb, ratio_text(excess.factor)));
  std::string slower;
  const double rate = certain_rate(result);
  if (rate > noticeable)
    slower = fmt::format("runs {}{} below the rate of {}", rate < *gap.rate ? "at least " : "",
                         ratio_text(rate), limit_name(result));
  if (const std::string why = bottleneck_sentence(result); rate > at_roof && !why.empty())
    slower += ": " + why;
  if (!factors.empty())
    return {fmt::format("; it {} what it must{}", fmt::join(factors, " and "),
                        slower.empty() ? "" : ", and " + slower),
            {}};
  if (undecided) return {};
  if (total <= at_roof || (counted(gap) && *gap.rate <= at_roof))
    return {fmt::format("; {} is the limit", limit_name(result)), {}};
  if (counted(gap))
    return {"; it computes and moves little more than it must" +
                (slower.empty() ? slower : ", but " + slower),
            {}};
  Phrase open{"; what lies between was not counted", {}};
  if (!gap.unknown_because.empty()) open.doubts.push_back(gap.unknown_because);
  return open;
}

void doubt(Phrase& phrase, const Estimate& figure) {
  constexpr double nothing = 0.01;
  const std::string low = ratio_text(figure.low), high = ratio_text(figure.high);
  phrase.doubts.push_back(figure.low < nothing * figure.value
                              ? fmt::format("at most {} (95 % interval)", high)
                              : fmt::format("between {} and {} (95 % interval)", low, high));
}

void doubt_width(Phrase& phrase, const Estimate& figure) {
  if (spread_of(figure) > wide_interval) doubt(phrase, figure);
}

/// "spmv", "spmv over 3 inputs".
std::string subject(const StudyResult& result) {
  if (!result.inputs) return result.identity.kernel;
  return fmt::format("{} over {} inputs", result.identity.kernel, result.inputs->rows.size());
}

/// Conjunction between the first and the second phrase.
const char* conjunction(const StudyResult& result) {
  return baseline_is_best(result) ? ", which is" : stated_gain(result) ? "and" : "and is";
}

Phrase gain_phrase(const StudyResult& result) {
  const char* const faster = result.own_figure ? "better" : "faster";
  if (result.busy)
    return {fmt::format("The machine was busy: not decided whether anything is {} than your "
                        "baseline of {}",
                        faster, subject(result)),
            result.inconclusive};
  if (const auto gain = stated_gain(result); gain && !baseline_is_best(result)) {
    Phrase phrase{
        fmt::format("{} is {} {} than your baseline", subject(result), stated(*gain), faster),
        result.inconclusive};
    doubt_width(phrase, *gain);
    return phrase;
  }
  if (baseline_is_best(result))
    return {fmt::format("Nothing {} {} than your baseline of {}",
                        result.inconclusive.empty() ? "is" : "was shown to be", faster,
                        subject(result)),
            result.inconclusive};
  if (result.speedup && !result.inputs) {
    Phrase phrase{
        fmt::format("{} was not shown to be {} than your baseline", subject(result), faster),
        result.inconclusive};
    doubt(phrase, *result.speedup);
    return phrase;
  }
  return {fmt::format("{} has no {} to state", subject(result),
                      result.own_figure ? "gain" : "speed-up"),
          {!result.no_baseline_because.empty()  ? result.no_baseline_because
           : !result.no_speedup_because.empty() ? result.no_speedup_because
                                                : "best and baseline were not raced"}};
}

Phrase limit_phrase(const StudyResult& result) {
  if (!result.bound.known())
    return {"; how fast it could be is not known", {bound_sentence(result)}};
  const Estimate& gap = stated_gap(result);
  const std::string machine = machine_words(result);
  if (result.best->gap.above_roof) {
    Phrase phrase{
        fmt::format("; its time is {} of the bound, faster than {} can be", stated(gap), machine),
        result.flags};
    phrase.doubts.emplace_back(
        "a ceiling, the kernel's model or the measurement is wrong; tune probe --full measures "
        "the ceilings again");
    return phrase;
  }
  const char* link = conjunction(result);
  Phrase phrase;
  const bool wide = spread_of(gap) > widest_stated;
  if (is_open(gap))
    phrase.text = fmt::format("; its distance from what {} can do is not decided", machine);
  else if (gap.value < 1)
    phrase.text = fmt::format("{} at what {} can do, as far as its interval tells", link, machine);
  else if (wide)
    phrase.text = fmt::format("{} {} from what {} can do", link, stated(gap), machine);
  else
    phrase.text = fmt::format("{} within {} of what {} can do", link, stated(gap), machine);
  doubt_width(phrase, gap);
  if (const auto& beside = result.paired_gap;
      beside && !result.inputs &&
      std::max(beside->value / gap.value, gap.value / beside->value) > negligible)
    phrase.doubts.push_back(fmt::format("{} of what the ceiling that binds gave in the same rounds",
                                        ratio_interval(*beside)));
  if (result.best->gap.work.value_or(1) < 1 / noticeable)
    phrase.doubts.push_back(
        fmt::format("the kernel declares {} the work that was counted: its bound is too long",
                    ratio_text(1 / *result.best->gap.work)));
  phrase.doubts.insert(phrase.doubts.end(), result.flags.begin(), result.flags.end());
  return phrase;
}

/// "DRAM bandwidth, 34.0 GB/s [33.3, 34.2], measured 2026-11-21".
std::string limited_line(const StudyResult& result) {
  const Bound& bound = result.bound;
  if (!bound.known()) return {};
  std::string text = limit_name(result);
  if (const Ceiling* binds = ceiling_named(result.roofline.machine.ceilings, bound.ceiling))
    text += ", " + ceiling_text(*binds, true);
  text += fmt::format(", {}", to_text(bound.source.kind));
  if (!bound.source.date.empty()) text += " " + bound.source.date.substr(0, 10);
  if (result.space_bound) {
    const double seconds = result.space_bound->time.time.value();
    if (seconds > negligible * bound.time.value())
      text += fmt::format("; no variant of this space can be faster than {}, {} the bound",
                          seconds_text(seconds), ratio_text(seconds / bound.time.value()));
  }
  return text;
}

/// The kinds of broken ceilings or walls, once each, with the cause.
std::string broke_line(const StudyResult& result) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> texts;
  std::size_t more = 0;
  // From the roof downwards: hardest to pass first.
  const LedgerDigest digest = ledger_digest(result);
  for (auto row = digest.rows.rbegin(); row != digest.rows.rend(); ++row) {
    const LedgerEntry& entry = row->entry;
    // A step of the search changes several knobs and proves no cause.
    if (entry.state != LedgerEntry::State::broken ||
        entry.evidence != LedgerEntry::Evidence::ablation)
      continue;
    if (texts.size() == shown) {
      ++more;
      continue;
    }
    std::vector<std::string> knobs;
    for (const Step::Change& change : entry.knobs) knobs.push_back(change.knob);
    texts.push_back(fmt::format("{} (by {})", short_name(entry), list_text(knobs)));
  }
  std::string text = fmt::format("{}", fmt::join(texts, "; "));
  if (more > 0) text += fmt::format("; {} more", more);
  return text;
}

/// The changes whose removal costs time, dearest first.
std::string helped_line(const StudyResult& result) {
  if (baseline_is_best(result)) return {};
  if (!result.ablation) return "not measured: " + result.no_ablation_because;
  constexpr std::size_t shown = 4;
  std::vector<KnobEffect> effects = result.effects.single;
  const std::vector<SetBack>& all = result.ablation->knobs;
  if (effects.empty() && !all.empty()) return "not measured: " + all.front().absent_because;
  std::erase_if(effects, [](const KnobEffect& effect) { return effect.factor.low <= 1; });
  std::ranges::stable_sort(effects, std::greater(),
                           [](const KnobEffect& effect) { return effect.factor.value; });
  std::vector<std::string> texts;
  for (const KnobEffect& effect : effects) {
    const SetBack& back = all[effect.index];
    if (texts.size() == shown) {
      texts.push_back(fmt::format("{} more", effects.size() - shown));
      break;
    }
    texts.push_back(fmt::format("{} {} -> {} ({})", back.knob, to_text(back.from), to_text(back.to),
                                ratio_text(effect.factor.value)));
  }
  const auto measured = static_cast<std::size_t>(std::ranges::count_if(all, &SetBack::measured));
  const std::size_t open = all.size() - measured;
  const char* none = open == 0 ? "no single change does beyond the noise"
                               : "none of those measured does beyond the noise";
  std::string text = texts.empty() ? none : fmt::format("{}", fmt::join(texts, ", "));
  if (open > 0) {
    const SetBack& first = *std::ranges::find(all, false, &SetBack::measured);
    text += fmt::format("; {} of {} not measured ({}: {})", open, all.size(), first.knob,
                        first.absent_because);
  }
  return text;
}

/// The largest factor that was counted of the best, and values for it that no trial had: those that
/// the trials speak for, or that they speak against all.
std::string next_line(const StudyResult& result) {
  const std::vector<Excess> left = excesses(result.best->gap);
  if (left.empty() || stated_gap(result).value <= result.target_gap) return {};
  const Excess& most = left.front();
  constexpr std::size_t shown = 3;
  std::vector<std::string> open, slower;
  for (const Untried& untried : result.untried) {
    const Knob& knob = *std::ranges::find(result.space.knobs, untried.knob, &Knob::name);
    const Value& now = result.best->configuration.at(knob.name);
    const auto suited = [&](const std::vector<Value>& values) {
      std::vector<std::string> texts;
      for (const Value& value : values)
        if (can_add({knob.name, now, value, knob.breaks}, most.paradigms))
          texts.push_back(to_text(value));
      return texts;
    };
    for (const auto& [values, lines] :
         {std::pair(suited(untried.values), &open), std::pair(suited(untried.slower), &slower)})
      if (!values.empty() && lines->size() < shown)
        lines->push_back(fmt::format("{} {} ({} now)", knob.name, list_text(values), to_text(now)));
  }
  const char* none = slower.empty() ? "no knob has an untried value for it beside the best's others"
                                    : "the trials speak against all that was not tried: ";
  return fmt::format(
      "it {} {} what it must: {}{}", most.verb, ratio_text(most.factor),
      open.empty() ? none : "not tried yet: ", fmt::join(open.empty() ? slower : open, "; "));
}

}  // namespace

std::string Answer::joined(const Phrase& phrase) const {
  const bool closes = phrase.text.starts_with(';') || phrase.text.starts_with(',');
  return (&phrase == headline.data() || closes ? "" : " ") + phrase.text;
}

std::string Answer::sentence() const {
  std::string text;
  for (const Phrase& phrase : headline) text += joined(phrase);
  return text;
}

Answer answer(const StudyResult& result) {
  Answer answer;
  const auto line = [&](const char* about, const std::string& text, const char* word = nullptr) {
    if (!text.empty()) answer.lines.push_back({about, text, word ? word : about});
  };
  if (!result.best || (result.inputs && !result.inputs->gap)) {
    answer.headline = {
        {fmt::format("No configuration of {} could be measured", result.identity.kernel), {}}};
    line("because", result.no_baseline_because);
    if (result.trials.size() > 1) line("failed", failure_sentence(result));
    line("go on?", result.stop.reason == StopReason::baseline_failed ? result.stop.sentence : "");
    return answer;
  }
  using Verdict = Answer::Verdict;
  answer.verdict = result.best->gap.above_roof    ? Verdict::above_the_roof
                   : !result.inconclusive.empty() ? Verdict::undecided
                   : baseline_is_best(result)     ? Verdict::baseline_best
                   : !stated_gain(result)         ? Verdict::undecided
                                                  : Verdict::faster;
  answer.headline = {gain_phrase(result), limit_phrase(result)};
  if (result.bound.known() && !result.best->gap.above_roof)
    answer.headline.push_back(rest_phrase(result));
  line(stated_gap(result).value <= at_roof ? "limited by" : "bound by", limited_line(result),
       "limited by");
  line("its code", code_sentence(result), "reachable");
  line("broke", broke_line(result), "broken");
  line("helped", helped_line(result));
  line("conversion", conversion_sentence(result));
  line("beware", caution_sentence(result));
  line("failed", failure_sentence(result));
  line("next", next_line(result));
  line("go on?", go_on_sentence(result));
  return answer;
}

}  // namespace rooftune::report
