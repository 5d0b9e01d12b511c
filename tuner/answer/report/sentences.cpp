#include "report/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "report/figures.h"
#include "report/glossary_text.h"
#include "roofline/busy.h"

namespace rooftune::report {
namespace {

std::string factor(const char* name, const std::optional<double>& value) {
  return fmt::format("{} {}", name, value ? significant(*value, 3) : "unknown");
}

/// Entries with the same meaning for the reader.
bool alike(const LedgerEntry& a, const LedgerEntry& b) {
  return a.kind == b.kind && a.state == b.state && a.lacks == b.lacks && a.knobs == b.knobs &&
         a.evidence == b.evidence && a.kind != LedgerEntry::Kind::wall;
}

}  // namespace

std::string gap_sentence(const Gap& gap) {
  if (!(gap.total.value > 0)) return "unknown: neither work nor traffic is stated";
  std::string text =
      fmt::format("{} = {} x {} x {}", ratio_text(gap.total.value), factor("work", gap.work),
                  factor("traffic", gap.traffic), factor("rate", gap.rate));
  if (!gap.work || !gap.traffic || !gap.rate)
    text += fmt::format(
        " ({})", gap.unknown_because.empty() ? "no reason was recorded" : gap.unknown_because);
  return text;
}

std::string bound_sentence(const StudyResult& result) {
  const Bound& bound = result.bound;
  if (!bound.known())
    return "no limit was given; --work and --traffic, what a run does at least, would make one";
  std::string text = bound.ceiling;
  if (const Ceiling* binds = ceiling_named(result.roofline.machine.ceilings, bound.ceiling))
    text += ", " + ceiling_text(*binds, true);
  text += "; " + source_text(bound.source);
  if (!bound.also.empty()) text += fmt::format("; within its interval: {}", list_text(bound.also));
  return text;
}

std::string bottleneck_sentence(const StudyResult& result) {
  if (!result.best || !result.best->counts) return {};
  const Limit found = limit(*result.best->counts, result.roofline, result.best->seconds);
  const auto percent = [](double share) { return std::lround(100 * share); };
  std::vector<std::string> texts;
  if (found.cause) {
    const Cause& cause = *found.cause;
    const long share = percent(cause.share);
    switch (cause.kind) {
      case Cause::Kind::regions:
        texts.push_back(fmt::format("{:.0f} parallel regions take {} % of the time even when empty",
                                    cause.amount, share));
        break;
      case Cause::Kind::imbalance:
        texts.push_back(fmt::format("the busiest thread executes {} of the threads' mean",
                                    ratio_text(cause.amount)));
        break;
      case Cause::Kind::dependent_loads:
        texts.push_back(
            fmt::format("{:.0f} loads that wait for one another take {} % of the time, {} each",
                        cause.amount, share, seconds_text(cause.seconds)));
        break;
      case Cause::Kind::dependent_operations:
        texts.push_back(
            fmt::format("{:.0f} operations that wait for one another take {} % of the time",
                        cause.amount, share));
        break;
    }
  }
  std::vector<std::string> parts;
  for (const BusyPart& part : found.parts)
    if (parts.size() < 3)
      parts.push_back(fmt::format("{} {} %", part.part, percent(part.share.value)));
  if (!parts.empty()) texts.push_back("busy: " + list_text(parts));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string space_sentence(const StudyResult& result) {
  if (!result.space_bound) return {};
  constexpr double noticeable = 1.01;
  const double seconds = result.space_bound->time.time.value();
  const double over = seconds / result.bound.time.value();
  if (!(over > noticeable)) return {};
  return fmt::format("no variant of this space can be faster than {}, {} the bound: {}",
                     seconds_text(seconds), ratio_text(over), result.space_bound->because);
}

std::string reach_sentence(const StudyResult& result) {
  const auto& reached = result.bound.reached;
  if (!reached) return {};
  return fmt::format("\"{}\" was seen to do as much in {}, {} the bound", reached->ceiling,
                     seconds_text(reached->time.value()),
                     ratio_text(reached->time / result.bound.time));
}

std::string code_sentence(const StudyResult& result) {
  if (!result.best->reach || !result.bound.known() || result.inputs) return {};
  const CallTime& reach = *result.best->reach;
  return fmt::format("the instructions of the best need {} by their {}, {} the bound of any code",
                     seconds_text(reach.reachable.value()), reach.reached_by,
                     ratio_text(reach.reachable / result.bound.time));
}

std::string tie_sentence(const StudyResult& result) {
  if (result.ties.empty()) return {};
  std::vector<std::string> names;
  for (const Contender& tie : result.ties)
    names.push_back(changed_knobs(result, tie.configuration));
  return fmt::format(
      "{} cannot be told from the best beyond the noise after {} interleaved rounds: {}",
      names.size() == 1 ? "1 other configuration"
                        : fmt::format("{} other configurations", names.size()),
      result.race_rounds, fmt::join(names, "; "));
}

std::string study_sentence(const StudyResult& result) {
  const ResultIdentity& study = result.identity;
  std::string text =
      fmt::format("{} on {}: {}, ", study.kernel, result.roofline.machine.name, study.backend);
  const int threads = result.roofline.threads;
  text += fmt::format("at most {} thread{}, ", threads, threads == 1 ? "" : "s");
  text += result.bound.known() ? study.cache_state + " caches" : "no limit given";
  if (study.amortize > 0)
    text += fmt::format(", conversions shared among {} calls", count_text(study.amortize));
  return text;
}

std::string conversion_sentence(const StudyResult& result) {
  const Trial* best = result.best ? find_trial(result, result.best->trial) : nullptr;
  if (!best || !best->measurement) return {};
  const Measurement& mine = *best->measurement;
  if (!(mine.prepare_seconds > 0)) return {};
  const double call = result.best->seconds.value - mine.amortised_seconds;
  std::string text =
      fmt::format("{} takes {}, as long as {} of its calls",
                  result.roofline.machine.is_gpu()
                      ? "bringing the best's data to the card, any layout of its own included,"
                      : "making the best's own data layout",
                  seconds_text(mine.prepare_seconds), significant(mine.prepare_seconds / call, 3));
  const Trial* baseline = result.baseline ? find_trial(result, result.baseline->trial) : nullptr;
  if (!baseline || !baseline->measurement || baseline == best) return text;
  const Measurement& other = *baseline->measurement;
  const double saved = result.baseline->seconds.value - other.amortised_seconds - call;
  const double more = mine.prepare_seconds - other.prepare_seconds;
  if (saved > 0 && more > 0)
    text += fmt::format("; it pays off against the baseline after {} call{}",
                        count_text(std::ceil(more / saved)), more > saved ? "s" : "");
  return text;
}

std::vector<std::string> collapsed_knobs(const StudyResult& result) {
  std::vector<std::string> texts;
  for (const Knob& knob : result.space.knobs)
    if (!knob.collapsed.empty())
      texts.push_back(
          fmt::format("{} = {}: {}", knob.name, to_text(knob.fallback), knob.collapsed));
  return texts;
}

std::string limit_name(const StudyResult& result) {
  const Ceiling* ceiling = ceiling_named(result.roofline.machine.ceilings, result.bound.ceiling);
  if (!ceiling) return result.bound.ceiling;
  if (ceiling->kind == Ceiling::Kind::launch) return "the time of a launch";
  if (ceiling->kind != Ceiling::Kind::in_core) return ceiling->level + " bandwidth";
  if (ceiling->mix.empty()) return ceiling->precision + " peak";
  std::string name = ceiling->precision + " ";
  for (const char c : ceiling->mix) name += c == '_' ? " + " : std::string(1, c);
  return name;
}

std::string cost_sentence(const StudyResult& result) {
  const Cost& cost = result.cost;
  const bool together = cost.waiting < 0.99 * cost.build;
  std::string text = fmt::format(
      "{} for {} trials: build {}{}, validate {}, time {}", duration_text(cost.total),
      result.trials.size(), duration_text(cost.build),
      together
          ? fmt::format(" ({} of waiting: several compilers at once)", duration_text(cost.waiting))
          : "",
      duration_text(cost.validate), duration_text(cost.time));
  if (result.waited > cost.total)
    text += fmt::format("; {} in all, with preparing, races, set-backs and counts",
                        duration_text(result.waited));
  return text;
}

std::string go_on_sentence(const StudyResult& result) {
  constexpr double negligible = 1.05;
  if (result.best && result.space_bound && result.space_bound->time.time.value() > 0) {
    const double over = result.best->seconds.value / result.space_bound->time.time.value();
    // Further below it, bound or space file are wrong: then it proves nothing.
    if (over < negligible && over > 2 - negligible)
      return "no: the best is within 5 % of what any configuration of this space can do";
  }
  if (!time_helps(result.stop.reason)) return "no: " + result.stop.sentence;
  std::set<std::string> keys;
  for (const Trial& trial : result.trials) keys.insert(trial.configuration.key());
  const std::string tried =
      fmt::format("{} of {} configurations were tried", keys.size(), count_text(result.space.size));
  if (result.stop.reason == StopReason::interrupted)
    return fmt::format("yes: {}; {}", result.stop.sentence, tried);
  // A budget may end with the last of them.
  if (static_cast<double>(keys.size()) == result.space.size)
    return fmt::format("no: all {} configurations were tried", keys.size());
  const std::uint64_t found = result.best->trial;
  // Where the last half brought nothing better, a little more time is no promise.
  return fmt::format("{}, with a longer --budget: {}, the best was number {}",
                     2 * found >= result.trials.size() ? "yes" : "perhaps", tried, found);
}

std::string outcome_sentence(const StudyResult& result) {
  std::vector<std::string> texts;
  for (const Outcome outcome : enumerators<Outcome>())
    if (const int n = counts(result)[outcome]; n > 0)
      texts.push_back(fmt::format("{} {}", n, readable(to_text(outcome))));
  return texts.empty() ? "no trial" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string readable(std::string word) {
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

std::string changed_knobs(const StudyResult& result, const Configuration& configuration) {
  return difference_text(configuration,
                         result.baseline ? result.baseline->configuration : Configuration());
}

std::string lacks_text(const LedgerEntry& entry) {
  return fmt::format("{}", fmt::join(words(entry.lacks), ", "));
}

std::string short_name(const LedgerEntry& entry) {
  if (entry.kind == LedgerEntry::Kind::wall) return entry.wall;
  if (entry.kind == LedgerEntry::Kind::launch) return "one launch per call";
  const bool in_core = entry.kind == LedgerEntry::Kind::in_core;
  if (entry.lacks.empty()) return entry.level + (in_core ? " peak" : " bandwidth");
  return entry.level + (in_core ? "" : " bandwidth") + " without " + lacks_text(entry);
}

std::vector<std::string> short_names(const std::vector<LedgerEntry>& entries) {
  std::vector<std::string> names;
  for (const LedgerEntry& entry : entries)
    if (const std::string name = short_name(entry);
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  return names;
}

std::string full_name(const LedgerEntry& entry) {
  const bool wall = entry.kind == LedgerEntry::Kind::wall;
  return fmt::format("{} ({}{})", short_name(entry), wall ? entry.level + " traffic at " : "",
                     entry.ceiling);
}

LedgerDigest ledger_digest(const StudyResult& result) {
  LedgerDigest digest;
  for (const LedgerEntry& entry : result.ledger) {
    if (entry.state == LedgerEntry::State::above && entry.kind != LedgerEntry::Kind::wall &&
        entry.time < result.bound.low) {
      ++digest.beyond;
      continue;
    }
    if (entry.state == LedgerEntry::State::broken && entry.kind != LedgerEntry::Kind::wall &&
        entry.knobs.empty() && entry.not_set_back.empty()) {
      ++digest.passed;
      continue;
    }
    const auto same = std::find_if(digest.rows.begin(), digest.rows.end(),
                                   [&](const LedgerRow& row) { return alike(row.entry, entry); });
    if (same == digest.rows.end()) {
      digest.rows.push_back({entry, 0});
    } else {
      ++same->alike;
      if (entry.time < same->entry.time) same->entry = entry;
    }
  }
  std::stable_sort(
      digest.rows.begin(), digest.rows.end(),
      [](const LedgerRow& a, const LedgerRow& b) { return b.entry.time < a.entry.time; });
  return digest;
}

std::vector<std::string> ledger_remarks(const LedgerDigest& digest) {
  std::vector<std::string> remarks;
  const auto add = [&](std::size_t count, const char* one, const char* several) {
    if (count > 0) remarks.push_back(fmt::format("{} more {}", count, count == 1 ? one : several));
  };
  add(digest.passed, "ceiling was passed, by nothing that a changed knob is for",
      "ceilings were passed, by nothing that a changed knob is for");
  add(digest.beyond, "ceiling lies beyond the bound, out of reach",
      "ceilings lie beyond the bound, out of reach");
  return remarks;
}

std::vector<GlossaryEntry> glossary() {
  std::vector<GlossaryEntry> entries;
  std::istringstream lines(glossary_text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find(" | ");
    if (!line.starts_with("| ") || bar == std::string::npos) continue;
    // Lines before the rule are the table's head.
    if (line.starts_with("| ---"))
      entries.clear();
    else
      entries.push_back(
          {line.substr(2, bar - 2), line.substr(bar + 3, line.rfind(" |") - bar - 3)});
  }
  return entries;
}

std::string glossary_link(const std::string& word) {
  const auto entries = glossary();
  if (std::none_of(entries.begin(), entries.end(),
                   [&](const GlossaryEntry& entry) { return entry.word == word; }))
    return {};
  std::string link = "#word-" + word;
  std::replace(link.begin(), link.end(), ' ', '-');
  return link;
}

}  // namespace rooftune::report
