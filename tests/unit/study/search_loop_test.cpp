// The search: what is tried first, when it ends, what it records.
#include <catch2/catch.hpp>

#include "core/fields.h"
#include "study_run.h"
#include "trial/staircase.h"

using namespace rooftune;
using namespace rooftune::synthetic;

TEST_CASE("the baseline is tried first whatever the strategy") {
  for (const auto& row : strategies()) {
    SyntheticEvaluator evaluator(valley);
    SearchOptions options;
    options.budget.evaluations = 3;
    run_search(evaluator, 1e-6, options, row.name);
    CHECK(evaluator.evaluated.front() == grid().baseline());
  }
}

TEST_CASE("forced configurations come before the strategy, whatever gap and budget say") {
  SyntheticEvaluator evaluator(valley);
  const SearchSpace space = grid();
  SearchOptions options;
  options.budget.evaluations = 2;
  options.target_gap = 1e6;
  options.staircase = false;
  for (const std::uint64_t index : {7u, 3u, 7u, 11u})
    options.first.push_back(space.configuration(index));
  const Run result = run_search(evaluator, 1e-6, options);
  REQUIRE(evaluator.evaluated.size() == 4);
  CHECK(evaluator.evaluated[0] == space.baseline());
  CHECK(evaluator.evaluated[1] == space.configuration(7));
  CHECK(evaluator.evaluated[2] == space.configuration(3));
  CHECK(evaluator.evaluated[3] == space.configuration(11));
}

TEST_CASE("a session stops when the gap is closed and says so") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  options.target_gap = 1.5;
  const Run result = run_search(evaluator, 1e-3, options);
  CHECK(result.end.reason == StopReason::closed);
  CHECK(result.history().best()->measurement->seconds.value <= 1.5e-3);
  CHECK(result.end.sentence.find("target of 1.500") != std::string::npos);
}

TEST_CASE("a best below the bound refutes the bound, it does not close the gap") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  options.target_gap = 1.5;
  const Run result = run_search(evaluator, 1.0, options);  // any configuration is far faster
  CHECK(result.end.reason == StopReason::exhausted);
  CHECK(result.history().size() == 100);
}

TEST_CASE("one lucky trial does not close the gap: it is measured again first") {
  // The first look at (4, 4) is far too fast; every later one is honest.
  bool lucky = true;
  SyntheticEvaluator evaluator([&](const Configuration& c) {
    if (c.key() == "x=4 y=4" && lucky) {
      lucky = false;
      return 0.5e-3;
    }
    return valley(c);
  });
  SearchOptions options;
  options.target_gap = 1.01;
  const Run result = run_search(evaluator, 0.9e-3, options, "exhaustive");
  CHECK_FALSE(lucky);
  CHECK(result.end.reason == StopReason::exhausted);
  CHECK(result.history().size() == 100);
}

TEST_CASE("a session stops at its budget of evaluations, earlier runs included") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  options.budget.evaluations = 10;
  options.staircase = false;
  const Run first = run_search(evaluator, 1e-6, options);
  CHECK(first.end.reason == StopReason::budget);
  CHECK(first.history().size() == 10);
  CHECK(first.end.evaluated == 10);

  options.budget.evaluations = 16;
  const Run second = run_search(evaluator, 1e-6, options, default_strategy, first.record);
  CHECK(second.history().size() == 16);
  CHECK(second.end.evaluated == 6);
}

TEST_CASE("a session stops at its budget of time, with the cost of earlier runs counted") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  options.budget.evaluations = 4;
  const Run first = run_search(evaluator, 1e-6, options);  // 4 trials that cost half a second each
  options.budget = {std::nullopt, Seconds(1.9)};
  const Run second = run_search(evaluator, 1e-6, options, default_strategy, first.record);
  CHECK(second.end.reason == StopReason::budget);
  CHECK(second.end.evaluated == 0);
}

TEST_CASE("device time is validating and timing, building is not, and the first limit ends it") {
  SyntheticEvaluator evaluator(valley);
  evaluator.cost = {10, 0.25, 0.75, 11};
  SearchOptions options;
  options.budget = {50, std::nullopt, Seconds(4.5)};
  options.staircase = false;
  const Run result = run_search(evaluator, 1e-6, options);
  CHECK(result.end.reason == StopReason::budget);
  CHECK(result.end.sentence.find("of device time") != std::string::npos);
  CHECK(result.history().size() == 5);
  options.budget.evaluations = 3;
  CHECK(run_search(evaluator, 1e-6, options).history().size() == 3);
}

TEST_CASE("a space is exhausted without duplicates") {
  SyntheticEvaluator evaluator(valley);
  const Run result = run_search(evaluator, 1e-6, {});
  CHECK(result.end.reason == StopReason::exhausted);
  CHECK(result.history().size() == 100);
}

TEST_CASE("an interrupt ends the session, keeps what is there and skips the race") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  options.interrupted = [&] { return evaluator.evaluated.size() >= 5; };
  const Run result = run_search(evaluator, 1e-6, options);
  CHECK(result.end.reason == StopReason::interrupted);
  CHECK(result.history().size() == 5);
  CHECK_FALSE(result.record.race);
}

TEST_CASE("every trial is announced and stored before the next begins") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  options.budget.evaluations = 4;
  const Run result = run_search(evaluator, 1e-6, options);
  REQUIRE(result.events.size() >= 10);
  for (std::size_t n = 0; n < 8; n += 2) {
    CHECK(result.events[n].substr(0, 7) == "started");
    CHECK(result.events[n + 1] == "trial" + result.events[n].substr(7));
  }
  CHECK(result.events[result.events.size() - 2] == "race");
  CHECK(result.events.back() == "staircase");
}

TEST_CASE("a straight run equals one that was cut and resumed at any point") {
  SyntheticEvaluator straight(valley);
  SearchOptions options;
  options.budget.evaluations = 30;
  options.seed = 11;
  const Run whole = run_search(straight, 1e-6, options, default_strategy);
  for (const std::uint64_t cut : {1u, 7u, 29u}) {
    SyntheticEvaluator evaluator(valley);
    SearchOptions part = options;
    part.budget.evaluations = cut;
    const Run first = run_search(evaluator, 1e-6, part, default_strategy);
    const Run second = run_search(evaluator, 1e-6, options, default_strategy, first.record);
    CHECK(order(proposed(second.history())) == order(proposed(whole.history())));
  }
}

TEST_CASE("failures are data and the search goes on") {
  SyntheticEvaluator evaluator(valley);
  evaluator.outcome = [](const Configuration& c) {
    return c.at("x").integer() % 2 == 1 ? Outcome::build_failed : Outcome::ok;
  };
  const Run result = run_search(evaluator, 1e-6, {});
  CHECK(result.end.reason == StopReason::exhausted);
  CHECK(result.history().counts().at(Outcome::build_failed) == 50);
  REQUIRE(result.record.race);
  CHECK(result.record.race->with_baseline);
}

TEST_CASE("the race pairs baseline and finalists and names the winner through drift") {
  SyntheticEvaluator evaluator(valley);
  const Run result = run_search(evaluator, 1e-6, {});
  REQUIRE(result.record.race);
  const Verdict verdict = judge(*result.record.race);
  CHECK(result.record.race->configurations[verdict.winner].key() == "x=7 y=3");
  REQUIRE(verdict.speedup);
  CHECK(verdict.speedup->value == Approx(59).epsilon(1e-9));
  CHECK(verdict.decided());
}

TEST_CASE("equal finalists make a tie set and no winner beyond the noise") {
  SyntheticEvaluator evaluator([](const Configuration&) { return 1e-3; });
  SearchOptions options;
  options.budget.evaluations = 8;
  const Run result = run_search(evaluator, 1e-6, options);
  REQUIRE(result.record.race);
  const Verdict verdict = judge(*result.record.race);
  CHECK(verdict.ties.size() == result.record.race->configurations.size() - 1);
  CHECK(verdict.baseline_stands);
}

TEST_CASE("the same command again keeps the earlier race when nothing new was tried") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  options.budget.evaluations = 12;
  const Run first = run_search(evaluator, 1e-6, options);
  const int rounds = evaluator.raced_rounds;
  const Run second = run_search(evaluator, 1e-6, options, default_strategy, first.record);
  CHECK(second.end.evaluated == 0);
  CHECK(evaluator.raced_rounds == rounds);
  REQUIRE(second.record.race);
  CHECK(second.record.race->seconds == first.record.race->seconds);
  REQUIRE(second.record.staircase);
  CHECK(encode(*second.record.staircase) == encode(*first.record.staircase));
}

TEST_CASE("the steps from the baseline to the winner race together, largest gain first") {
  SyntheticEvaluator evaluator(valley);
  const Run result = run_search(evaluator, 1e-6, {});
  REQUIRE(result.record.staircase);
  const StaircaseRace& staircase = *result.record.staircase;
  CHECK(staircase.found.key() == "x=7 y=3");
  // The other finalists race beside them.
  REQUIRE(staircase.race.configurations.size() == 6);
  REQUIRE(result.record.race);
  CHECK(result.record.race->configurations.size() == 5);
  CHECK(staircase.race.configurations[0].key() == "x=0 y=0");
  CHECK(staircase.race.configurations[1].key() == "x=7 y=0");
  CHECK(staircase.winner == 2);
  CHECK(climbed(staircase) == std::vector<std::size_t>{0, 1, 2});
  CHECK(paired_ratio(staircase.race, 0, 1)->value == Approx(5.9).epsilon(1e-3));
  CHECK(paired_ratio(staircase.race, 0, 2)->value == Approx(59).epsilon(1e-3));
  CHECK(result.events[result.events.size() - 2] == "race");
  CHECK(result.events.back() == "staircase");
  CHECK(result.history().size() == 100);
}

TEST_CASE("steps that were never tried become trials, which the search does not see") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  options.budget.evaluations = 2;
  Configuration best = grid().baseline();
  best.set("x", 7);
  best.set("y", 3);
  options.first = {best};
  const Run result = run_search(evaluator, 1e-6, options);
  REQUIRE(result.history().size() == 3);
  const Trial& step = result.history().trials().back();
  CHECK(step.because == "staircase");
  CHECK(step.configuration.key() == "x=7 y=0");
  CHECK(proposed(result.history()).size() == 2);
  REQUIRE(result.record.staircase);
  CHECK(climbed(*result.record.staircase).size() == 3);
  CHECK(decoded<Trial>(encode(step), "trial").because == "staircase");
}

TEST_CASE("a step that fails is left out, and the rest is one step") {
  SyntheticEvaluator evaluator(valley);
  evaluator.outcome = [](const Configuration& c) {
    return c.at("x") == Value(7) && c.at("y") == Value(0) ? Outcome::crashed : Outcome::ok;
  };
  const Run result = run_search(evaluator, 1e-6, {});
  REQUIRE(result.record.staircase);
  CHECK(result.record.staircase->winner == 1);
}

TEST_CASE("a step refuted in its race begins the finals anew without it") {
  SyntheticEvaluator evaluator(valley);
  evaluator.refute = [](const Configuration& c) {
    return c.key() == "x=7 y=0" ? "wrong after many calls" : "";
  };
  const Run result = run_search(evaluator, 1e-6, {});
  CHECK(result.history().find(result.record.staircase->found)->ok());
  REQUIRE(result.record.staircase);
  for (const Configuration& one : result.record.staircase->race.configurations)
    CHECK_FALSE(one.key() == "x=7 y=0");
}

TEST_CASE("untried values that promise a gain are tried beside the winner") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  const SearchSpace space = grid();
  // A row towards the optimum, with the next value of it untried.
  for (int x = 1; x <= 6; ++x)
    for (const int y : {0, 3}) {
      Configuration one = space.baseline();
      one.set("x", Value(x));
      one.set("y", Value(y));
      options.first.push_back(one);
    }
  options.budget.evaluations = 13;
  const Run result = run_search(evaluator, 1e-6, options);
  REQUIRE(result.record.staircase);
  const StaircaseRace& staircase = *result.record.staircase;
  CHECK(staircase.found.key() == "x=6 y=3");
  const Trial& tried = result.history().trials().back();
  CHECK(tried.because == "next");
  CHECK(result.history().best()->configuration.key() == "x=7 y=3");
  const auto places = climbed(staircase);
  CHECK(staircase.race.configurations[places.back()].key() == "x=7 y=3");
}

TEST_CASE("there is no staircase when nothing beats the baseline, or when nobody wants it") {
  SyntheticEvaluator flat([](const Configuration&) { return 1e-3; });
  SearchOptions options;
  options.budget.evaluations = 8;
  CHECK_FALSE(run_search(flat, 1e-6, options).record.staircase);
  SyntheticEvaluator evaluator(valley);
  options.staircase = false;
  CHECK_FALSE(run_search(evaluator, 1e-6, options).record.staircase);
}

TEST_CASE("a staircase that an earlier run lacks is caught up on without another race") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  options.staircase = false;
  const Run first = run_search(evaluator, 1e-6, options);
  REQUIRE_FALSE(first.record.staircase);
  options.staircase = true;
  const Run second = run_search(evaluator, 1e-6, options, default_strategy, first.record);
  CHECK(second.record.staircase);
  CHECK(second.events == std::vector<std::string>{"staircase"});
  const Run third = run_search(evaluator, 1e-6, options, default_strategy, second.record);
  CHECK(third.events.empty());
  CHECK(third.record.staircase);
}

TEST_CASE("a baseline that failed ends the study, and the next run tries it again") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options;
  options.budget.evaluations = 5;
  evaluator.outcome = [](const Configuration&) { return Outcome::crashed; };
  const Run first = run_search(evaluator, 1e-6, options);
  CHECK(first.end.reason == StopReason::baseline_failed);
  CHECK(first.history().size() == 1);
  CHECK(evaluator.races == 0);
  const Run second = run_search(evaluator, 1e-6, options, default_strategy, first.record);
  CHECK(second.end.reason == StopReason::baseline_failed);
  CHECK(second.history().size() == 2);
  evaluator.outcome = [](const Configuration&) { return Outcome::ok; };
  const Run third = run_search(evaluator, 1e-6, options, default_strategy, second.record);
  CHECK(third.end.reason == StopReason::budget);
  // The failures cost none of the budget.
  CHECK(proposed(third.history()).size() == 7);
  CHECK(third.history().find(grid().baseline())->ok());
  const Run fourth = run_search(evaluator, 1e-6, options, default_strategy, third.record);
  CHECK(proposed(fourth.history()).size() == 7);
}

TEST_CASE("what failed before the baseline was well is tried again") {
  const SearchSpace space = grid();
  Run old;
  for (std::uint64_t i = 0; i < 3; ++i) {
    Trial trial;
    trial.index = i;
    trial.configuration = space.configuration(i);
    trial.outcome = Outcome::build_failed;
    old.record.apply(trial);
  }
  REQUIRE(old.history().trials()[0].configuration == space.baseline());
  SyntheticEvaluator evaluator(valley);
  const Run run = run_search(evaluator, 1e-6, {}, "exhaustive", old.record);
  CHECK(run.end.reason == StopReason::exhausted);
  CHECK(run.history().size() == 103);
  for (const Trial& trial : old.history().trials())
    CHECK(run.history().find(trial.configuration)->ok());
  // What fails beside a baseline that is well has failed.
  SyntheticEvaluator half(valley);
  half.outcome = [&](const Configuration& c) {
    return c == space.baseline() ? Outcome::ok : Outcome::crashed;
  };
  SearchOptions options;
  options.budget.evaluations = 3;
  const Run failing = run_search(half, 1e-6, options);
  const Run again = run_search(half, 1e-6, options, default_strategy, failing.record);
  CHECK(again.history().size() == 3);
}
