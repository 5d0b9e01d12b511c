// What each part of a study may take of the wall time.
#include "study/schedule.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "study/search_loop.h"
#include "study_run.h"

using namespace rooftune;

namespace {

Schedule after(double seconds, double wall) {
  return Schedule(Seconds(wall), Schedule::Clock::now(), seconds);
}

}  // namespace

TEST_CASE("every part ends in time for the next, and has what earlier ones left") {
  CHECK(after(60, 100).left(20) == Approx(20).margin(1));
  CHECK(after(60, 100).share() == Approx(0.6).margin(0.01));
  CHECK(after(60, 100).left_for(Part::race) == Approx(40).margin(1));
  CHECK(after(60, 100).left_for(Part::staircase) == Approx(35).margin(1));
  CHECK(after(60, 100).left_for(Part::counts) == Approx(38).margin(1));
  CHECK(after(100, 100).left_for(Part::race) <= 0);
  // Nothing explains an answer without counts.
  CHECK(after(200, 100).left_for(Part::counts) == Approx(5));
  CHECK(after(0, 100).for_races() == 20);
  CHECK(std::isinf(Schedule().for_races()));
  CHECK(after(200, 100).share() == 1);
}

TEST_CASE("counts of long calls have up to a fifth, which race and staircase leave") {
  Schedule schedule = after(60, 100);
  CHECK(schedule.for_counts(1) == Approx(5));
  CHECK(schedule.for_counts(12) == Approx(12));
  CHECK(schedule.for_counts(1000) == Approx(20));
  CHECK(Schedule::budget_to_count(20) == Approx(100));
  schedule.keep_for_counts(12);
  CHECK(schedule.left_for(Part::race) == Approx(33).margin(1));
  CHECK(schedule.left_for(Part::staircase) == Approx(28).margin(1));
  CHECK(schedule.left_for(Part::counts) == Approx(38).margin(1));
  CHECK(Schedule().for_counts(1000) == Approx(60));
  Trial trial;
  trial.cost = {2, 1, 0, 3, 2};
  trial.measurement = Measurement{};
  trial.measurement->seconds = Estimate::exact(0.5);
  // A longer build of others is likelier than one found in the cache.
  CHECK(likely_to_count(trial, {}, 1) == Approx(14.5));
  CHECK(likely_to_count(trial, {4, 1, 5}, 1) == Approx(16.5));
  CHECK(likely_to_count(trial, {4, 1, 5}, 2) == Approx(14.5));
}

namespace {

/// A clock that moves as trials and races take their time.
struct Simulated {
  double now = 0, raced = 0;
  SearchEnd end;
  StudyRecord record;
};

/// A search of 60 s with calls of `call` [s], the baseline's ten times as long, where `neighbours`
/// make rounds so many times as long as they were priced.
Simulated simulated(double call, double validate, double neighbours) {
  Simulated simulation;
  synthetic::SyntheticEvaluator evaluator([&](const Configuration& c) {
    return call * (c == synthetic::grid().baseline() ? 10 : 1 + 0.01 * c.at("x").real());
  });
  evaluator.cost = {1, validate, 0.3, 1.3 + validate, 1};
  evaluator.outcome = [&](const Configuration&) {
    simulation.now += evaluator.cost.total;
    return Outcome::ok;
  };
  evaluator.spend = [&](const std::vector<Configuration>& all, const std::vector<bool>& left) {
    for (std::size_t c = 0; c < all.size(); ++c) {
      double seconds = left[c] ? 0 : neighbours * 3 * call;
      if (all[c] == synthetic::grid().baseline()) seconds *= 10;
      simulation.now += seconds;
      simulation.raced += seconds;
    }
  };
  SearchOptions options;
  options.budget.time = Seconds(60);
  options.afterwards = 0.1;
  options.staircase = false;
  auto run =
      synthetic::run_search(evaluator, 1e-9, options, default_strategy, {}, synthetic::grid(),
                            Schedule(Seconds(60), [&] { return simulation.now; }));
  simulation.end = std::move(run.end);
  simulation.record = std::move(run.record);
  return simulation;
}

}  // namespace

TEST_CASE("races take a fifth of the budget at most, whatever a round costs") {
  for (const double call : {1e-5, 1e-3, 0.02, 0.1, 0.5})
    for (const double validate : {0.01, 0.5, 2.0})
      for (const double neighbours : {1.0, 2.0, 6.0}) {
        CAPTURE(call, validate, neighbours);
        const Simulated simulation = simulated(call, validate, neighbours);
        CHECK(simulation.end.reason == StopReason::budget);
        REQUIRE(simulation.record.race);
        const double round = neighbours * 3 * 14 * call;
        // A round under way is cut by the clock, which is not simulated.
        CHECK(simulation.raced <= 12 + round);
        CHECK(simulation.now <= 60 + round);
      }
  // Calls that fit into it many times have their rounds.
  CHECK(simulated(1e-3, 0.1, 1).record.race->seconds.size() >= 10);
  CHECK(simulated(0.005, 0.1, 2).record.race->seconds.size() >= 10);
}

TEST_CASE("without a limit of wall time every part has what most kernels need") {
  const Schedule schedule;
  CHECK(std::isinf(schedule.left(100)));
  CHECK(schedule.share() == 0);
  for (const Part part : {Part::race, Part::staircase, Part::counts})
    CHECK(schedule.left_for(part) >= 10);
}
