// What each part of a study may take of the wall time.
#include "study/schedule.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rooftune;

namespace {

Schedule after(double seconds, double wall) {
  return Schedule(Seconds(wall), Schedule::Clock::now(), seconds);
}

}  // namespace

TEST_CASE("every part ends in time for the next, and has what earlier ones left") {
  CHECK(after(60, 100).left(20) == Approx(20).margin(1));
  CHECK(after(60, 100).share() == Approx(0.6).margin(0.01));
  CHECK(after(60, 100).left_for(Part::race) == Approx(20).margin(1));
  CHECK(after(60, 100).left_for(Part::ablation) == Approx(30).margin(1));
  CHECK(after(60, 100).left_for(Part::counts) == Approx(35).margin(1));
  CHECK(after(60, 100).left_for(Part::experiments) == Approx(40).margin(1));
  CHECK(after(85, 100).left_for(Part::race) == 0);
  CHECK(after(200, 100).left_for(Part::experiments) == 0);
  // Nothing explains an answer without counts.
  CHECK(after(200, 100).left_for(Part::counts) == Approx(5));
  CHECK(after(200, 100).share() == 1);
}

TEST_CASE("counts of long calls have up to a fifth, which race and ablation leave") {
  Schedule schedule = after(60, 100);
  CHECK(schedule.for_counts(1) == Approx(5));
  CHECK(schedule.for_counts(12) == Approx(12));
  CHECK(schedule.for_counts(1000) == Approx(20));
  CHECK(Schedule::budget_to_count(20) == Approx(100));
  schedule.keep_for_counts(12);
  CHECK(schedule.left_for(Part::race) == Approx(13).margin(1));
  CHECK(schedule.left_for(Part::ablation) == Approx(23).margin(1));
  CHECK(schedule.left_for(Part::counts) == Approx(35).margin(1));
  CHECK(schedule.left_for(Part::experiments) == Approx(40).margin(1));
  CHECK(Schedule().for_counts(1000) == Approx(60));
  Trial trial;
  trial.cost = {2, 1, 0, 3, 2};
  trial.measurement = Measurement{};
  trial.measurement->seconds = Estimate::exact(0.5);
  // A longer build of others is likelier than one found in the cache.
  CHECK(likely_to_count(trial, {}) == Approx(10));
  CHECK(likely_to_count(trial, {4, 1, 5}) == Approx(12));
}

TEST_CASE("without a limit of wall time every part has what most kernels need") {
  const Schedule schedule;
  CHECK(std::isinf(schedule.left(100)));
  CHECK(schedule.share() == 0);
  for (const Part part : {Part::race, Part::ablation, Part::experiments, Part::counts})
    CHECK(schedule.left_for(part) >= 10);
}
