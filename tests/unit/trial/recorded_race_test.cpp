// Races as they ran on two cores of an AMD EPYC (Zen 4) within a minute of tuning, 29 November
// 2026: whatever is cut from them or disturbed in them, the answer stays that of the whole race.
#include <catch2/catch.hpp>

#include "trial/race.h"

using namespace rooftune;

namespace {

struct Recorded {
  const char* kernel;
  std::vector<std::vector<double>> seconds;  ///< [round][baseline, finalists]
  Disturbed disturbed;
  double speedup;  ///< of the whole race
};

const std::vector<Recorded>& recorded() {
  static const std::vector<Recorded> races{
      {"lbmhd",
       {{0.21779, 0.022803, 0.022138},
        {0.21966, 0.023085, 0.021644},
        {0.21585, 0.022585, 0.021761},
        {0.21282, 0.023526, 0.028376}},
       {{1, 0, 0.0375}, {2, 0, 0.027}, {3, 2, 0.0311}, {3, 0, 0.0233}},
       9.8},
      {"pic_deposit",
       {{0.073055, 0.0063915, 0.0060752, 0.0058993, 0.0062278},
        {0.076826, 0.0058014, 0.0059748, 0.006081, 0.0061238},
        {0.077693, 0.0058711, 0.0059548, 0.0061449, 0.0059946},
        {0.072399, 0.0058812, 0.0061458, 0.0061228, 0.0060494}},
       {{3, 0, 0.0208}},
       12.9},
      {"snap",
       {{0.12013, 0.012829, 0.013056, 0.012998, 0.0131},
        {0.11851, 0.013384, 0.012999, 0.012976, 0.012918},
        {0.12278, 0.012855, 0.013007, 0.013392, 0.012921},
        {0.12091, 0.013136, 0.012968, 0.013046, 0.012926},
        {0.11924, 0.013044, 0.012936, 0.012935, 0.01295},
        {0.12081, 0.012878, 0.013063, 0.013075, 0.012967}},
       {{2, 0, 0.0345}, {3, 0, 0.0237}},
       9.3},
  };
  return races;
}

Race race_of(const Recorded& one) {
  Race race;
  race.with_baseline = true;
  race.looks = 5;
  race.configurations.resize(one.seconds.front().size());
  race.seconds = one.seconds;
  race.disturbed = one.disturbed;
  return race;
}

/// A winner far ahead is one, by a factor near that of the whole race; of three or four rounds the
/// interval is wide, but neither a draw nor a million.
void check(const Race& race, const Recorded& whole) {
  const Verdict verdict = judge(race);
  CHECK_FALSE(verdict.baseline_stands);
  CHECK(verdict.winner > 0);
  REQUIRE(verdict.speedup);
  CHECK(verdict.speedup->value == Approx(whole.speedup).epsilon(0.1));
  CHECK(verdict.speedup->low > 0.15 * whole.speedup);
  CHECK(verdict.speedup->high < 10 * whole.speedup);
}

}  // namespace

TEST_CASE("recorded races say what they say, whatever was cut") {
  for (const Recorded& one : recorded())
    for (size_t rounds = 3; rounds <= one.seconds.size(); ++rounds) {
      CAPTURE(one.kernel, rounds);
      Race race = race_of(one);
      race.seconds.resize(rounds);
      std::erase_if(race.disturbed, [&](const auto& sample) { return sample.round >= rounds; });
      check(race, one);
    }
}

TEST_CASE("one more disturbed sample, however long, changes no recorded race") {
  for (const Recorded& one : recorded())
    for (size_t round = 0; round < one.seconds.size(); ++round)
      for (size_t place = 0; place < one.seconds.front().size(); ++place) {
        CAPTURE(one.kernel, round, place);
        Race race = race_of(one);
        race.seconds[round][place] *= 20;
        std::erase_if(race.disturbed, [&](const auto& sample) {
          return sample.round == round && sample.configuration == place;
        });
        // Its waits may have been all of it.
        race.disturbed.push_back({round, place, 1.0});
        check(race, one);
      }
}
