// The claims of thousands of generated results, held against the figures: a claim states what was
// measured and counted, and nothing else.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>

#include "report/answer.h"
#include "report/sentences.h"
#include "report/study_page.h"
#include "report/study_view.h"
#include "report/terminal.h"
#include "support/published_schema.h"
#include "support/sample_report.h"

using namespace rooftune;
using rooftune::testing::PublishedSchema;

namespace {

using Kind = Claim::Kind;

/// An estimate around `value` with an interval of random width, sometimes wider than 3 to 1.
Estimate around(Rng& rng, double value) {
  const double width = std::pow(10.0, 0.6 * rng.unit() * rng.unit());
  return {value, value / width, value * width};
}

/// Parts with random shares of the time, perhaps with a cause; or nothing was counted.
std::optional<Limit> arbitrary_limit(Rng& rng, double seconds) {
  if (rng.below(4) == 0) return std::nullopt;
  Limit limit;
  for (const auto& [name, unit] : {std::pair("memory", "B"), {"L2", "B"}, {"arithmetic", "flop"}})
    if (rng.below(4) > 0) {
      const Estimate share = around(rng, 1.3 * rng.unit() * rng.unit() + 0.01);
      const double amount = 1e7 + 2e8 * rng.unit();
      limit.parts.push_back({name, share, amount, unit, amount / share.value / seconds, "", {}});
    }
  std::ranges::stable_sort(limit.parts, std::greater(),
                           [](const BusyPart& part) { return part.share.value; });
  if (limit.parts.empty() || limit.at_limit() || rng.below(2)) return limit;
  using Cause = Cause::Kind;
  const Cause kinds[] = {Cause::dependent_loads, Cause::dependent_operations, Cause::imbalance,
                         Cause::regions};
  limit.cause = {kinds[rng.below(4)], rng.unit() * (1 - limit.parts.front().share.value), 1e6,
                 rng.below(2) ? 1e-7 : 0};
  return limit;
}

/// Other figures in the same study. Where the baseline stands it is the best.
void vary(StudyResult& report, Rng& rng) {
  static const Contender best = *report.best;
  report.best = best;
  report.best->gap.total = around(rng, 0.8 + 3 * rng.unit());
  report.best->gap.above_roof = report.best->gap.total.high < 1;
  report.speedup = around(rng, 0.9 + 3 * rng.unit());
  report.baseline_stands = rng.below(4) == 0;
  if (report.baseline_stands) report.best = report.baseline;
  report.busy = rng.below(8) == 0;
  report.inconclusive = rng.below(5) == 0 ? std::vector<std::string>{"neighbours were at work"}
                                          : std::vector<std::string>{};
  report.flags = rng.below(5) == 0 ? std::vector<std::string>{"two sources disagree"}
                                   : std::vector<std::string>{};
  report.paired_gap = rng.below(2) ? std::optional(around(rng, 1 + rng.unit())) : std::nullopt;
  report.limit = arbitrary_limit(rng, report.best->seconds.value);
  static const Staircase measured = *report.staircase;
  report.staircase = rng.below(4) ? std::optional(measured) : std::nullopt;
  if (!report.staircase) return;
  for (std::uint64_t n = rng.below(3); n > 0; --n)
    report.staircase->next.push_back(
        {{sample::change("prefetch", 8, static_cast<int>(64 * n))},
         rng.below(3) ? std::optional(around(rng, 0.8 + 0.5 * rng.unit())) : std::nullopt,
         ""});
}

void check_gain(const StudyResult& report, const Claim& claim) {
  const Estimate& gain = *report.speedup;
  const bool sure = !report.busy && !report.baseline_stands && gain.low > 1;
  CHECK((claim.kind == Kind::faster) == sure);
  if (sure) CHECK(claim.figures.at("gain").value == gain);
  if (claim.kind == Kind::baseline_best) {
    CHECK(report.baseline_stands);
    CHECK(claim.doubts.empty());
  }
  CHECK(claim.doubts == report.inconclusive);
  CHECK(claim.figures.at("time").value == report.best->seconds);
}

void check_limit(const StudyResult& report, const Claim& claim) {
  CHECK((claim.kind == Kind::above_roof) == report.best->gap.above_roof);
  if (claim.kind == Kind::above_roof) return;
  CHECK(claim.doubts == report.flags);
  const bool counted = report.limit && !report.limit->parts.empty();
  CHECK((claim.kind == Kind::bounded) == !counted);
  if (!counted) return;
  const BusyPart& busiest = report.limit->parts.front();
  CHECK(claim.value_of("busy") == Approx(100 * busiest.share.value));
  CHECK((claim.kind == Kind::at_limit) == (busiest.share.value >= 0.75));
  CHECK((claim.kind == Kind::waits) == report.limit->cause.has_value());
  if (claim.kind == Kind::at_limit) CHECK(claim.value_of("amount") == busiest.amount);
  if (claim.kind == Kind::waits)
    CHECK(claim.value_of("share") + claim.value_of("busy") <= Approx(100));
}

/// What was broken has a step that passed it.
void check_broke(const StudyResult& report, const Claim* broke) {
  std::set<std::string> names;
  if (report.staircase && !report.baseline_stands)
    for (const Stair& stair : report.staircase->stairs)
      for (const LedgerEntry& entry : stair.passed)
        if (entry.broken_by) names.insert(short_name(entry));
  CHECK((broke != nullptr) == !names.empty());
  if (!broke) return;
  CHECK(broke->evidence.size() >= names.size());
  for (const std::string& text : broke->evidence)
    CHECK(names.contains(text.substr(0, text.rfind(" ("))));
}

/// One gap: what is left is what the limit says, whoever counted it.
void check_more(const StudyResult& report, const Claim& limit, const Claim* more) {
  CHECK((more != nullptr) == (limit.kind != Kind::above_roof));
  if (!more) return;
  const double at_most = more->value_of("at_most");
  CHECK(more->value_of("time") == Approx(report.best->seconds.value / std::max(1.0, at_most)));
  if (limit.kind == Kind::bounded)
    CHECK(at_most == limit.value_of("at_most"));
  else
    CHECK(at_most == Approx(100 / limit.value_of("busy")));
  if (more->figures.contains("least_time"))
    CHECK(more->value_of("least_time") < more->value_of("time") * (1 + 1e-9));
}

/// Only what gained in the race is named as tried; what nobody tried only where nothing was.
void check_next(const StudyResult& report, const std::vector<Claim>& all) {
  std::size_t gains = 0;
  if (report.staircase)
    for (const TriedNext& next : report.staircase->next) gains += next.gain && next.gain->low > 1;
  const Claim* const tried = claim_of(all, Kind::next_tried);
  CHECK((tried != nullptr) == (gains > 0));
  if (tried) CHECK(tried->figures.size() == gains);
}

/// Screen, data and page say the same words.
void check_elsewhere(const StudyResult& report, const std::vector<Claim>& all) {
  const Json json = to_json(report);
  static PublishedSchema schema("result");
  CHECK(schema.holds(json));
  CHECK(json.at("headline") == headline(all));
  REQUIRE(json.at("claims").size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(json.at("claims")[i] == to_json(all[i]));
  const Claim* const more = claim_of(all, Kind::more);
  CHECK(json.at("staircase").at("more").is_null() == !more);
  if (more)
    CHECK(json.at("staircase").at("more").at("at_most").at("value") == more->value_of("at_most"));
  CHECK(study_view(report).at("result") == json);
  TerminalStyle style;
  const std::string screen = terminal_summary(report, style);
  CHECK(std::ranges::count(screen, '\n') <= 26);
}

}  // namespace

TEST_CASE("no claim of an answer contradicts a figure") {
  StudyResult report = sample::report();
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    Rng rng(seed, 3);
    vary(report, rng);
    const std::vector<Claim> all = claims(report);
    INFO("seed " << seed << ": " << headline(all));
    check_gain(report, all[0]);
    const Claim* const broke = claim_of(all, Kind::broke);
    check_broke(report, broke);
    const Claim& limit = all[broke ? 2 : 1];
    check_limit(report, limit);
    check_more(report, limit, claim_of(all, Kind::more));
    check_next(report, all);
    if (seed % 50 == 0) check_elsewhere(report, all);
  }
}
