#include "report/sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/list.h"
#include "core/split.h"
#include "core/text.h"
#include "report/figures.h"
#include "report/glossary_text.h"

namespace rooftune::report {
namespace {

/// An engineer's words for what a variant in front of a ceiling lacks.
const char* lack_words(Paradigm paradigm) {
  using enum Paradigm;
  static const std::map<Paradigm, const char*> all{{simd, "without vectors"},
                                                   {fma, "without FMA"},
                                                   {ilp, "in one dependent chain"},
                                                   {tlp, "on fewer threads"},
                                                   {numa, "across NUMA nodes"},
                                                   {prefetch, "without prefetching"},
                                                   {nt_store, "without streamed stores"},
                                                   {unit_stride, "with strides"},
                                                   {huge_pages, "without huge pages"},
                                                   {tlb, "without huge pages"},
                                                   {coalesced, "without coalescing"},
                                                   {occupancy, "at low occupancy"},
                                                   {tensor, "without tensor cores"},
                                                   {balance, "out of balance"},
                                                   {issue, "by issue"}};
  return copy_at(all, paradigm).value_or(to_text(paradigm));
}

/// Entries with the same meaning for the reader.
bool alike(const LedgerEntry& a, const LedgerEntry& b) {
  return a.kind == b.kind && a.lacks == b.lacks && a.passed_by == b.passed_by &&
         a.broken_by == b.broken_by && a.kind != LedgerEntry::Kind::wall;
}

/// "without huge pages, on fewer threads"; empty for the roof.
std::string lacks_text(const LedgerEntry& entry) {
  Texts texts;
  for (const Paradigm lack : entry.lacks) add_once(texts, lack_words(lack));
  return joined(texts);
}

}  // namespace

std::string bound_sentence(const StudyResult& result) {
  const Bound& bound = result.bound;
  if (!bound.known()) return "no limit is known: " + result.roofline.why_no_bound();
  std::string text = bound.ceiling;
  if (const Ceiling* binds = ceiling_named(result.roofline.machine.ceilings, bound.ceiling))
    text += fmt::format(", {} at {}",
                        amount_text(bound.time.value() * binds->rate.value, rate_unit(*binds)),
                        ceiling_text(*binds, true));
  text += "; " + source_text(bound.source);
  if (!bound.also.empty()) text += "; within its interval: " + list_text(bound.also);
  return text;
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

std::string tie_sentence(const StudyResult& result) {
  if (result.ties.empty()) return {};
  Texts names;
  for (const Contender& tie : result.ties)
    names.push_back(changed_knobs(result, tie.configuration));
  return fmt::format(
      "{} cannot be told from the best beyond the noise after {} interleaved rounds: {}",
      plural(names.size(), "other configuration"), result.race_rounds, joined(names, "; "));
}

std::string study_sentence(const StudyResult& result) {
  const StudyHeader& study = result.header;
  std::string text =
      fmt::format("{} on {}: {}, ", study.kernel, result.roofline.machine.name, study.backend);

  text += fmt::format("at most {}, ", plural(result.roofline.threads, "thread"));
  text += result.bound.known() ? study.cache_state + " caches" : "no limit known";
  if (const double calls = result.setup.amortize; calls > 0)
    text += fmt::format(", conversions shared among {} calls", count_text(calls));
  return text;
}

Texts collapsed_knobs(const StudyResult& result) {
  Texts texts;
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
    text +=
        fmt::format("; {} in all, with preparing, races and counts", duration_text(result.waited));
  return text;
}

std::string nodes_sentence(const StudyResult& result) {
  using enum StudyNode::Part;
  Texts tried, absent;
  std::string racing;
  for (const StudyNode& node : result.nodes) {
    const auto trials =
        std::ranges::count(result.trials, node.part == races ? "" : node.node, &Trial::node);
    if (node.part == races) racing = node.node;
    if (node.part != left_out || trials > 0)
      tried.push_back(fmt::format("{} on {}", trials, node.node));
    if (node.part == lost || node.part == left_out)
      absent.push_back(
          fmt::format("{} was {}: {}", node.node, readable(word(node.part)), node.because));
  }
  if (result.nodes.empty()) return {};
  std::string text =
      fmt::format("trials on {} of class {} ({}); raced on {}", plural(tried.size(), "node"),
                  result.roofline.machine.name, joined(tried), racing);
  for (const std::string& one : absent) text += "; " + one;
  return text;
}

std::string outcome_sentence(const StudyResult& result) {
  Texts texts;
  for (const Outcome outcome : enumerators<Outcome>())
    if (const int n = counts(result)[outcome]; n > 0)
      texts.push_back(fmt::format("{} {}", n, readable(to_text(outcome))));
  return texts.empty() ? "no trial" : joined(texts);
}

std::string readable(std::string word) {
  std::replace(word.begin(), word.end(), '_', ' ');
  return word;
}

std::string changed_knobs(const StudyResult& result, const Configuration& configuration) {
  return difference_text(configuration,
                         result.baseline ? result.baseline->configuration : Configuration());
}

std::string short_name(const LedgerEntry& entry) {
  if (entry.kind == LedgerEntry::Kind::wall) return entry.wall;
  if (entry.kind == LedgerEntry::Kind::launch) return "one launch per call";
  const bool in_core = entry.kind == LedgerEntry::Kind::in_core;
  if (entry.lacks.empty()) return entry.level + (in_core ? " peak" : " bandwidth");
  return entry.level + " " + lacks_text(entry);
}

Texts passed_names(LedgerEntries entries) {
  // Broken ceilings come first; the shortest name lacks least, so it is nearest to the roof.
  stable_sort(entries, {}, [](const LedgerEntry& entry) {
    const std::string name = short_name(entry);
    return std::tuple(!entry.broken_by, name.size(), name);
  });
  Texts names;
  for (const LedgerEntry& entry : entries) {
    std::string name = short_name(entry);
    if (!entry.broken_by) name = "past " + name;
    if (entry.broken_by < entry.passed_by && entry.broken_by)
      name += fmt::format(" (needs step {})", *entry.broken_by);
    add_once(names, std::move(name));
  }
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
    const bool wall = entry.kind == LedgerEntry::Kind::wall;
    if (!entry.passed_by && !wall && entry.time < result.bound.low) {
      ++digest.beyond;
      continue;
    }
    LedgerRow* const same =
        first_where(digest.rows, [&](const LedgerRow& row) { return alike(row.entry, entry); });
    if (!same) {
      digest.rows.push_back({entry, 0});
    } else {
      ++same->alike;
      if (entry.beside < same->entry.beside) same->entry = entry;
    }
  }
  stable_sort(digest.rows, std::greater(), [](const LedgerRow& row) { return row.entry.beside; });
  return digest;
}

std::vector<GlossaryEntry> glossary() {
  std::vector<GlossaryEntry> entries;
  for (const std::string& line : split(glossary_text)) {
    const size_t bar = line.find(" | ");
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
  if (!contains(glossary(), word, &GlossaryEntry::word)) return {};
  std::string link = "#word-" + word;
  std::replace(link.begin(), link.end(), ' ', '-');
  return link;
}

}  // namespace rooftune::report
