#include "report/staircase_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/figures.h"
#include "report/sentences.h"

namespace rooftune::report {
namespace {

LimitMark limit_mark(const LedgerEntry& entry) {
  const std::string words = short_name(entry), time = seconds_text(entry.time.value());
  return {words, fmt::format("{}\n{} at {}", words, time, entry.ceiling), entry.time.value()};
}

/// Several ceilings have the same words; the fastest of them is the one that counts.
std::vector<LimitMark> limit_marks(const std::vector<LedgerEntry>& entries) {
  std::vector<LimitMark> marks;
  for (const LedgerEntry& entry : entries) {
    const LimitMark mark = limit_mark(entry);
    const auto same = std::ranges::find(marks, mark.words, &LimitMark::words);
    if (same == marks.end())
      marks.push_back(mark);
    else if (mark.seconds < same->seconds)
      *same = mark;
  }
  std::ranges::stable_sort(marks, std::greater(), &LimitMark::seconds);
  return marks;
}

std::optional<StaircaseRest> rest_of(const StudyResult& result) {
  if (!result.best || !result.bound.known()) return std::nullopt;
  const Estimate gap = result.paired_gap.value_or(result.best->gap.total);
  if (!(gap.value > 1)) return std::nullopt;
  return StaircaseRest{gap.value, result.best->seconds.value / gap.value,
                       limit_name(result) + (result.paired_gap ? " in the same rounds" : "")};
}

/// Those that the winner has still to pass.
std::vector<LimitMark> ahead_of(const StudyResult& result, double winner, double least) {
  constexpr std::size_t most = 2;
  std::vector<LedgerEntry> entries;
  for (const LedgerEntry& entry : result.ledger)
    if (!entry.passed_by && entry.time.value() < winner && entry.time.value() > least * 1.01)
      entries.push_back(entry);
  std::vector<LimitMark> marks = limit_marks(entries);
  marks.resize(std::min(most, marks.size()));
  return marks;
}

}  // namespace

std::string step_text(const Stair& stair) {
  if (stair.published) return stair.published->name + " " + stair.published->title;
  if (stair.changes.empty()) return "your baseline";
  std::vector<std::string> texts;
  for (const Step::Change& change : stair.changes)
    texts.push_back(
        stair.changes.size() > 2
            ? change.knob
            : fmt::format("{} {} -> {}", change.knob, to_text(change.from), to_text(change.to)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

StaircaseView staircase_view(const StudyResult& result) {
  StaircaseView view;
  if (!result.staircase) return view;
  std::optional<double> before;
  for (const Stair& stair : result.staircase->stairs) {
    const auto seconds = stair.seconds ? std::optional<double>(stair.seconds->value) : std::nullopt;
    view.stairs.push_back({step_text(stair), before, seconds, stair.gain, stair.absent_because,
                           limit_marks(stair.broken)});
    if (seconds) before = seconds;
  }
  if (!before) return view;
  view.rest = rest_of(result);
  view.ahead = ahead_of(result, *before, view.rest ? view.rest->seconds : 0);
  return view;
}

}  // namespace rooftune::report
