#include "trial/experiment.h"

#include <catch2/catch.hpp>

#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

/// Times from a formula, with a drift that grows from race to race and a little noise.
class DriftingFormula : public Evaluator {
 public:
  using Time = std::function<double(const Configuration&)>;
  explicit DriftingFormula(Time time) : time_(std::move(time)) {}
  std::function<bool(const Configuration&)> runs = [](const Configuration&) { return true; };
  int evaluated = 0, races = 0;

  Trial evaluate(const Configuration& configuration, std::optional<double>) override {
    ++evaluated;
    return runs(configuration) ? timed(configuration, time_(configuration))
                               : failed(configuration, Outcome::wrong_result);
  }
  Rounds race(const std::vector<Configuration>& configurations, int rounds, std::uint64_t seed,
              const Between&) override {
    ++races;
    Rounds result;
    Rng rng(seed, static_cast<std::uint64_t>(races));
    for (int r = 0; r < rounds; ++r) {
      const double drift = 1 + 0.3 * rng.unit() * (configurations.size() > 1 ? 1 : 0.05);
      std::vector<double> seconds;
      for (const auto& configuration : configurations)
        seconds.push_back(time_(configuration) * drift * (1 + 0.01 * rng.unit()));
      result.seconds.push_back(seconds);
    }
    return result;
  }

 private:
  Time time_;
};

SearchSpace stores() {
  return space_with(
      "stores",
      {knob("staging", {"swap", "fused"}, "swap"),
       knob("nt_store", {false, true}, false, "staging == 'swap'"), knob("pad", {0, 8, 24}, 0)},
      {"pad != 8 or not nt_store"});
}

std::vector<WallExperimentSpec> declared() {
  return {{"write_allocate", "nt_store", {false}, {true}, {}, {}, {}},
          {"conflict", "pad", {0}, {8, 24}, {}, {}, {}},
          {"capacity", {}, {}, {}, {{"n", 100}}, "n", {}}};
}

Configuration with(const std::string& staging, bool nt, int pad) {
  Configuration c = stores().baseline();
  c.set("staging", staging);
  c.set("nt_store", nt);
  c.set("pad", pad);
  return c;
}

const OpenElsewhere nowhere = [](const Experiment&) { return Elsewhere{nullptr, 1, "not here"}; };

std::vector<Experiment> run_experiments(const Configuration& contender, Evaluator& evaluator,
                                        const OpenElsewhere& elsewhere = nowhere,
                                        const ExperimentLimits& limits = {}) {
  auto all = planned_experiments(stores(), declared(), "best", contender);
  measure(all, {}, evaluator, elsewhere, limits);
  return all;
}

const Experiment& named(const std::vector<Experiment>& all, const std::string& wall) {
  for (const Experiment& one : all)
    if (one.wall == wall) return one;
  throw std::runtime_error("no experiment on " + wall);
}

WallConclusion concluded(const std::vector<Experiment>& all, const std::string& wall) {
  const auto found = conclusions(all);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].wall == wall) return found[i];
  throw std::runtime_error("no experiment on " + wall);
}

}  // namespace

TEST_CASE("a declared knob is moved to the other side, as far as the space allows") {
  const auto all = planned_experiments(stores(), declared(), "best", with("swap", true, 0));
  REQUIRE(all.size() == 3);
  const Experiment& stores_past = named(all, "write_allocate");
  CHECK_FALSE(stores_past.in_front);
  CHECK(stores_past.other == with("swap", false, 0));
  // 8 is not allowed with streaming stores, 24 is.
  CHECK(named(all, "conflict").other == with("swap", true, 24));
  CHECK(named(all, "conflict").in_front);

  const auto fused = planned_experiments(stores(), declared(), "best", with("fused", false, 8));
  CHECK(named(fused, "write_allocate").absent_because.find("no effect") != std::string::npos);
  CHECK_FALSE(named(fused, "conflict").in_front);
  CHECK(named(fused, "conflict").other == with("fused", false, 0));

  const auto none = planned_experiments(stores(), {{"capacity", {}, {}, {}, {}, {}, "one pass"}},
                                        "baseline", stores().baseline());
  CHECK(named(none, "capacity").absent_because == "one pass");
  CHECK(named(none, "conflict").absent_because.find("declares no experiment") != std::string::npos);
}

TEST_CASE("a wall costs what the formula says, whichever side the contender is on") {
  DriftingFormula evaluator([](const Configuration& c) {
    return 1e-3 * (c.at("nt_store").truth() ? 1 : 1.4) * (c.at("pad") == Value(0) ? 1.2 : 1);
  });
  const auto past = run_experiments(with("swap", true, 24), evaluator);
  CHECK(concluded(past, "write_allocate").verdict == WallVerdict::broken);
  CHECK(concluded(past, "write_allocate").cost.value == Approx(1.4).epsilon(0.02));
  CHECK(concluded(past, "conflict").verdict == WallVerdict::broken);
  CHECK(concluded(past, "conflict").cost.value == Approx(1.2).epsilon(0.02));
  const auto front = run_experiments(with("swap", false, 0), evaluator);
  CHECK(concluded(front, "write_allocate").verdict == WallVerdict::stands);
  CHECK(concluded(front, "write_allocate").cost.value == Approx(1.4).epsilon(0.02));
  CHECK(concluded(front, "capacity").verdict == WallVerdict::no_experiment);
  CHECK(named(front, "capacity").absent_because == "not here");
}

TEST_CASE("a wall that costs nothing is not called one, and what is lost in noise is not told") {
  DriftingFormula even([](const Configuration&) { return 1e-3; });
  CHECK(concluded(run_experiments(with("swap", false, 0), even), "conflict").verdict ==
        WallVerdict::costs_nothing);
  DriftingFormula worse(
      [](const Configuration& c) { return c.at("pad") == Value(0) ? 1e-3 : 2e-3; });
  CHECK(concluded(run_experiments(with("swap", false, 0), worse), "conflict").verdict ==
        WallVerdict::costs_nothing);
  CHECK(concluded(run_experiments(with("swap", false, 0), worse), "conflict").cost.high < 1);
  Rng chance(7, 0);
  DriftingFormula wild([&](const Configuration&) { return 1e-3 * (1 + 3 * chance.unit()); });
  CHECK(concluded(run_experiments(with("swap", false, 0), wild), "conflict").verdict ==
        WallVerdict::cannot_tell);
}

TEST_CASE("a step of size takes turns with the problem itself, times scaled by the work") {
  const DriftingFormula::Time here = [](const Configuration& c) {
    return 8e-3 * (c.at("staging") == Value("swap") ? 3 : 1);
  };
  DriftingFormula evaluator(here), small([](const Configuration&) { return 1e-3; });
  const OpenElsewhere elsewhere = [&](const Experiment& one) {
    CHECK(one.problem.at("n") == Value(100));
    return Elsewhere{&small, 8, {}};
  };
  auto all = planned_experiments(stores(), declared(), "best", with("fused", false, 0));
  const auto base = planned_experiments(stores(), declared(), "baseline", stores().baseline());
  all.insert(all.end(), base.begin(), base.end());
  measure(all, {}, evaluator, elsewhere, {});
  const auto found = conclusions(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].wall != "capacity") continue;
    INFO(all[i].subject);
    CHECK(all[i].rounds.size() == 20);
    const bool best = all[i].subject == "best";
    CHECK(found[i].cost.value == Approx(best ? 1 : 3).epsilon(0.03));
    CHECK(found[i].verdict == (best ? WallVerdict::broken : WallVerdict::stands));
  }
  CHECK(small.races == 10);

  const auto larger = run_experiments(with("swap", false, 0), evaluator, [&](const Experiment&) {
    return Elsewhere{&small, 0.5, {}};
  });
  CHECK(named(larger, "capacity").absent_because.find("no larger") != std::string::npos);
  DriftingFormula wrong(here);
  wrong.runs = [](const Configuration&) { return false; };
  const auto broken = run_experiments(with("swap", false, 0), evaluator, [&](const Experiment&) {
    return Elsewhere{&wrong, 8, {}};
  });
  CHECK(named(broken, "capacity").absent_because.find("wrong_result") != std::string::npos);
}

TEST_CASE("what fails, does not fit or was interrupted is named, and the rest stands") {
  DriftingFormula evaluator([](const Configuration&) { return 1e-3; });
  evaluator.runs = [](const Configuration& c) { return !c.at("nt_store").truth(); };
  const auto failing = run_experiments(with("swap", false, 0), evaluator);
  CHECK(
      named(failing, "write_allocate").absent_because.find("the other side ends as wrong_result") ==
      0);
  CHECK(named(failing, "conflict").measured());

  DriftingFormula slow([](const Configuration&) { return 3.0; });
  ExperimentLimits limits;
  limits.seconds = 10;
  CHECK(named(run_experiments(with("swap", false, 0), slow, nowhere, limits), "conflict")
            .absent_because.find("12 rounds of 6 s do not fit") == 0);
  CHECK(slow.races == 0);

  limits.interrupted = [] { return true; };
  for (const Experiment& one : run_experiments(with("swap", false, 0), evaluator, nowhere, limits))
    CHECK(one.absent_because == "the run was interrupted");
}

TEST_CASE("an interrupted experiment leaves no rounds, and what was measured stays") {
  DriftingFormula evaluator([](const Configuration&) { return 1e-3; });
  evaluator.runs = [](const Configuration& c) {
    if (c.at("pad") != Value(0)) throw Interrupted{};
    return true;
  };
  const auto all = run_experiments(with("swap", false, 0), evaluator);
  CHECK(named(all, "write_allocate").measured());
  CHECK(named(all, "conflict").absent_because == "the run was interrupted");
  // The next run takes up what is missing.
  evaluator.runs = [](const Configuration&) { return true; };
  const auto whole = run_experiments(with("swap", false, 0), evaluator);
  CHECK(named(whole, "conflict").measured());
}

TEST_CASE("what was measured before is not measured again, and survives its record") {
  DriftingFormula evaluator(
      [](const Configuration& c) { return c.at("pad") == Value(0) ? 2e-3 : 1e-3; });
  auto all = run_experiments(with("swap", false, 0), evaluator);
  const int races = evaluator.races;
  auto again = decoded<std::vector<Experiment>>(encode(all), "test");
  measure(again, {}, evaluator, nowhere, {});
  CHECK(evaluator.races == races);
  CHECK(encode(again) == encode(all));
  CHECK(conclusions(again)[0].cost.value == conclusions(all)[0].cost.value);
  for (const char* broken : {R"({})", R"([{"wall": "conflict"}])", "3"})
    CHECK_THROWS_AS(decoded<std::vector<Experiment>>(parse_json(broken, "x"), "x"), Error);
  Json torn = encode(all);
  torn[2]["rounds"] = Json::parse("[[1, 0]]");
  CHECK_THROWS_WITH(decoded<std::vector<Experiment>>(torn, "x"), Catch::Contains("above 0"));
}
