#include "report/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "study/machines.h"

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

/// The time over the bound for the headline: beside the binding ceiling where it ran in the same
/// rounds, free of slowdowns of both, unless known worse.
const Estimate& stated_gap(const StudyResult& result) {
  if (result.inputs && result.inputs->gap) return *result.inputs->gap;
  const Estimate& ever = result.best->gap.total;
  const bool beside = result.paired_gap && !result.best->gap.above_roof &&
                      spread_of(*result.paired_gap) <= std::max(spread_of(ever), wide_interval);
  return beside ? *result.paired_gap : ever;
}

bool by_energy(const StudyResult& result) { return result.ranked_by == Figure::energy; }

/// Baseline over best in the study's ranking figure.
std::optional<Estimate> stated_gain(const StudyResult& result) {
  if (by_energy(result)) return result.saving;
  return result.inputs ? result.inputs->speedup : result.speedup;
}

/// Main part of the gap, as far as counted.
std::string main_gap(const StudyResult& result) {
  if (stated_gap(result).value <= result.target_gap) return "the gap is closed";
  const Gap& gap = result.best->gap;
  if (!gap.work || !gap.traffic || !gap.rate) return limit_name(result) + " is the limit";
  const double most = std::max({*gap.work, *gap.traffic, *gap.rate});
  if (most == *gap.work) return "needless operations are what is left";
  if (most == *gap.traffic) return "memory traffic is what is left";
  return fmt::format("it moves and computes little more than it must, but below the rate of {}",
                     limit_name(result));
}

void doubt_width(Phrase& phrase, const Estimate& figure) {
  if (spread_of(figure) > wide_interval)
    phrase.doubts.push_back(fmt::format("between {} and {} (95 % interval)", ratio_text(figure.low),
                                        ratio_text(figure.high)));
}

/// "spmv", "spmv over 3 inputs".
std::string subject(const StudyResult& result) {
  if (!result.inputs) return result.identity.kernel;
  return fmt::format("{} over {} inputs", result.identity.kernel, result.inputs->rows.size());
}

/// Of several inputs the absence of a speed-up says the same, where the baseline ran.
bool baseline_is_best(const StudyResult& result) {
  return result.inputs ? result.inputs->baseline_gap && !result.inputs->speedup
                       : result.baseline_stands;
}

/// Conjunction between the first and the second phrase.
const char* conjunction(const StudyResult& result) {
  return baseline_is_best(result) ? ", which is" : stated_gain(result) ? "and" : "and is";
}

Phrase gain_phrase(const StudyResult& result) {
  const bool energy = by_energy(result);
  if (const auto gain = stated_gain(result); gain && !baseline_is_best(result)) {
    Phrase phrase{
        fmt::format("{} {} {} {} than your baseline", subject(result), energy ? "needs" : "is",
                    ratio_text(gain->value), energy ? "less energy" : "faster"),
        result.inconclusive};
    doubt_width(phrase, *gain);
    return phrase;
  }
  if (baseline_is_best(result))
    return {fmt::format("Nothing {} {} than your baseline of {}",
                        result.inconclusive.empty() ? "is" : "was shown to be",
                        energy ? "thriftier" : "faster", subject(result)),
            result.inconclusive};
  return {fmt::format("{} has no {} to state", subject(result),
                      energy ? "saving of energy" : "speed-up"),
          {!result.no_baseline_because.empty()  ? result.no_baseline_because
           : !result.no_speedup_because.empty() ? result.no_speedup_because
                                                : "best and baseline were not raced"}};
}

Phrase limit_phrase(const StudyResult& result) {
  if (!result.bound.known())
    return {"; how fast it could be is not known", {bound_sentence(result)}};
  if (result.best->gap.above_roof) {
    Phrase phrase{
        fmt::format("{} above the roof of {}", conjunction(result), machine_words(result)),
        result.flags};
    phrase.doubts.push_back(
        fmt::format("{} of the bound: a ceiling, the work model or the validation is wrong; tune "
                    "probe --verify finds and repairs a ceiling",
                    ratio_interval(result.best->gap.total)));
    return phrase;
  }
  const Estimate& gap = stated_gap(result);
  Phrase phrase{fmt::format("{} within {} of what {} can do",
                            by_energy(result) ? "; its time is" : conjunction(result),
                            ratio_text(gap.value), machine_words(result)),
                {}};
  doubt_width(phrase, gap);
  const double ever = result.best->gap.total.value;
  if (!result.inputs && ever > wide_interval * gap.value)
    phrase.doubts.push_back(fmt::format(
        "as the machine was while it ran; {} of what it gave at its fastest", ratio_text(ever)));
  else if (!result.inputs && gap.value > negligible * ever)
    phrase.doubts.push_back(
        fmt::format("the ceiling that binds ran faster beside it than on record; {} of that record",
                    ratio_text(ever)));
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
    if (entry.state != LedgerEntry::State::broken || entry.knobs.empty()) continue;
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

/// "0.52 J per call [0.51, 0.53] for 0.7 J [0.69, 0.71], 1.34x less [1.3, 1.4]; its time is ...".
std::string energy_line(const StudyResult& result) {
  if (!by_energy(result) || !result.best->joules) return {};
  std::string text = joules_interval(*result.best->joules) + " per call of the whole card";
  if (result.baseline && result.baseline->joules && !baseline_is_best(result))
    text += ", the baseline's " + joules_interval(*result.baseline->joules);
  if (result.saving && !baseline_is_best(result))
    text += fmt::format(": {} less", ratio_interval(*result.saving));
  if (result.speedup && !baseline_is_best(result))
    text += fmt::format("; the baseline takes {} its time", ratio_interval(*result.speedup));
  return text;
}

/// The changes whose removal costs time, dearest first.
std::string helped_line(const StudyResult& result) {
  if (baseline_is_best(result)) return {};
  if (!result.ablation) return "not measured: " + result.no_ablation_because;
  constexpr std::size_t shown = 4;
  std::vector<KnobEffect> effects = result.effects.single;
  if (effects.empty() && !result.ablation->knobs.empty())
    return "not measured: " + result.ablation->knobs.front().absent_because;
  std::erase_if(effects, [](const KnobEffect& effect) { return effect.factor.low <= 1; });
  std::ranges::stable_sort(effects, std::greater(),
                           [](const KnobEffect& effect) { return effect.factor.value; });
  if (effects.empty()) return "no single change does beyond the noise";
  std::vector<std::string> texts;
  for (const KnobEffect& effect : effects) {
    const SetBack& back = result.ablation->knobs[effect.index];
    if (texts.size() == shown) {
      texts.push_back(fmt::format("{} more", effects.size() - shown));
      break;
    }
    texts.push_back(fmt::format("{} {} -> {} ({}{})", back.knob, to_text(back.from),
                                to_text(back.to), ratio_text(effect.factor.value),
                                by_energy(result) ? " less energy" : ""));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The next ceiling or wall ahead of the best, and the knobs for it.
std::string next_line(const StudyResult& result) {
  const LedgerDigest digest = ledger_digest(result);
  const auto ahead = std::find_if(digest.rows.begin(), digest.rows.end(), [](const LedgerRow& row) {
    const auto state = row.entry.state;
    return !row.entry.lacks.empty() &&
           (state == LedgerEntry::State::above || state == LedgerEntry::State::touching);
  });
  if (ahead == digest.rows.end()) return {};
  const LedgerEntry& entry = ahead->entry;
  std::vector<std::string> knobs;
  for (const Knob& knob : result.space.knobs)
    if (knob.collapsed.empty() && breaks_one(knob.breaks, entry.lacks)) knobs.push_back(knob.name);
  const bool wall = entry.kind == LedgerEntry::Kind::wall;
  return fmt::format("{}{}, {}: {}", wall ? "the wall " : "", short_name(entry),
                     seconds_text(entry.time.value()),
                     knobs.empty() ? "no knob of this space is for it, it takes other code"
                                   : "knobs for it are " + list_text(knobs));
}

/// Whether more search can help, from how it ended.
std::string go_on_line(const StudyResult& result) {
  // At the bound of time, energy may still fall.
  const bool by_time = !by_energy(result);
  if (by_time && result.best && result.space_bound && result.space_bound->time.time.value() > 0) {
    const double over = result.best->seconds.value / result.space_bound->time.time.value();
    // Further below it, bound or space file are wrong: then it proves nothing.
    if (over < negligible && over > 2 - negligible)
      return "no: the best is within 5 % of what any configuration of this space can do";
  }
  if (!time_helps(result.stop.reason)) return "no: " + result.stop.sentence;
  const std::string tried = fmt::format("{} of {} configurations were tried", result.trials.size(),
                                        extent_text(result.space.extent));
  if (result.stop.reason == StopReason::interrupted)
    return fmt::format("yes: {}; {}", result.stop.sentence, tried);
  return fmt::format("yes, with a longer --budget: {}", tried);
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
    line("trials", outcome_sentence(result));
    return answer;
  }
  using Verdict = Answer::Verdict;
  answer.verdict = result.best->gap.above_roof    ? Verdict::above_the_roof
                   : !result.inconclusive.empty() ? Verdict::undecided
                   : baseline_is_best(result)     ? Verdict::baseline_best
                   : !stated_gain(result)         ? Verdict::undecided
                   : by_energy(result)            ? Verdict::thriftier
                                                  : Verdict::faster;
  answer.headline = {gain_phrase(result), limit_phrase(result)};
  if (result.bound.known() && !result.best->gap.above_roof)
    answer.headline.push_back({"; " + main_gap(result), {}});
  line("energy", energy_line(result));
  line("limited by", limited_line(result));
  line("broke", broke_line(result), "broken");
  line("helped", helped_line(result));
  if (result.inputs) line("by input", gain_sentence(*result.inputs));
  line("conversion", conversion_sentence(result));
  line("next", next_line(result));
  line("go on?", go_on_line(result));
  return answer;
}

Json to_json(const Answer& answer) {
  Json phrases = Json::array(), lines = Json::array();
  for (const Phrase& phrase : answer.headline)
    phrases.push_back({{"text", phrase.text}, {"doubts", phrase.doubts}});
  for (const AnswerLine& line : answer.lines)
    lines.push_back({{"about", line.about}, {"text", line.text}});
  return {{"verdict", word(answer.verdict)}, {"headline", phrases}, {"lines", lines}};
}

}  // namespace rooftune::report
