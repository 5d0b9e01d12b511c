#include "report/answer.h"

#include <catch2/catch.hpp>

#include "report/text_table.h"
#include "support/doubts.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;
using Catch::EndsWith;

namespace {

std::string line(const StudyResult& report, const std::string& about) {
  for (const AnswerLine& one : answer(report).lines)
    if (one.about == about) return one.text;
  return {};
}

}  // namespace

TEST_CASE("the headline is a sentence that a person can repeat") {
  const StudyResult report = sample::report();
  CHECK(answer(report).sentence() ==
        "spmv is 3.89x faster than your baseline and within 1.23x of what sample can do; DRAM "
        "bandwidth is the limit");
  CHECK(answer(report).verdict == Answer::Verdict::faster);
  CHECK(sample::doubts_of(answer(report)).empty());
}

TEST_CASE("a doubt has one number wherever it stands") {
  DoubtNotes notes;
  CHECK(notes.marks({}).empty());
  CHECK(notes.marks({"one", "two"}) == " [1] [2]");
  CHECK(notes.marks({"two"}) == " [2]");
  CHECK(notes.notes({}) == "  [1] one\n  [2] two\n");
}

TEST_CASE("what was counted says what is left of the gap") {
  StudyResult report = sample::report();
  Gap& gap = report.best->gap;
  gap.work = 1.0;
  gap.traffic = 1.2;
  gap.rate = 1.02;
  CHECK_THAT(answer(report).sentence(), EndsWith("; it moves 1.20x what it must"));
  gap.work = 1.3;
  gap.rate = 1.5;
  CHECK_THAT(answer(report).sentence(),
             EndsWith("; it computes 1.30x and moves 1.20x what it must, and runs 1.50x below the "
                      "rate of DRAM bandwidth"));
  report.target_gap = 1.25;
  CHECK_THAT(answer(report).sentence(), EndsWith("the gap is closed"));
  report.target_gap = 1.05;
  gap.work = gap.traffic = 1.0;
  gap.total = {3, 2.9, 3.1};
  gap.rate = 3;
  CHECK_THAT(answer(report).sentence(),
             EndsWith("; it computes and moves little more than it must, but runs 3.00x below the "
                      "rate of DRAM bandwidth"));
  gap.work.reset();
  CHECK_THAT(answer(report).sentence(), EndsWith("; what lies between was not counted"));
}

TEST_CASE("doubt is a mark beside the figure that it concerns") {
  StudyResult report = sample::report();
  report.speedup = Estimate{3.0, 2.0, 4.0};
  report.paired_gap = Estimate{1.05, 1.02, 1.08};
  report.best->gap.total = {2.1, 2.0, 2.2};
  const Answer said = answer(report);
  REQUIRE(said.headline.size() == 3);
  CHECK_THAT(said.headline[0].doubts.at(0), Contains("between 2.00x and 4.00x"));
  CHECK_THAT(said.headline[1].text, Contains("within 2.10x"));
  CHECK_THAT(said.headline[1].doubts.at(0), Contains("1.05x [1.02, 1.08] of what the ceiling"));
  CHECK(said.headline[2].doubts == std::vector<std::string>{report.best->gap.unknown_because});
  CHECK(sample::doubts_of(said).size() == 3);
  report.speedup = Estimate{3.0, 0.8, 4.0};
  CHECK_THAT(answer(report).sentence(), Contains("spmv was not shown to be faster than your"));
  CHECK(answer(report).verdict == Answer::Verdict::undecided);
  report.speedup = Estimate{6.0, 2.0, 9.0};
  CHECK_THAT(answer(report).sentence(), Contains("spmv is at least 2.00x faster than your"));
  report.best->gap.total = {5.5, 0.6, 5.6};
  CHECK_THAT(answer(report).sentence(),
             Contains("baseline; its distance from what sample can do is not decided"));
  report.best->gap.total = {0.3, 0.2, 1.2};
  CHECK_THAT(answer(report).sentence(), Contains("is not decided") && !Contains("closed"));
  report.best->gap.total = {0.8, 0.7, 1.2};
  CHECK_THAT(answer(report).sentence(), !Contains("closed"));
}

TEST_CASE("the headline of what went otherwise") {
  StudyResult report = sample::report();
  report.baseline_stands = true;
  CHECK_THAT(answer(report).sentence(),
             Contains("Nothing is faster than your baseline of spmv, which is within 1.23x"));
  CHECK(answer(report).verdict == Answer::Verdict::baseline_best);
  report.inconclusive = {"best and baseline cannot be told apart"};
  CHECK_THAT(answer(report).sentence(), Contains("Nothing was shown to be faster"));
  CHECK(answer(report).verdict == Answer::Verdict::undecided);
  CHECK(sample::doubts_of(answer(report)) == report.inconclusive);
  report.inconclusive.clear();
  report.baseline_stands = false;
  report.speedup.reset();
  report.no_speedup_because = "there is no measured baseline";
  CHECK(sample::doubts_of(answer(report)) == std::vector<std::string>{report.no_speedup_because});
  report.best->gap.above_roof = true;
  CHECK_THAT(answer(report).sentence(), Contains("of the bound, faster than sample can be"));
  CHECK(answer(report).verdict == Answer::Verdict::above_the_roof);
  report.best.reset();
  CHECK(answer(report).sentence() == "No configuration of spmv could be measured");
}

TEST_CASE("the lines say what limits, what helped, what is next and whether to go on") {
  StudyResult report = sample::report();
  CHECK_THAT(line(report, "limited by"), Contains("DRAM bandwidth, 34.0 GB/s"));
  CHECK_THAT(line(report, "broke"), Contains("CSR with 32-bit indices (by format and index_bits)"));
  CHECK_THAT(line(report, "helped"), Contains("threads 1 -> 2 (1.91x), format csr -> bcsr"));
  CHECK_THAT(line(report, "helped"), Contains("1 of 6 not measured (simd_width: not allowed"));
  CHECK(line(report, "next") == "");
  CHECK_THAT(line(report, "go on?"),
             Contains("yes, with a longer --budget: 49 of 216 configurations were tried"));
  StudyResult last = report;
  last.space.size = 49;
  CHECK(line(last, "go on?") == "no: all 49 configurations were tried");
  report.best->gap.total = {2, 1.9, 2.1};
  CHECK(line(report, "limited by") == "");
  CHECK_THAT(line(report, "bound by"), Contains("DRAM bandwidth, 34.0 GB/s"));
  report.stop = {StopReason::closed, "the gap is closed: 1.04 is within the target of 1.05", ""};
  CHECK_THAT(line(report, "go on?"), Contains("no: the gap is closed"));
}

TEST_CASE("failures are told by outcome, named by what tells them from the others") {
  StudyResult report = sample::report();
  CHECK(line(report, "failed") ==
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
  CHECK(line(report, "failed") ==
        "3 of 4 configurations failed: 3 wrong results (simd_width=2, 4, 8); tune explain 2 says "
        "more");
  trial(9, 8, true, Outcome::crashed);
  trial(10, 1, true, Outcome::ok);
  CHECK_THAT(line(report, "failed"),
             Contains("1 crashed (simd_width=8 with huge_pages=true: no answer), 3 wrong"));
  std::erase_if(report.trials, [](const Trial& one) { return one.ok(); });
  CHECK(line(report, "failed").starts_with("4 of 4 configurations failed"));
  report.best.reset();
  CHECK_FALSE(line(report, "failed").empty());
  report.trials.clear();
  CHECK(line(report, "failed").empty());
}

TEST_CASE("what was found of the best beside its time is in the answer") {
  StudyResult report = sample::report();
  CHECK(line(report, "beware").empty());
  for (Trial& trial : report.trials)
    if (trial.index == report.best->trial) trial.detail = "each call keeps 16 KiB of memory";
  CHECK(line(report, "beware") == "of the best: each call keeps 16 KiB of memory");
}

TEST_CASE("the next thing to try is a value that the largest counted factor asks for") {
  StudyResult report = sample::report();
  report.best->gap.work = 1.2;
  report.best->gap.traffic = 1.6;
  CHECK(
      line(report, "next") ==
      "it moves 1.60x what it must: no knob has an untried value for it beside the best's others");
  // Prefetching moves nothing less.
  report.untried = {{"format", {"csr5"}}, {"prefetch", {64}}};
  CHECK(line(report, "next") ==
        "it moves 1.60x what it must: not tried yet: format csr5 (bcsr now)");
  // In the order of promise, and none that the trials speak against.
  report.untried = {{"index_bits", {8}}, {"format", {"csr5"}, {"ell"}}};
  CHECK(line(report, "next") ==
        "it moves 1.60x what it must: not tried yet: index_bits 8 (16 now); format csr5 (bcsr "
        "now)");
  report.untried = {{"format", {}, {"csr5", "ell"}}, {"prefetch", {64}}};
  CHECK(line(report, "next") ==
        "it moves 1.60x what it must: the trials speak against all that was not tried: format "
        "csr5 and ell (bcsr now)");
}

TEST_CASE("a baseline that could not be timed is not said to stand") {
  StudyResult report = sample::report();
  report.baseline.reset();
  report.speedup.reset();
  report.no_baseline_because = "the baseline ended as unstable";
  const std::string limit = "has no speed-up to state and is within 1.23x of what sample can do";
  CHECK_THAT(answer(report).sentence(), Contains("spmv " + limit));
  CHECK(sample::doubts_of(answer(report)) == std::vector<std::string>{report.no_baseline_because});
  report.inputs = InputsAnswer{};
  report.inputs->rows.resize(2);
  report.inputs->gap = report.best->gap.total;
  CHECK_THAT(answer(report).sentence(), Contains("spmv over 2 inputs " + limit));
  CHECK(answer(report).verdict == Answer::Verdict::undecided);
  report.inputs->baseline_gap = report.inputs->gap;
  CHECK_THAT(
      answer(report).sentence(),
      Contains("Nothing is faster than your baseline of spmv over 2 inputs, which is within"));
}
