// Verdicts on planted rounds: what neighbours disturb makes no answer, and forbids none.
#include "trial/race.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/fields.h"
#include "core/rng.h"
#include "trial/evaluator.h"

using namespace rooftune;

namespace {

/// Rounds of configurations with these times; common drift of the machine, 1 % of noise each.
Race planted(const std::vector<double>& times, int rounds, std::uint64_t seed) {
  Rng rng(seed, 0);
  Race race;
  race.with_baseline = true;
  race.looks = 5;
  race.configurations.resize(times.size());
  for (int r = 0; r < rounds; ++r) {
    const double drift = 1 + 0.3 * rng.unit();
    race.seconds.emplace_back();
    for (const double time : times)
      race.seconds.back().push_back(time * drift * (0.99 + 0.02 * rng.unit()));
  }
  return race;
}

/// Somebody took the core away during this sample, for up to a thousand times its length.
void strike(Race& race, std::size_t round, std::size_t c, Rng& rng) {
  race.seconds[round][c] *= std::pow(1000, rng.unit());
}

}  // namespace

TEST_CASE("a few wild rounds of any size neither make an answer nor forbid one") {
  int told = 0;
  constexpr int cases = 300;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    Rng rng(seed, 1);
    Race same = planted({1, 1, 1.001}, 30, seed), faster = planted({1.5, 1, 1.1}, 30, seed);
    for (int i = 0; i < 3; ++i) {
      const std::size_t round = rng.below(30), c = rng.below(3);
      strike(same, round, c, rng);
      strike(faster, round, c, rng);
    }
    CHECK(judge(same).baseline_stands);
    const Verdict verdict = judge(faster);
    told += verdict.winner == 1 && verdict.speedup->low > 1.4 && verdict.speedup->high < 1.6;
  }
  // Struck rounds that follow each other may pass for a mood of the machine: more rounds decide.
  CHECK(told > 0.9 * cases);
}

TEST_CASE("disturbed samples decide nothing, however many they are") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Rng rng(seed, 2);
    Race race = planted({1, 1, 1.02}, 30, seed);
    // A team of two meets a neighbour in half of the rounds, its rival with one thread in none.
    for (std::size_t r = 0; r < race.seconds.size(); r += 2) {
      strike(race, r, 0, rng);
      race.disturbed.push_back({r, 0});
    }
    const Verdict verdict = judge(race);
    CHECK(verdict.baseline_stands);
    CHECK_FALSE(verdict.disturbed);
    CHECK(verdict.speedup->high < 1.1);
    CHECK(verdict.seconds[0].value < 1.4);
  }
}

TEST_CASE("without clean pairs the machine was busy, whoever looks faster") {
  Rng rng(1, 3);
  for (const std::size_t struck : {0, 1}) {
    Race race = planted({1, 1}, 30, struck);
    for (std::size_t r = 0; r < race.seconds.size(); ++r) {
      race.seconds[r][struck] *= 400;
      race.disturbed.push_back({r, struck});
    }
    const Verdict verdict = judge(race);
    CHECK(verdict.winner == 0);
    CHECK(verdict.baseline_stands);
    REQUIRE(verdict.doubt);
    CHECK(verdict.disturbed);
    CHECK(verdict.clean_pairs == 0);
    // Too short a race is no sign of neighbours.
    race.seconds.resize(4);
    std::erase_if(race.disturbed, [](const auto& sample) { return sample.round >= 4; });
    CHECK_FALSE(judge(race).disturbed);
  }
}

TEST_CASE("where the fastest cannot be told from the baseline, another one that can be wins") {
  // As once seen: baseline and fastest in us, and two finalists without an outlier.
  const double base[] = {8169, 716, 453, 389, 722, 700, 7959, 7995, 390, 387, 396, 462};
  const double best[] = {491, 129, 133, 127, 128, 140, 133, 131, 124, 517, 123, 127};
  Race race;
  race.with_baseline = true;
  race.configurations.resize(4);
  for (std::size_t r = 0; r < 12; ++r)
    race.seconds.push_back({base[r], best[r], base[r] / 3.2, base[r] / 2.1});
  const Verdict verdict = judge(race);
  CHECK_FALSE(verdict.baseline_stands);
  CHECK(verdict.winner == 2);
  CHECK(verdict.speedup->low > 3);
}

TEST_CASE("who cannot win leaves, and its later rounds are missing") {
  Race race = planted({5, 1, 1.001, 2}, 10, 7);
  const Verdict first = judge(race);
  CHECK(first.leaves == std::vector<std::size_t>{0, 3});
  Rounds more;
  more.seconds = std::vector<std::vector<double>>(20, {1, 1.001});
  more.disturbed = {{4, 1}};
  append(race, more, {1, 2});
  CHECK(race.seconds[10] == std::vector<double>{0, 1, 1.001, 0});
  CHECK(race.disturbed == Disturbed{{14, 2}});
  const Verdict verdict = judge(race);
  CHECK(verdict.speedup->low > 4.5);
  CHECK(verdict.seconds[0].value > 4.5);
  const Race read = decoded<Race>(encode(race), "race");
  CHECK(read.seconds == race.seconds);
  CHECK(read.disturbed == race.disturbed);
  race.disturbed = {{30, 0}};
  CHECK_THROWS_AS(decoded<Race>(encode(race), "race"), Error);
}

namespace {

/// A variant as a machine of several cores runs it: its own time [s], and its threads.
struct Raced {
  double seconds;
  int threads;
};

/// A sample beside neighbours who take a core for `slice` [s] with this duty. The call is held up
/// by something between the longest wait of one thread and all of them, and by its caches.
DisturbedSample beside_neighbours(const Raced& variant, double duty, double slice, Rng& rng,
                                  double& seconds) {
  double longest = 0, together = 0, refill = 0;
  for (int thread = 0; thread < variant.threads; ++thread) {
    double waited = 0;
    for (double at = slice * rng.unit(); at < variant.seconds; at += slice)
      if (rng.unit() < duty) waited += slice * rng.unit(), refill += 1e-4 * rng.unit();
    longest = std::max(longest, waited);
    together += waited;
  }
  const double wall = variant.seconds * (0.99 + 0.02 * rng.unit()) + longest +
                      (together - longest) * rng.unit() + std::min(refill, together);
  seconds = wall;
  return {0, 0, longest < 0.02 * wall ? 0 : std::min(1.0, (together + refill * 2) / wall)};
}

Race raced_beside_neighbours(const std::vector<Raced>& variants, double duty, double slice,
                             int rounds, Rng& rng) {
  Race race;
  race.with_baseline = true;
  race.looks = 5;
  race.configurations.resize(variants.size());
  for (int r = 0; r < rounds; ++r) {
    race.seconds.emplace_back(variants.size());
    for (std::size_t c = 0; c < variants.size(); ++c) {
      DisturbedSample one =
          beside_neighbours(variants[c], duty, slice, rng, race.seconds.back()[c]);
      one.round = static_cast<std::size_t>(r);
      one.configuration = c;
      if (one.lost != 0) race.disturbed.push_back(one);
    }
  }
  return race;
}

}  // namespace

TEST_CASE("neighbours never decide, and a speed-up holds that of a quiet machine") {
  int wrong = 0, missed = 0, told = 0;
  constexpr int races = 2000;
  for (std::uint64_t seed = 0; seed < races; ++seed) {
    Rng rng(seed, 4);
    const double call = std::pow(10, -3 + 2 * rng.unit()), duty = rng.unit(),
                 slice = std::pow(10, -3 + rng.unit());
    std::vector<Raced> variants;
    for (int i = 0; i < 4; ++i)
      variants.push_back({call * (1 + 2 * rng.unit() * rng.unit()), 1 + int(rng.below(3))});
    const Verdict verdict =
        judge(raced_beside_neighbours(variants, duty, slice, seed % 2 ? 30 : 120, rng));
    if (verdict.baseline_stands) continue;
    ++told;
    const double truth = variants[0].seconds / variants[verdict.winner].seconds;
    wrong += truth < 1;
    missed += verdict.speedup->low > 1.01 * truth || verdict.speedup->high < truth / 1.01;
  }
  INFO("told " << told << ", missed " << missed);
  CHECK(wrong == 0);
  CHECK(missed < 0.01 * told);
  CHECK(told > races / 4);
}

TEST_CASE("a long call that always waits is decided where its ratio bears the waits") {
  Race race = planted({160e-3, 80e-3, 100e-3}, 30, 1);
  for (std::size_t r = 0; r < 30; ++r)
    for (std::size_t c = 0; c < 3; ++c) {
      race.seconds[r][c] /= 0.7;
      race.disturbed.push_back({r, c, 0.3});
    }
  const Verdict verdict = judge(race);
  CHECK_FALSE(verdict.baseline_stands);
  CHECK_FALSE(verdict.doubt);
  REQUIRE(verdict.speedup);
  CHECK(verdict.speedup->low > 1.3);
  CHECK(verdict.speedup->low < 2);
  CHECK(verdict.speedup->high > 2);
  CHECK(verdict.speedup->high < 3.1);
  CHECK(verdict.seconds[0].low < 0.75 * verdict.seconds[0].value);
  // A quarter faster is within the waits.
  CHECK(verdict.ties == std::vector<std::size_t>{2});
  race.configurations.pop_back();
  std::erase_if(race.disturbed, [](const auto& sample) { return sample.configuration == 2; });
  for (auto& round : race.seconds) round = {0.8 * round[0] / 1.28, round[1]};
  const Verdict close = judge(race);
  CHECK(close.baseline_stands);
  CHECK(close.disturbed);
}

TEST_CASE("a part of a race has its rounds, and the disturbed samples of its configurations") {
  Race race;
  race.with_baseline = true;
  race.configurations.resize(3);
  for (int c = 0; c < 3; ++c) race.configurations[c].set("x", Value(c));
  race.seconds = {{3, 2, 1}, {6, 4, 2}};
  race.disturbed = {{0, 1, 0.5}, {1, 2, 0.4}};
  const Race part = only(race, {0, 2});
  CHECK(part.configurations == std::vector{race.configurations[0], race.configurations[2]});
  CHECK(part.seconds == std::vector<std::vector<double>>{{3, 1}, {6, 2}});
  REQUIRE(part.disturbed.size() == 1);
  CHECK(part.disturbed[0].round == 1);
  CHECK(part.disturbed[0].configuration == 1);
}

TEST_CASE("a time scaled by a roof leaves disturbed rounds out") {
  Race race;
  race.configurations.resize(1);
  race.seconds = {{2}, {2}, {9}, {2}};
  race.disturbed = {{2, 0, 0.5}};
  race.roofs = {{"DRAM", {5, 5, 10, 5}}};
  CHECK(seconds_under_roof(race, 0, race.roofs[0], 10).high == Approx(1));
  CHECK(seconds_under_roof(race, 0, race.roofs[0], 10, 0.5).value == Approx(std::sqrt(2.0)));
}
