#include "report/staircase_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/answer.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/staircase.h"

namespace rooftune::report {
namespace {

LimitMark limit_mark(const LedgerEntry& entry) {
  const std::string words = short_name(entry), time = seconds_text(entry.beside.value());
  return {words, fmt::format("{}\n{} at {}", words, time, entry.ceiling), entry.beside.value()};
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

/// The words of the answer.
std::optional<StaircaseRest> rest_of(const StudyResult& result, double winner) {
  const std::vector<Claim> said = claims(result);
  const Claim* const more = claim_of(said, Claim::Kind::more);
  if (!more) return std::nullopt;
  const double times = value_of(*more, "at_most");
  if (!(times > 1)) return StaircaseRest{words_of(*more), "", std::nullopt};
  return StaircaseRest{
      fmt::format("at most {} more: {}", ratio_text(times), part_name(more->subject)),
      words_of(*more), winner / times};
}

/// Those that the winner has still to pass.
std::vector<LimitMark> ahead_of(const StudyResult& result, double winner, double least) {
  constexpr size_t most = 2;
  const auto entries = filtered(result.ledger, [&](const LedgerEntry& entry) {
    return !entry.passed_by && entry.beside.value() < winner && entry.beside.value() > least * 1.01;
  });
  std::vector<LimitMark> marks = limit_marks(entries);
  marks.resize(std::min(most, marks.size()));
  return marks;
}

std::string name_of(const Stair& stair) {
  if (stair.published) return stair.published->name + " " + stair.published->title;
  return stair.changes.empty() ? "your baseline" : step_text(stair.changes, stair.gain);
}

}  // namespace

StaircaseView staircase_view(const StudyResult& result) {
  StaircaseView view;
  if (!result.staircase) return view;
  std::optional<double> before;
  for (const Stair& stair : result.staircase->stairs) {
    const auto seconds = stair.seconds ? std::optional<double>(stair.seconds->value) : std::nullopt;
    view.stairs.push_back({name_of(stair), because_text(stair.because, 0), before, seconds,
                           stair.gain, stair.absent_because, limit_marks(stair.passed)});
    if (seconds) before = seconds;
  }
  if (!before) return view;
  view.rest = rest_of(result, *before);
  view.ahead = ahead_of(result, *before, view.rest ? view.rest->seconds.value_or(*before) : 0);
  return view;
}

}  // namespace rooftune::report
