// What a staircase keeps of its race, and when a configuration may leave it.
#include "trial/staircase.h"

#include <catch2/catch.hpp>

#include "core/fields.h"
#include "core/rng.h"

using namespace rooftune;

namespace {

/// Rounds of configurations with these times, drift common to a round and noise of a percent.
StaircaseRace climb_of(const std::vector<double>& times, std::size_t winner, int rounds) {
  Rng rng(3, 0);
  StaircaseRace result;
  result.winner = winner;
  result.race.with_baseline = true;
  for (std::size_t c = 0; c < times.size(); ++c) {
    Configuration configuration;
    configuration.set("x", Value(static_cast<int>(c)));
    result.race.configurations.push_back(configuration);
  }
  result.found = result.race.configurations[winner];
  for (int r = 0; r < rounds; ++r) {
    const double drift = 1 + rng.unit();
    auto& round = result.race.seconds.emplace_back();
    for (const double time : times) round.push_back(time * drift * (0.998 + 0.004 * rng.unit()));
  }
  return result;
}

using Places = std::vector<std::size_t>;

}  // namespace

TEST_CASE("steps that gain are kept, one without a gain is part of the next") {
  CHECK(climbed(climb_of({17, 5, 5.01, 1}, 3, 6)) == Places{0, 1, 3});
  CHECK(climbed(climb_of({17, 5, 6, 1}, 3, 6)) == Places{0, 1, 3});
}

TEST_CASE("a gain that noise may have made is joined with another step") {
  const auto noisy = [](std::size_t place, std::vector<double> times) {
    StaircaseRace climb = climb_of(times, 3, 6);
    for (std::size_t round = 0; round < 6; ++round)
      climb.race.seconds[round][place] *= round % 2 ? 1.1 : 0.9;
    return climb;
  };
  CHECK(climbed(noisy(1, {2.1, 2, 1.5, 1})) == Places{0, 2, 3});
  CHECK(climbed(noisy(2, {4, 2, 1.95, 1})) == Places{0, 1, 3});
  CHECK(climbed(noisy(3, {4, 2, 1.05, 1})) == Places{0, 1, 3});
}

TEST_CASE("a last step that gains nothing is not needed") {
  CHECK(climbed(climb_of({4, 2, 1, 1.003}, 3, 6)) == Places{0, 1, 2});
  // The winner was beaten by a step on the way: the staircase ends there.
  CHECK(climbed(climb_of({4, 1, 1.3}, 2, 6)) == Places{0, 1});
}

TEST_CASE("a step whose shown times do not gain is none, whatever its own rounds say") {
  StaircaseRace climb = climb_of({10, 2.04, 2, 1}, 3, 10);
  CHECK(climbed(climb) == Places{0, 1, 2, 3});
  // The third left early; since then the second was faster beside the top.
  for (std::size_t round = 4; round < 10; ++round) {
    climb.race.seconds[round][1] *= 0.93;
    climb.race.seconds[round][2] = 0;
  }
  CHECK(climbed(climb) == Places{0, 2, 3});
}

TEST_CASE("a value tried beside the winner is the last step where it gains beyond the noise") {
  CHECK(climbed(climb_of({4, 1, 0.9, 1.2}, 1, 6)) == Places{0, 1, 2});
  CHECK(climbed(climb_of({4, 1, 0.9, 0.7}, 1, 6)) == Places{0, 1, 2, 3});
  CHECK(climbed(climb_of({4, 1, 1.1, 0.998}, 1, 6)) == Places{0, 1});
}

TEST_CASE("a given path keeps its steps, the slower ones too") {
  StaircaseRace path = climb_of({4, 5, 2}, 2, 6);
  path.given = true;
  CHECK(climbed(path) == Places{0, 1, 2});
}

TEST_CASE("three rounds that agree are enough for a large step, a small one needs more") {
  CHECK(settled(climb_of({17, 1.02, 1}, 2, 2).race, 2).empty());
  const auto three = settled(climb_of({17, 3, 1}, 2, 3).race, 2);
  CHECK(three == Places{0, 1});
}

TEST_CASE("what all rounds agree on is never called nothing, however few they are") {
  const auto ratio = paired_ratio(climb_of({17.2, 1}, 1, 2).race, 0, 1);
  REQUIRE(ratio);
  CHECK(ratio->value == Approx(17.2).epsilon(0.01));
  CHECK(ratio->low > 10);
  CHECK(ratio->high < 30);
  Race race = climb_of({17.2, 1}, 1, 2).race;
  for (auto& round : race.seconds) round[0] = 0;
  CHECK_FALSE(paired_ratio(race, 0, 1));
}

TEST_CASE("disturbed rounds are no clean ones, and waits of a whole sample make no interval") {
  Race race = climb_of({2, 1}, 1, 8).race;
  for (std::size_t r = 0; r < 5; ++r) {
    race.seconds[r][0] *= 400;
    race.disturbed.push_back({r, 0, 1.0});
  }
  CHECK(clean_rounds(race, 0, 1) == 3);
  const auto ratio = paired_ratio(race, 0, 1);
  CHECK(ratio->value == Approx(2).epsilon(0.01));
  CHECK(ratio->high < 2.2);
  CHECK(ratio->low > 1.8);
}

TEST_CASE("a staircase survives its way through the records, and a wrong one is refused") {
  StaircaseRace staircase = climb_of({4, 2, 1, 1.1}, 2, 3);
  staircase.shortened_because = "no time";
  const auto read = decoded<StaircaseRace>(encode(staircase), "staircase");
  CHECK(read.found == staircase.found);
  CHECK(read.winner == 2);
  CHECK(read.race.seconds == staircase.race.seconds);
  CHECK(read.shortened_because == "no time");
  staircase.winner = 4;
  CHECK_THROWS_AS(decoded<StaircaseRace>(encode(staircase), "staircase"), Error);
}
