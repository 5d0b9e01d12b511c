#include "sweep/outcome.h"

#include <catch2/catch.hpp>

#include "support/sample_report.h"

using namespace rooftune;

namespace {

InputRow input(int n, double seconds) {
  InputRow row;
  row.problem["n"] = Value(std::int64_t{n});
  row.bound.time = Seconds(seconds / 2);
  row.bound.low = row.bound.high = row.bound.time;
  row.bound.ceiling = "DRAM load 2t";
  row.best = Estimate::exact(seconds);
  return row;
}

}  // namespace

TEST_CASE("the figures of a result survive the outcome file") {
  StudyResult report = sample::report();
  report.speedup = Estimate{138, 20, 300};
  report.inconclusive = {"only 3 of 20 rounds were free of neighbours"};
  StudyOutcome outcome;
  outcome.name = "spmv";
  outcome.result = figures_of(report);
  const StudyFigures& figures = *outcome.result;
  CHECK(figures.kernel == "spmv");
  CHECK(figures.seconds == report.best->seconds);
  CHECK(figures.bound->value == report.bound.time.value());
  CHECK(figures.gap == report.best->gap.total.value);
  CHECK(figures.speedup == 138);
  CHECK(figures.doubts.speedup == report.inconclusive);
  CHECK(figures.doubts.gap.empty());
  CHECK(figures.stop == StopReason::budget);
  CHECK(figures.searched == report.cost.total);
  const auto again = decoded<StudyOutcome>(encode(outcome), "spmv.json");
  CHECK(encode(again) == encode(outcome));
}

TEST_CASE("of several inputs a night has the geometric mean") {
  StudyResult report = sample::report();
  InputsAnswer& inputs = report.inputs.emplace();
  inputs.rows = {input(10, 1e-3), input(20, 4e-3)};
  inputs.gap = Estimate::exact(2);
  const StudyFigures figures = figures_of(report);
  CHECK(figures.problem == "n=10; n=20");
  CHECK(figures.seconds->value == Approx(2e-3));
  CHECK(figures.bound->value == Approx(1e-3));
  CHECK(figures.gap == 2.0);
  inputs.rows[1].best.reset();
  CHECK_FALSE(figures_of(report).seconds);
}
