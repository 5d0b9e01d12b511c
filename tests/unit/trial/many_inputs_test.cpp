#include <catch2/catch.hpp>
#include <cmath>

#include "support/synthetic_study.h"
#include "trial/evaluator.h"
#include "trial/objective.h"
#include "trial/race.h"

using namespace rooftune;
using test::failed;
using test::knob;
using test::timed;

namespace {

/// Times by the knob x alone; counts how often it was asked, and with which limit.
class Table : public Evaluator {
 public:
  explicit Table(std::vector<double> seconds) : seconds_(std::move(seconds)) {}
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    ++asked;
    limit = incumbent;
    const double seconds = at(configuration);
    if (seconds <= 0) return failed(configuration, Outcome::wrong_result);
    return timed(configuration, seconds);
  }
  Rounds race(const std::vector<Configuration>& configurations, const RacePlan& how,
              const Between&) override {
    Rounds result;
    for (int r = 0; r < how.rounds; ++r) {
      std::vector<double> round;
      for (const Configuration& configuration : configurations)
        round.push_back(at(configuration) * (1 + 0.001 * r));
      result.seconds.push_back(round);
    }
    return result;
  }
  double at(const Configuration& configuration) const {
    return seconds_.at(static_cast<std::size_t>(configuration.at("x").integer()));
  }
  void build(const std::vector<Configuration>& configurations) override {
    built += configurations.size();
  }
  int asked = 0;
  std::size_t built = 0;
  std::optional<double> limit;

 private:
  std::vector<double> seconds_;
};

Configuration x(int value) {
  Configuration configuration;
  configuration.set("x", value);
  return configuration;
}

/// Two inputs with the bounds 1 and 10.
struct Two {
  Table small, large;
  History history;
  std::shared_ptr<Evaluator> both;
  Two(Objective::Aim aim, std::vector<double> first, std::vector<double> second)
      : small(std::move(first)),
        large(std::move(second)),
        both(many_inputs(Objective(aim, {1, 10}), {{"n=1", &small}, {"n=10", &large}}, history)) {}
  const Trial& run(int value) {
    const Trial* best = history.best();
    Trial trial = both->evaluate(
        x(value), best ? std::optional(best->measurement->seconds.value) : std::nullopt);
    trial.index = history.size();
    history.append(trial);
    return history.trials().back();
  }
};

}  // namespace

TEST_CASE("the objective of several inputs is the mean or the largest of their gaps") {
  const Objective mean(Objective::Aim::mean, {1, 100}), minimax(Objective::Aim::minimax, {1, 100});
  CHECK(mean.bound() == Approx(10));
  CHECK(mean.gap({2, 800}) == Approx(4));
  CHECK(mean.time({2, 800}) == Approx(std::sqrt(2.0 * 800)));
  CHECK(minimax.gap({2, 800}) == Approx(8));
  CHECK(minimax.time({2, 800}) == Approx(80));
  const Estimate time = minimax.time({{2, 1, 9}, {800, 700, 900}});
  CHECK(time.low == Approx(70));
  CHECK(time.high == Approx(90));
  // The share of an input is the time at which the objective is what was asked for.
  for (const Objective& objective : {mean, minimax}) {
    const double share = objective.share(60, {1.5, 0}, 1);
    CHECK(objective.time({1.5, share}) == Approx(60));
  }
  CHECK(enumerator<Objective::Aim>("objective", "minimax") == Objective::Aim::minimax);
  CHECK_THROWS_WITH(enumerator<Objective::Aim>("objective", "largest"),
                    Catch::Contains("one of mean, minimax"));
  CHECK_THROWS_AS(Objective(Objective::Aim::mean, {1}), Error);
}

TEST_CASE("a trial holds every input, and the objective's figures above them") {
  Two two(Objective::Aim::mean, {4, 2}, {40, 90});
  const Trial& trial = two.run(0);
  REQUIRE(trial.ok());
  REQUIRE(trial.measurement->inputs.size() == 2);
  CHECK(trial.measurement->complete());
  CHECK(trial.measurement->inputs[1].seconds.value == 40);
  CHECK(trial.measurement->seconds.value == Approx(std::sqrt(4.0 * 40)));
  // Through the records and back.
  const Trial read = decoded<Trial>(parse_json(encode(trial).dump(), "record"), "record");
  CHECK(read.measurement->inputs.size() == 2);
  CHECK(read.measurement->inputs[1].seconds == trial.measurement->inputs[1].seconds);
  CHECK(read.measurement->complete());
}

TEST_CASE("the largest gap drops a configuration at the first input that settles it") {
  // Gaps 4 and 6, then 3 and 9: the second input, where the best is worst, comes first.
  Two two(Objective::Aim::minimax, {4, 3, 3}, {60, 90, 50});
  two.run(0);
  CHECK(two.small.asked == 1);
  const Trial& dropped = two.run(1);
  CHECK(dropped.ok());
  CHECK_FALSE(dropped.measurement->complete());
  CHECK(two.small.asked == 1);
  CHECK(dropped.detail.find("input 2 (n=10)") != std::string::npos);
  CHECK(dropped.measurement->seconds.value > two.history.trials()[0].measurement->seconds.value);
  const Trial read = decoded<Trial>(encode(dropped), "record");
  CHECK_FALSE(read.measurement->complete());
  CHECK(read.measurement->inputs[0].samples.empty());
  // Gaps 3 and 5 win, and are measured on both.
  CHECK(two.run(2).measurement->complete());
  CHECK(two.history.best()->configuration == x(2));
}

TEST_CASE("a mean drops only what cannot win even with the rest at its bound") {
  // The best has the gaps 2 and 2; 3.9 and 1 would still win, 4.4 and 1 would not.
  Two two(Objective::Aim::mean, {2, 3.9, 4.4}, {20, 10, 10});
  two.run(0);
  CHECK(two.run(1).measurement->complete());
  CHECK(two.history.best()->configuration == x(1));
  Two other(Objective::Aim::mean, {2, 3.9, 4.4}, {20, 10, 10});
  other.run(0);
  const Trial& dropped = other.run(2);
  CHECK_FALSE(dropped.measurement->complete());
  // The limit of an input: where the mean would be the best's with the other at its bound.
  REQUIRE(other.small.limit);
  CHECK(*other.small.limit == Approx(4 * 1.02 * 1.02 * 1.005 * 1.005));
  // What was not measured is taken to be as much slower as what was.
  CHECK(dropped.measurement->seconds.value == Approx(std::sqrt(4.4 * 20 * 4.4 / 2)));
}

TEST_CASE("a failure on one input is the failure of the trial, and the input is named") {
  Two two(Objective::Aim::mean, {2, 2}, {20, 0});
  two.run(0);
  const Trial& trial = two.run(1);
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK(trial.detail.find("input 2 (n=10): ") == 0);
}

TEST_CASE("a race is judged on all inputs and told for each") {
  Two two(Objective::Aim::mean, {4, 2}, {20, 30});
  Race race;
  race.configurations = {x(0), x(1)};
  race.with_baseline = true;
  append(race, two.both->race(race.configurations, {12, 1}));
  append(race, two.both->race(race.configurations, {8, 1}));
  REQUIRE(race.inputs.size() == 2);
  CHECK(race.inputs[1].size() == 20);
  const Race read = decoded<Race>(parse_json(encode(race).dump(), "race"), "race");
  CHECK(read.inputs == race.inputs);
  const Verdict whole = judge(race);
  CHECK(whole.winner == 1);
  CHECK(whole.speedup->value == Approx(std::sqrt(2 * 2 / 3.0)));
  CHECK(judge_on_input(race, 0, whole).speedup->value == Approx(2));
  // The common winner is slower here, and that is said.
  CHECK(judge_on_input(race, 1, whole).speedup->value == Approx(2 / 3.0));
  CHECK(judge_on_input(race, 1, whole).seconds[1].value == Approx(30).epsilon(0.02));
  Json torn = encode(race);
  torn["inputs"][0].erase(3);
  CHECK_THROWS_WITH(decoded<Race>(torn, "race"), Catch::Contains("/inputs"));
}

TEST_CASE("what is built ahead is built for every input") {
  Two two(Objective::Aim::mean, {1, 2, 3}, {10, 20, 30});
  two.both->build({x(0), x(2)});
  CHECK(two.small.built == 2);
  CHECK(two.large.built == 2);
}
