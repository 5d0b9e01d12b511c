// Trials and races that are ranked by energy instead of time.
#include <catch2/catch.hpp>
#include <cmath>

#include "trial/evaluator.h"
#include "trial/trial.h"

using namespace rooftune;

namespace {

Trial run_of(std::int64_t x, double seconds, double joules) {
  Trial trial;
  trial.configuration.set("x", Value(x));
  trial.measurement.emplace();
  trial.measurement->seconds = Estimate::exact(seconds);
  if (joules > 0) {
    trial.measurement->card.emplace();
    trial.measurement->card->joules = joules;
    trial.measurement->card->joules_low = 0.9 * joules;
    trial.measurement->card->joules_high = 1.1 * joules;
  }
  return trial;
}

/// The first is fastest, the second needs least energy, of the third nothing is known.
History history_by(Figure figure) {
  History history(figure);
  history.append(run_of(1, 1, 30));
  history.append(run_of(2, 2, 10));
  history.append(run_of(3, 3, 0));
  return history;
}

/// Three configurations, the baseline first: the second is fastest, the third needs least energy.
Race three_raced() {
  Race race;
  for (std::int64_t x = 1; x <= 3; ++x)
    race.configurations.push_back(run_of(x, 1, 1).configuration);
  race.with_baseline = true;
  for (int round = 0; round < 12; ++round) {
    const double drift = 1 + 0.01 * round;
    race.seconds.push_back({4 * drift, 2 * drift, 3 * drift});
    race.joules.push_back({600 * drift, 500 * drift, 300 * drift});
  }
  return race;
}

}  // namespace

TEST_CASE("a history ranks by time or by energy, and trials without a figure last") {
  const auto x_of = [](const Trial* trial) { return trial->configuration.at("x").integer(); };
  CHECK(x_of(history_by(Figure::time).best()) == 1);
  const History history = history_by(Figure::energy);
  CHECK(x_of(history.best()) == 2);
  REQUIRE(history.fastest(3).size() == 3);
  CHECK(x_of(history.fastest(3)[1]) == 1);
  CHECK(x_of(history.fastest(3)[2]) == 3);
  CHECK(history.incumbents().size() == 2);
  CHECK(history.proposed().ranked_by() == Figure::energy);
  CHECK(history.fingerprint(2) != history_by(Figure::time).fingerprint(2));
  History refuted = history;
  refuted.refute(history.best()->configuration, "wrong");
  CHECK(refuted.ranked_by() == Figure::energy);
  CHECK(x_of(refuted.best()) == 1);
}

TEST_CASE("energy is in the record of a trial with its interval") {
  const Trial read = decoded<Trial>(encode(run_of(1, 1, 30)), "record");
  REQUIRE(energy(*read.measurement));
  CHECK(energy(*read.measurement)->low == 27);
  CHECK(energy(*read.measurement)->high == 33);
  CHECK_FALSE(energy(*run_of(1, 1, 0).measurement));
  CHECK(std::isinf(figure_of(*run_of(1, 1, 0).measurement, Figure::energy).value));
}

TEST_CASE("energy decides a race that holds it, and times are told beside it") {
  const Verdict verdict = judge(three_raced());
  CHECK(verdict.winner == 2);
  CHECK(verdict.ties.empty());
  CHECK_FALSE(verdict.baseline_stands);
  REQUIRE(verdict.saving);
  CHECK(verdict.saving->value == Approx(2));
  REQUIRE(verdict.speedup);
  CHECK(verdict.speedup->value == Approx(4.0 / 3));
  REQUIRE(verdict.joules.size() == 3);
  CHECK(verdict.joules[2].value < verdict.joules[1].value);

  Race by_time = three_raced();
  by_time.joules.clear();
  CHECK(judge(by_time).winner == 1);
  CHECK_FALSE(judge(by_time).saving);
}

TEST_CASE("a race's energy is read as it was written, and must match its rounds") {
  const Json json = encode(three_raced());
  const Race read = decoded<Race>(json, "record");
  CHECK(read.joules == three_raced().joules);
  CHECK(encode(read) == json);
  Json torn = json;
  torn["joules"].erase(0);
  CHECK_THROWS_WITH(decoded<Race>(torn, "record"), Catch::Contains("as many rounds"));
}
