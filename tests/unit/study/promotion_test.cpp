// What the ablation finds faster than the winner is tried, raced and promoted, a bounded number of
// times, and the search does not notice.
#include <catch2/catch.hpp>

#include "study_run.h"

using namespace rooftune;
using namespace rooftune::synthetic;

namespace {

/// The baseline and (7, 9) only; its y set back is faster, because y = 0 costs less than y = 9.
SearchOptions far_from_best() {
  SearchOptions options;
  options.budget.evaluations = 2;
  Configuration first = grid().baseline();
  first.set("x", 7);
  first.set("y", 9);
  options.first = {first};
  return options;
}

/// A second finalist beside (7, 9).
Configuration second_finalist() {
  Configuration slower = grid().baseline();
  slower.set("x", 6);
  slower.set("y", 6);
  return slower;
}

std::vector<std::string> ends(const Run& result, std::size_t n) {
  const std::size_t count = std::min(n, result.events.size());
  return {result.events.end() - static_cast<std::ptrdiff_t>(count), result.events.end()};
}

}  // namespace

TEST_CASE("a winner that is faster without one of its knobs is replaced by that, as a trial") {
  SyntheticEvaluator evaluator(valley);
  const Run result = run_search(evaluator, 1e-6, far_from_best());
  CHECK(ends(result, 6) == std::vector<std::string>{"race", "ablation", "started x=7 y=0",
                                                    "trial x=7 y=0", "race", "ablation"});
  REQUIRE(result.history().size() == 3);
  const Trial& promoted = result.history().trials().back();
  CHECK(promoted.index == 2);
  CHECK(promoted.promoted_because ==
        "the winner of the race is 3.7 times as fast with y set back to 0");
  CHECK(result.end.evaluated == 3);
  const Race& race = *result.record.race;
  CHECK(race.configurations[judge(race).winner].key() == "x=7 y=0");
  REQUIRE(race.challengers.size() == 1);
  CHECK(race.challengers[0].knob == "y");
  CHECK(race.challengers[0].factor.value == Approx(10.0 / 37).epsilon(1e-9));
  REQUIRE(result.record.ablation);
  CHECK(result.record.ablation->best.key() == "x=7 y=0");
  CHECK(costly(*result.record.ablation).empty());
}

TEST_CASE("a finalist whose result turns out wrong is out, and the others race") {
  SyntheticEvaluator evaluator(valley);
  const std::string wrong = "x=7 y=9";
  evaluator.refute = [&](const Configuration& c) {
    return c.key() == wrong ? std::string("element 5 is wrong") : std::string();
  };
  SearchOptions options = far_from_best();
  const Configuration slower = second_finalist();
  options.first.push_back(slower);
  options.ablation = false;
  const Run result = run_search(evaluator, 1e-6, options);
  CHECK(ends(result, 2) == std::vector<std::string>{"refuted", "race"});
  const Trial& liar = result.history().trials()[1];
  CHECK(liar.configuration.key() == wrong);
  CHECK(liar.outcome == Outcome::wrong_result);
  CHECK(liar.detail == "element 5 is wrong");
  for (const Configuration& raced : result.record.race->configurations) CHECK(raced.key() != wrong);
  CHECK(result.history().best()->configuration == slower);
}

TEST_CASE("finalists that fail beside each other leave a pair, and a race that fails its reason") {
  SyntheticEvaluator evaluator(valley);
  evaluator.race_fault = [](std::size_t many) {
    return many > 2 ? std::string("no room for them") : std::string();
  };
  SearchOptions options = far_from_best();
  const Configuration slower = second_finalist();
  options.first.push_back(slower);
  options.budget.evaluations = 3;
  options.ablation = false;
  const Run two = run_search(evaluator, 1e-6, options);
  const Race& race = *two.record.race;
  REQUIRE(race.configurations.size() == 2);
  CHECK(race.with_baseline);
  CHECK(race.configurations[1] == two.history().best()->configuration);
  CHECK(race.seconds.size() >= static_cast<std::size_t>(least_race_rounds));
  CHECK(race.fault == "no room for them");
  evaluator.race_fault = [](std::size_t) { return std::string("no room at all"); };
  options.ablation = true;
  const Run none = run_search(evaluator, 1e-6, options);
  REQUIRE(none.record.race);
  CHECK(none.record.race->seconds.empty());
  CHECK(none.record.race->fault == "no room at all");
  CHECK_FALSE(none.record.ablation);
  // Whoever goes on with the study tries again.
  evaluator.race_fault = [](std::size_t) { return std::string(); };
  const Run again = run_search(evaluator, 1e-6, options, "local", none.record);
  CHECK(again.record.race->configurations.size() == 3);
  CHECK(again.record.race->fault.empty());
}

TEST_CASE("as many finalists race as there is time to enter") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options = far_from_best();
  const Configuration slower = second_finalist();
  options.first.push_back(slower);
  options.budget.evaluations = 3;
  options.budget.time = Seconds(1000);
  options.ablation = false;
  CHECK(run_search(evaluator, 1e-6, options).record.race->configurations.size() == 3);
  // The best beside the baseline races in any case.
  evaluator.cost.validate = 200;
  const Race dear = *run_search(evaluator, 1e-6, options).record.race;
  CHECK(dear.configurations.size() == 2);
  CHECK(dear.with_baseline);
}

TEST_CASE("what was a trial before is raced without being tried again") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options = far_from_best();
  // One finalist: (7, 0) is on record, slower at its first look, and left out of the race.
  options.finalists = 1;
  Configuration known = grid().baseline();
  known.set("x", 7);
  options.first.push_back(known);
  bool slow = true;
  SyntheticEvaluator moody([&](const Configuration& c) {
    if (c == known && slow) {
      slow = false;
      return 0.1;
    }
    return valley(c);
  });
  const Run result = run_search(moody, 1e-6, options);
  CHECK(result.history().size() == 3);
  CHECK(moody.evaluated.size() == 3);
  const Race& race = *result.record.race;
  CHECK(race.configurations[judge(race).winner] == known);
  CHECK(result.history().trials().back().promoted_because.empty());
}

TEST_CASE("promoting ends after two winners, however many knobs cost time") {
  // Six flags, each of which costs time; the baseline has none, and pays a hundred times for that
  // unless the seventh is set.
  std::vector<Knob> knobs(7);
  for (std::size_t k = 0; k < 7; ++k) {
    knobs[k].name = std::string("k") + static_cast<char>('0' + k);
    knobs[k].values = {Value(0), Value(1)};
    knobs[k].fallback = Value(0);
    knobs[k].breaks = {Paradigm::ilp};
  }
  const SearchSpace space("flags", knobs, {}, {});
  const auto cost = [](const Configuration& c) {
    double seconds = c.at("k6").integer() == 1 ? 1e-3 : 100e-3;
    for (int k = 0; k < 6; ++k)
      if (c.at(std::string("k") + static_cast<char>('0' + k)).integer() == 1) seconds *= 1.5 + k;
    return seconds;
  };
  Configuration first = space.baseline();
  for (const Knob& knob : knobs) first.set(knob.name, 1);
  SyntheticEvaluator evaluator([&](const Configuration& c) {
    return c == first ? 90e-3 : cost(c);  // fast enough to win, and slower than any other
  });
  SearchOptions options;
  options.budget.evaluations = 2;
  options.first = {first};
  evaluator.disturbed = {{3, 0}};
  const Run result = run_search(evaluator, 1e-6, options, "random", {}, space);
  CHECK(result.history().size() <= 4);
  REQUIRE(result.record.race);
  CHECK(result.record.race->challengers.size() <= 2);
  CHECK(std::count(result.events.begin(), result.events.end(), "race") <= 3);
  // Each race has its own disturbed samples: one of ten rounds is.
  CHECK(result.record.race->disturbed.size() == result.record.race->seconds.size() / 10);
}

TEST_CASE("what the race does not confirm leaves the winner and its ablation as they were") {
  // Beside the winner in the ablation (7, 0) is fast, in any other company it is slow.
  Configuration liar = grid().baseline();
  liar.set("x", 7);
  SyntheticEvaluator evaluator(valley);
  evaluator.race_time = [&](const Configuration& c, std::size_t among) {
    return c == liar && among == 3 ? 1.0 : valley(c);
  };
  const Run result = run_search(evaluator, 1e-6, far_from_best());
  const Race& race = *result.record.race;
  CHECK(race.configurations[judge(race).winner].key() == "x=7 y=9");
  CHECK(race.challengers.size() == 1);
  CHECK(result.record.ablation->best.key() == "x=7 y=9");
  CHECK(ends(result, 2) == std::vector<std::string>{"trial x=7 y=0", "race"});
  // The same command again does not try once more.
  const Run again = run_search(evaluator, 1e-6, far_from_best(), "local", result.record);
  CHECK(again.events.empty());
  CHECK(again.record.race->seconds == race.seconds);
}

TEST_CASE("a race with a challenger that decides nothing takes no answer back") {
  // Beside the challenger the baseline is now as fast as the winner and now slower.
  int calls = 0;
  SyntheticEvaluator evaluator(valley);
  evaluator.race_time = [&](const Configuration& c, std::size_t among) {
    return among == 3 && c == grid().baseline() ? (++calls % 2 ? 1e-3 : 0.1) : valley(c);
  };
  const Run result = run_search(evaluator, 1e-6, far_from_best());
  const Race& race = *result.record.race;
  CHECK(race.challengers.empty());
  CHECK_FALSE(judge(race).doubt);
  CHECK(race.configurations[judge(race).winner].key() == "x=7 y=9");
  CHECK(result.record.ablation->best.key() == "x=7 y=9");
}

TEST_CASE("a run that ended between ablation and promotion is caught up on") {
  SyntheticEvaluator evaluator(valley);
  const Run whole = run_search(evaluator, 1e-6, far_from_best());
  SearchOptions options = far_from_best();
  // Interrupted as soon as the set-backs are measured.
  SyntheticEvaluator cut(valley);
  options.interrupted = [&] { return cut.races >= 2; };
  const Run first = run_search(cut, 1e-6, options);
  CHECK(first.history().size() == 2);
  REQUIRE(first.record.ablation);
  CHECK(costly(*first.record.ablation).size() == 1);
  const Run second = run_search(evaluator, 1e-6, far_from_best(), "local", first.record);
  CHECK(second.events ==
        std::vector<std::string>{"started x=7 y=0", "trial x=7 y=0", "race", "ablation"});
  CHECK(order(second.history()) == order(whole.history()));
}

TEST_CASE("without ablation nothing is promoted, and a challenger that fails is not") {
  SyntheticEvaluator evaluator(valley);
  SearchOptions options = far_from_best();
  options.ablation = false;
  CHECK(run_search(evaluator, 1e-6, options).history().size() == 2);
  SyntheticEvaluator failing(valley);
  failing.outcome = [](const Configuration& c) {
    return c.key() == "x=7 y=0" ? Outcome::wrong_result : Outcome::ok;
  };
  const Run result = run_search(failing, 1e-6, far_from_best());
  const Race& race = *result.record.race;
  CHECK(race.configurations[judge(race).winner].key() == "x=7 y=9");
  CHECK(race.challengers.empty());
}

TEST_CASE("a search that goes on after a promotion is the search that was never stopped") {
  std::size_t promoted = 0;
  for (const auto& row : strategies()) {
    INFO(row.name);
    SearchOptions options;
    options.seed = 3;
    options.budget.evaluations = 24;
    SyntheticEvaluator straight(valley);
    const Run whole = run_search(straight, 1e-6, options, row.name);
    for (const std::uint64_t cut : {4u, 9u}) {
      SyntheticEvaluator evaluator(valley);
      SearchOptions part = options;
      part.budget.evaluations = cut;
      const Run first = run_search(evaluator, 1e-6, part, row.name);
      promoted += first.history().size() - first.history().proposed().size();
      const Run second = run_search(evaluator, 1e-6, options, row.name, first.record);
      CHECK(order(second.history().proposed()) == order(whole.history().proposed()));
      CHECK(second.history().proposed().size() == 24);
    }
  }
  // The law above is empty where nothing was promoted.
  CHECK(promoted > 0);
}

TEST_CASE("challengers and what was promoted come back from records") {
  SyntheticEvaluator evaluator(valley);
  const Run result = run_search(evaluator, 1e-6, far_from_best());
  const Race& race = *result.record.race;
  const Race again = decoded<Race>(encode(race), "test");
  CHECK(encode(again) == encode(race));
  REQUIRE(again.challengers.size() == 1);
  CHECK(again.challengers[0].configuration == race.challengers[0].configuration);
  const Trial& trial = result.history().trials().back();
  CHECK(decoded<Trial>(encode(trial), "test").promoted_because == trial.promoted_because);
  Json broken = encode(race);
  broken["challengers"][0]["knob"] = 7;
  CHECK_THROWS_AS(decoded<Race>(broken, "test"), Error);
}
