#include "report/answer.h"

#include <catch2/catch.hpp>

#include "report/sentences.h"
#include "report/staircase.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

namespace {

using Kind = Claim::Kind;

/// The answer's claim; one of kind not_measured without one.
Claim said(const StudyResult& report, Kind kind) {
  const std::vector<Claim> all = claims(report);
  const Claim* const found = claim_of(all, kind);
  return found ? *found : Claim{};
}

bool says(const StudyResult& report, Kind kind) {
  return claim_of(claims(report), kind) != nullptr;
}

Kind first(const StudyResult& report) { return claims(report).front().kind; }
/// After what was broken.
Kind second(const StudyResult& report) {
  const auto all = claims(report);
  return all.at(all.at(1).kind == Kind::broke ? 2 : 1).kind;
}

std::string column(const std::vector<HtmlCell>& row, const HtmlTable& table, const char* head) {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (table.head[i].text == head) return row[i].brief.empty() ? row[i].text : row[i].brief;
  return "no such column";
}

}  // namespace

TEST_CASE("the headline is a gain, what was broken and a limit") {
  const StudyResult report = sample::report();
  CHECK(first(report) == Kind::faster);
  CHECK(said(report, Kind::faster).figures.at("gain").value == *report.speedup);
  CHECK(second(report) == Kind::at_limit);
  CHECK(said(report, Kind::at_limit).subject == "memory");
  CHECK(said(report, Kind::at_limit).value_of("amount") == 8.8e7);
  CHECK(doubts(claims(report)).empty());
  const auto all = claims(report);
  CHECK(headline(all) ==
        words_of(all[0]) + ". " + words_of(all[1]) + ". " + words_of(all[2]) + ".");
}

TEST_CASE("each change is named with a ceiling that it broke, before any a second time") {
  StudyResult report = sample::report();
  const auto entry = [](const char* level, Paradigms lacks, std::optional<size_t> broken_by,
                        Texts knobs = {}) {
    LedgerEntry one;
    one.kind = LedgerEntry::Kind::in_core;
    one.level = level;
    one.lacks = std::move(lacks);
    one.broken_by = broken_by;
    one.knobs = std::move(knobs);
    return one;
  };
  auto& stairs = report.staircase->stairs;
  for (Stair& stair : stairs) stair.passed.clear();
  CHECK_FALSE(says(report, Kind::broke));
  REQUIRE(stairs.size() >= 3);
  stairs[2].passed = {entry("fp64", {Paradigm::simd}, 1, {"width"}),
                      entry("fp64", {Paradigm::fma}, 2, {"order"}),
                      entry("fp32", {Paradigm::simd, Paradigm::ilp}, 1, {"width"}),
                      entry("fp64", {Paradigm::ilp}, std::nullopt)};
  CHECK(said(report, Kind::broke).evidence ==
        Texts{"fp64 without vectors (width)", "fp64 without FMA (order)",
              "fp32 in one dependent chain, without vectors (width)"});
}

TEST_CASE("what the busiest part allows is one over its share, and then the least amount") {
  const StudyResult report = sample::report();
  const BusyPart& busiest = report.limit->parts.front();
  const Claim more = said(report, Kind::more);
  CHECK(more.value_of("at_most") == Approx(1 / busiest.share.value));
  CHECK(more.value_of("least") < more.value_of("amount"));
  CHECK(more.value_of("least_time") == Approx(more.value_of("least") / busiest.rate));
}

TEST_CASE("a part that is not near its limit is not called one") {
  StudyResult report = sample::report();
  report.limit->parts.front().share = {0.46, 0.45, 0.47};
  CHECK(second(report) == Kind::below);
  report.limit->cause = Cause{Cause::Kind::dependent_loads, 0.5, 1e6, 1e-7};
  CHECK(second(report) == Kind::waits);
  CHECK(said(report, Kind::waits).value_of("share") == 50);
  CHECK(said(report, Kind::waits).evidence.front() == "memory");
}

TEST_CASE("without counts the bound speaks, beside the ceiling of the same rounds if it ran") {
  StudyResult report = sample::report();
  report.limit.reset();
  CHECK(second(report) == Kind::bounded);
  CHECK(said(report, Kind::bounded).figures.at("at_most").value == report.best->gap.total);
  report.paired_gap = Estimate{1.05, 1.02, 1.08};
  CHECK(said(report, Kind::bounded).figures.at("at_most").value == *report.paired_gap);
  CHECK(said(report, Kind::more).value_of("at_most") == 1.05);
  report.bound = {};
  CHECK(second(report) == Kind::no_bound);
  CHECK_FALSE(says(report, Kind::more));
}

TEST_CASE("the first sentence says that the best is fast on inputs that it has seen") {
  StudyResult report = sample::report();
  REQUIRE(first(report) == Kind::faster);
  CHECK(claims(report).front().evidence.empty());
  for (Trial& trial : report.trials)
    if (trial.measurement) trial.measurement->remembers = Estimate{2.1, 2, 2.2};
  CHECK_THAT(headline(claims(report)),
             Catch::Contains(", but remembers its last input: 2.1x slower on new data [2, 2.2]. "));
}

TEST_CASE("the headline of what went otherwise") {
  StudyResult report = sample::report();
  report.speedup = Estimate{3.0, 0.8, 4.0};
  CHECK(first(report) == Kind::undecided);
  report.baseline_stands = true;
  CHECK(first(report) == Kind::baseline_best);
  report.inconclusive = {"best and baseline cannot be told apart"};
  CHECK(first(report) == Kind::undecided);
  CHECK(doubts(claims(report)) == report.inconclusive);
  report.inconclusive.clear();
  report.baseline_stands = false;
  report.busy = true;
  CHECK(first(report) == Kind::undecided);
  report.busy = false;
  report.speedup.reset();
  report.no_speedup_because = "there is no measured baseline";
  CHECK(first(report) == Kind::no_gain);
  CHECK(doubts(claims(report)) == std::vector<std::string>{report.no_speedup_because});
  report.best->gap.above_roof = true;
  CHECK(second(report) == Kind::above_roof);
  report.best.reset();
  CHECK(first(report) == Kind::not_measured);
}

TEST_CASE("several inputs have one gain") {
  StudyResult report = sample::report();
  report.baseline.reset();
  report.speedup.reset();
  report.no_baseline_because = "the baseline ended as unstable";
  report.inputs = InputsAnswer{};
  report.inputs->rows.resize(2);
  report.inputs->gap = report.best->gap.total;
  CHECK(first(report) == Kind::no_gain);
  CHECK(claims(report).front().subject == "spmv over 2 inputs");
  report.inputs->baseline_gap = report.inputs->gap;
  CHECK(first(report) == Kind::baseline_best);
  report.inputs->speedup = Estimate{2, 1.9, 2.1};
  CHECK(first(report) == Kind::faster);
  CHECK(claims(report).front().value_of("gain") == 2);
}

TEST_CASE("each stair is a row of the table, and says what it broke") {
  const StudyResult report = sample::report();
  const HtmlTable table = staircase_table(report);
  REQUIRE(table.rows.size() == report.staircase->stairs.size());
  CHECK(column(table.rows[0], table, "step") == "your baseline");
  CHECK(column(table.rows[0], table, "because") == "memory moves 144 MB");
  CHECK(column(table.rows[1], table, "step") == "threads 1 -> 2");
  CHECK(column(table.rows[3], table, "because") == "memory traffic 144 -> 88 MB");
  CHECK(column(table.rows[3], table, "broke") == "CSR with 32-bit indices");
  CHECK(column(table.rows[4], table, "broke").empty());
}

TEST_CASE("what a step passed is named with the step that broke it, or as only passed") {
  LedgerEntry entry;
  entry.level = "fp64";
  entry.lacks = {Paradigm::simd};
  entry.passed_by = 4;
  CHECK(passed_names({entry}) == std::vector<std::string>{"past fp64 without vectors"});
  entry.broken_by = 4;
  LedgerEntry earlier = entry;
  earlier.lacks = {Paradigm::fma};
  earlier.broken_by = 1;
  CHECK(passed_names({earlier, entry}) ==
        std::vector<std::string>{"fp64 without FMA (needs step 1)", "fp64 without vectors"});
}

TEST_CASE("an amount stands with both values and its unit") {
  CHECK(because_text({"memory traffic", "B", 2.04e8, 1.42e8}) == "memory traffic 204 -> 142 MB");
  CHECK(because_text({"operations in vectors", "%", 8, 100}) ==
        "8 -> 100 % of operations in vectors");
  CHECK(because_text({"threads", "thread", 1, 2}) == "1 -> 2 threads");
  CHECK(because_text({"parallel regions", "region", 20, 1}) == "20 -> 1 parallel regions");
  const auto moved = [](double explains) {
    Amount amount{"L2 traffic", "B", 3e9, 2e9};
    amount.part = "L2";
    amount.explains = explains;
    return std::vector{amount};
  };
  CHECK(because_text(moved(0.9), 36) == "L2 traffic 3 -> 2 GB");
  CHECK(because_text(moved(0.2), 36) == "partly L2 traffic 3 -> 2 GB");
  CHECK(because_text(moved(0), 36) == "no counted reason");
}

TEST_CASE("amounts of several steps say so") {
  StudyResult report = sample::report();
  auto& stairs = report.staircase->stairs;
  const auto because = [&](std::size_t row) {
    const auto cells = staircase_table(report).rows[row];
    return cells[cells.size() - 2].brief;
  };
  stairs[3].because_steps = {2, 3};
  CHECK(because(3).ends_with(" (steps 2 and 3)"));
  stairs[3].because_steps = {1, 3};
  CHECK(because(3).ends_with(" (steps 1 to 3)"));
}

TEST_CASE("without a staircase the table has baseline and best") {
  StudyResult report = sample::report();
  report.staircase.reset();
  report.no_staircase_because = "no staircase was measured";
  CHECK(staircase_table(report).rows.size() == 2);
  CHECK(said(report, Kind::no_steps).subject == report.no_staircase_because);
  report.best = report.baseline;
  report.baseline_stands = true;
  CHECK(staircase_table(report).rows.size() == 1);
  CHECK_FALSE(says(report, Kind::no_steps));
}

TEST_CASE("a path of the literature names its steps and their published figures") {
  StudyResult report = sample::report();
  Stair& stair = report.staircase->stairs[1];
  stair.published = PublishedStep{};
  stair.published->name = "v2";
  stair.published->title = "two threads";
  stair.published->published = PublishedFigures{};
  stair.published->published->seconds = 1.5;
  stair.published->published->machine = "V100";
  const HtmlTable table = staircase_table(report);
  CHECK(column(table.rows[1], table, "step") == "v2 two threads");
  CHECK(column(table.rows[1], table, "because") == "published 1.500 s on V100");
  stair.seconds.reset();
  stair.absent_because = "it did not build";
  CHECK(column(staircase_table(report).rows[1], table, "because") == "not run: it did not build");
}

TEST_CASE("a step of several changes is named as a group") {
  const auto changes = [](std::initializer_list<const char*> knobs) {
    std::vector<Step::Change> all;
    for (const char* knob : knobs) all.push_back(sample::change(knob, 0, 1));
    return all;
  };
  CHECK(step_text(changes({"format"}), {}) == "format 0 -> 1");
  CHECK(step_text(changes({"pad", "unroll"}), {}) == "pad 0 -> 1, unroll 0 -> 1");
  CHECK(step_text(changes({"split", "binding", "prefetch"}), {}) == "split, binding, prefetch");
  const auto many = changes({"split", "binding", "prefetch", "schedule", "huge_pages"});
  CHECK(step_text(many, Estimate::exact(1.04)) == "5 small changes");
  CHECK(step_text(many, Estimate::exact(3)) == "split, binding and 3 more");
  CHECK(step_text(many, Estimate::exact(3), 52) == "split, binding, prefetch, schedule and 1 more");
}

TEST_CASE("next names what gained in the race, else another code") {
  StudyResult report = sample::report();
  CHECK(says(report, Kind::next_other));
  const auto tried = [&](const Estimate& gain) {
    report.staircase->next = {{{sample::change("prefetch", 8, 64)}, gain, ""}};
  };
  tried({0.9, 0.88, 0.92});
  CHECK_FALSE(says(report, Kind::next_tried));
  tried({1.11, 1.08, 1.14});
  CHECK(said(report, Kind::next_tried).value_of("prefetch 8 -> 64") == 1.11);
  report.staircase->next.clear();
  report.limit->parts.front().amount = said(report, Kind::at_limit).value_of("least");
  CHECK_FALSE(says(report, Kind::next_other));
}

TEST_CASE("more time helps, or the reason is said") {
  StudyResult report = sample::report();
  CHECK(said(report, Kind::go_on).value_of("size") == 216);
  CHECK(said(report, Kind::go_on).value_of("best") == 47);
  CHECK(said(report, Kind::go_on).evidence.empty());
  StudyResult open = report;
  open.busy = true;
  open.inconclusive = {"neighbours were at work"};
  CHECK(said(open, Kind::go_on).evidence == open.inconclusive);
  StudyResult last = report;
  last.space.size = 49;
  CHECK(said(last, Kind::stop).subject == "all 49 configurations were tried");
  report.stop = {StopReason::closed, "1.04 is within the target of 1.05", ""};
  CHECK(said(report, Kind::stop).subject == report.stop.sentence);
  report.speedup = Estimate{1.1, 0.98, 1.27};
  CHECK_THAT(said(report, Kind::go_on).subject, Catch::Contains("more rounds may decide"));
  CHECK_FALSE(says(report, Kind::stop));
}

TEST_CASE("failures are told by outcome, named by what tells them from the others") {
  StudyResult report = sample::report();
  const auto failed = [&] { return said(report, Kind::failed).subject; };
  CHECK(failed() ==
        "3 of 49 configurations failed: 1 did not build (trial 5), 1 crashed (trial 38), 1 timed "
        "out (trial 31); tune explain 5 says more");
  const auto trial = [&](std::uint64_t index, int width, bool huge, Outcome outcome) {
    Configuration one = sample::configuration("csr", 32, 0, width, huge, 2);
    report.trials.push_back(outcome == Outcome::ok
                                ? sample::trial(index, one, 1)
                                : sample::failed(index, one, outcome, "no answer"));
  };
  report.trials.clear();
  for (const int width : {1, 2, 4, 8})
    trial(static_cast<std::uint64_t>(width), width, width == 4,
          width == 1 ? Outcome::ok : Outcome::wrong_result);
  CHECK(failed() ==
        "3 of 4 configurations failed: 3 wrong results (simd_width=2, 4, 8); tune explain 2 says "
        "more");
  trial(9, 8, true, Outcome::crashed);
  trial(10, 1, true, Outcome::ok);
  CHECK_THAT(failed(), Contains("1 crashed (trial 9: no answer), 3 wrong"));
  std::erase_if(report.trials, [](const Trial& one) { return one.ok(); });
  report.best.reset();
  CHECK(failed().starts_with("4 of 4 configurations failed"));
  report.trials.clear();
  CHECK_FALSE(says(report, Kind::failed));
}

TEST_CASE("what was found of the best beside its time is in the answer") {
  StudyResult report = sample::report();
  CHECK_FALSE(says(report, Kind::beware));
  for (Trial& trial : report.trials)
    if (trial.index == report.best->trial) trial.detail = "each call keeps 16 KiB of memory";
  CHECK(said(report, Kind::beware).subject == "of the best: each call keeps 16 KiB of memory");
}
