// Configurations that are proven to lose are not measured; a proof that a trial beats ends that.
#include <catch2/catch.hpp>

#include "study_run.h"

using namespace rooftune;
using namespace rooftune::synthetic;

namespace {

/// Proves that no configuration with x >= 8 takes less than 10 ms, and nothing else.
LeastTimeOf far_end(double seconds = 10e-3) {
  return [seconds](const Configuration& c) -> std::optional<LeastTime> {
    if (c.at("x").integer() < 8) return std::nullopt;
    return LeastTime{Seconds(seconds), "x is large"};
  };
}

/// Slow at the far end, as proven.
double valley_and_cliff(const Configuration& c) {
  return c.at("x").integer() < 8 ? valley(c) : 12e-3 + valley(c);
}

}  // namespace

TEST_CASE("what is proven to lose is pruned with its proof, and the end is certified") {
  for (const char* strategy : {"random", "exhaustive", "roofline"}) {
    INFO(strategy);
    SyntheticEvaluator evaluator(valley_and_cliff);
    SearchOptions options;
    options.least_time = far_end();
    const Run result = run_search(evaluator, 1e-6, options, strategy);
    CHECK(result.end.reason == StopReason::certified);
    CHECK(result.history().best()->configuration.key() == "x=7 y=3");
    for (const Trial& trial : result.history().trials()) {
      if (trial.outcome != Outcome::pruned) continue;
      CHECK(trial.configuration.at("x").integer() >= 8);
      CHECK(trial.detail.find("cannot take less than 10.0 ms: x is large") == 0);
      CHECK_FALSE(trial.measurement);
    }
    // Some were measured before the best was good enough; the others never.
    CHECK(evaluator.evaluated.size() < 100);
    CHECK(evaluator.evaluated.size() >= 80);
    CHECK(result.end.refuted.empty());
  }
}

TEST_CASE("pruned configurations do not count against the budget of evaluations") {
  SyntheticEvaluator evaluator(valley_and_cliff);
  SearchOptions options;
  options.least_time = far_end();
  options.budget.evaluations = 60;
  const Run result = run_search(evaluator, 1e-6, options, "random");
  CHECK(result.end.reason == StopReason::budget);
  CHECK(evaluator.evaluated.size() == 60);
  CHECK(result.history().counts().at(Outcome::ok) == 60);
}

TEST_CASE("a trial that beats its least time ends pruning, and what was pruned is measured") {
  // The proofs are wrong: at x = 9 times are as short as in the valley.
  const auto lie = [](const Configuration& c) {
    Configuration near = c;
    if (c.at("x").integer() == 9) near.set("x", 7);
    return valley(near) * (c.at("x").integer() == 9 ? 0.5 : 1);
  };
  SyntheticEvaluator evaluator(lie);
  SearchOptions options;
  options.least_time = far_end(1e-3 * 30);
  const SearchSpace space = grid();
  // Tried before anything is known to be better, so that no proof hinders it.
  Configuration liar = space.baseline();
  liar.set("x", 9);
  options.first = {liar};
  const Run result = run_search(evaluator, 1e-6, options, "random");
  CHECK(result.end.refuted.find("trial 1 took") == 0);
  CHECK(result.end.reason == StopReason::exhausted);
  CHECK(evaluator.evaluated.size() == 100);
  CHECK(result.history().best()->configuration.key() == "x=9 y=3");
}

TEST_CASE("a refutation reopens what was pruned before it") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  // Right for x = 9, wrong for x = 8, which takes 2 ms at y = 3 when the walk comes there.
  options.least_time = [](const Configuration& c) -> std::optional<LeastTime> {
    const std::int64_t x = c.at("x").integer(), y = c.at("y").integer();
    if (x == 9) return LeastTime{Seconds(5.5e-3), "x is 9"};
    if (x == 8 && y > 3) return LeastTime{Seconds(4e-3), "x is 8"};
    return std::nullopt;
  };
  const SearchSpace space = grid();
  Configuration best = space.baseline(), pruned = space.baseline();
  best.set("x", 7);
  best.set("y", 3);
  pruned.set("x", 9);
  pruned.set("y", 3);
  StudyRecord record;
  for (const Configuration& c : {space.baseline(), best}) {
    Trial trial = evaluator.evaluate(c, std::nullopt);
    trial.index = record.history.size();
    record.apply(trial);
  }
  Trial left_out;
  left_out.index = 2;
  left_out.configuration = pruned;
  left_out.outcome = Outcome::pruned;
  record.apply(left_out);
  Configuration liar = space.baseline();
  liar.set("x", 8);
  liar.set("y", 4);
  options.first = {liar};
  evaluator.evaluated.clear();
  const Run result = run_search(evaluator, 1e-6, options, "random", record);
  CHECK_FALSE(result.end.refuted.empty());
  REQUIRE(evaluator.evaluated.size() >= 2);
  CHECK(evaluator.evaluated[0] == liar);
  CHECK(evaluator.evaluated[1] == pruned);
  CHECK(evaluator.evaluated.size() == 98);
}

TEST_CASE("a resumed search prunes as the straight one does") {
  SyntheticEvaluator straight(valley_and_cliff);
  SearchOptions options;
  options.least_time = far_end();
  options.seed = 5;
  const Run whole = run_search(straight, 1e-6, options, "random");
  SyntheticEvaluator evaluator(valley_and_cliff);
  SearchOptions part = options;
  part.budget.evaluations = 33;
  part.staircase = false;
  const Run first = run_search(evaluator, 1e-6, part, "random");
  run_search(evaluator, 1e-6, options, "random", first.record);
  CHECK(evaluator.evaluated == straight.evaluated);
}
