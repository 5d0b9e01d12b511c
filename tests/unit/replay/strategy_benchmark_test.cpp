// Strategy benchmarks: what convergence traces, evaluations to a target and scores are, on spaces
// whose answers are known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "replay/replay.h"
#include "search/gaussian_process.h"
#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

/// A bowl with its minimum at (6, 5, "b"); `noise` of a part.
double bowl(const Configuration& c) {
  const double x = c.at("x").real() - 6, y = c.at("y").real() - 5;
  return 1 + 0.05 * x * x + 0.03 * y * y + (c.at("kind") == Value("b") ? 0 : 0.7);
}

BenchmarkSpace benchmark_on(const SearchSpace& s) {
  return {s, [](const Configuration& c, std::uint64_t) { return timed(c, bowl(c)); },
          [&s](std::uint64_t index) { return std::optional(bowl(s.configuration(index))); }, 1.0};
}

}  // namespace

TEST_CASE("the expected best of draws is that of counting") {
  const std::vector<double> times{1, 2, 4, 8};
  CHECK(expected_best(times, 1) == Approx(15.0 / 4));
  // Pairs: 1 is in three of six, 2 the least of two others, 4 of one.
  CHECK(expected_best(times, 2) == Approx((3 * 1 + 2 * 2 + 1 * 4) / 6.0));
  CHECK(expected_best(times, 4) == 1);
}

TEST_CASE("runs that never came near count as the budget, and are counted") {
  const std::vector<ConvergenceTrace> traces{{0.5, 0.99}, {0.96}, {0.2, 0.3, 0.4}};
  const EvaluationsToTarget five = evaluations_to_target(traces, 0.05, 10);
  CHECK(five.median == 2);
  CHECK(five.censored == 1);
  CHECK(evaluations_to_target(traces, 0.01, 10).censored == 3 - 0 - 0 - (0.99 * 1.01 >= 1 ? 1 : 0));
  CHECK(mean_fraction(traces, 2) == Approx((0.99 + 0.96 + 0.3) / 3));
}

TEST_CASE("a model needs fewer trials than chance on a smooth space") {
  const SearchSpace s = wide();
  const BenchmarkSpace benchmark = benchmark_on(s);
  for (const char* name : {"roofline", "bayes_gp"}) {
    std::vector<ConvergenceTrace> mine, random;
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      mine.push_back(convergence(benchmark, *make_strategy(name), seed, 150));
      random.push_back(convergence(benchmark, *make_strategy("random"), seed, 150));
    }
    INFO(name);
    CHECK(evaluations_to_target(mine, 0.05, 150).median <
          evaluations_to_target(random, 0.05, 150).median);
  }
}

TEST_CASE("what was best elsewhere is tried first, and what a bound rules out is not tried") {
  const SearchSpace s = wide();
  Configuration best = s.baseline();
  best.set("x", 6);
  best.set("y", 5);
  best.set("kind", "b");
  Knowledge knowledge;
  knowledge.transferred = {best};
  knowledge.wanted = {Paradigm::ilp};
  const BenchmarkSpace benchmark = benchmark_on(s);
  CHECK(convergence(benchmark, *make_strategy("roofline", knowledge), 1, 1).front() == Approx(1));

  knowledge.transferred.clear();
  knowledge.lower_bound = [](const Configuration& c) { return std::optional(0.9 * bowl(c)); };
  History history;
  search_on(
      *make_strategy("roofline", knowledge), s,
      [](const Configuration& c) { return timed(c, bowl(c)); }, 1, 120, history);
  double least = HUGE_VAL;
  int dominated = 0;
  for (const Trial& trial : history.trials()) {
    // Behind the optimum nothing but dominated configurations may be left.
    if (least <= 1.0) break;
    if (0.9 * bowl(trial.configuration) > least) ++dominated;
    least = std::min(least, trial.measurement->seconds.value);
  }
  // The first trials cover the space before there is anything to prune against.
  CHECK(dominated < 15);
}

TEST_CASE("what was best elsewhere costs next to nothing where it misleads") {
  const SearchSpace s = wide();
  const BenchmarkSpace benchmark = benchmark_on(s);
  // The slowest there are, as many as a study is told at most. The first of them is no worse than
  // nothing before it, the next two are in vain.
  std::vector<std::pair<double, std::uint64_t>> slowest;
  for (std::uint64_t i = 0; i < s.size(); ++i) slowest.push_back({-bowl(s.configuration(i)), i});
  std::sort(slowest.begin(), slowest.end());
  Knowledge misled;
  for (std::size_t i = 12; i-- > 0;)
    misled.transferred.push_back(s.configuration(slowest[i].second));
  double with = 0, without = 0;
  constexpr int seeds = 100;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto needed = [&](const Knowledge& knowledge) {
      const auto trace = convergence(benchmark, *make_strategy("roofline", knowledge), seed, 150);
      return evaluations_to_target({trace}, 0.05, 150).median;
    };
    with += needed(misled);
    without += needed({});
  }
  INFO(with / seeds << " evaluations instead of " << without / seeds);
  CHECK(with <= 1.1 * without + 3 * seeds);
}

TEST_CASE("a batch holds two at most of what nobody knows yet to be fast here") {
  const SearchSpace s = wide();
  Knowledge knowledge;
  for (std::uint64_t i = 0; i < 6; ++i) knowledge.transferred.push_back(s.configuration(i * 5));
  const auto is_given = [&](const Configuration& one) {
    return std::count(knowledge.transferred.begin(), knowledge.transferred.end(), one) > 0;
  };
  const auto strategy = make_strategy("roofline", knowledge);
  const auto proposed = [&](const History& history, std::vector<Configuration> pending) {
    Rng rng(1, history.size() + pending.size());
    return *strategy->propose(s, history, rng, pending);
  };
  std::vector<Configuration> pending;
  for (int i = 0; i < 4; ++i) pending.push_back(proposed({}, pending));
  CHECK(is_given(pending[0]));
  CHECK(is_given(pending[1]));
  CHECK_FALSE(is_given(pending[2]));
  CHECK_FALSE(is_given(pending[3]));

  History faster_and_faster, slower;
  for (int i = 0; i < 2; ++i) {
    Trial trial = timed(pending[i], 2.0 - i);
    trial.index = i;
    faster_and_faster.append(trial);
  }
  CHECK(is_given(proposed(faster_and_faster, {})));
  const Configuration other = s.configuration(s.size() - 1);
  for (int i = 0; i < 3; ++i) {
    Trial trial = timed(i == 0 ? other : pending[i - 1], 1.0 + i);
    trial.index = i;
    slower.append(trial);
  }
  CHECK_FALSE(is_given(proposed(slower, {})));
}

TEST_CASE("what a bound expects to be slow is not where a search begins") {
  const SearchSpace s = wide();
  const auto begun_with = [&](const Knowledge& knowledge, const char* kind) {
    History history;
    search_on(
        *make_strategy("roofline", knowledge), s,
        [](const Configuration& c) { return timed(c, bowl(c)); }, 3, 10, history);
    return std::count_if(history.trials().begin(), history.trials().end(),
                         [&](const Trial& t) { return t.configuration.at("kind") == Value(kind); });
  };
  Knowledge knowledge;
  // Far below all times, so that nothing is left out for it.
  knowledge.lower_bound = [](const Configuration& c) {
    return std::optional(c.at("kind") == Value("b") ? 1e-3 : 1e-2);
  };
  CHECK(begun_with(knowledge, "b") < 8);  // which knobs it depends on is not known
  knowledge.bound_knobs = {"kind"};
  CHECK(begun_with(knowledge, "b") >= 8);
}

TEST_CASE("a Gaussian process goes through what it saw and is unsure elsewhere") {
  const SearchSpace s = wide();
  const KnobDistances distances(s);
  std::vector<Assignment> points;
  for (std::uint64_t i = 0; i < s.size(); i += 97) points.push_back(s.assignment(i));
  GpHyperparameters hyperparameters{distances.expected_weights(), 1e-4};
  Posterior posterior(distances, hyperparameters, points, points.size());
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    posterior.observe(points[i], bowl(s.configuration(points[i])) - 1);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    CHECK(posterior.mean(i) == Approx(bowl(s.configuration(points[i])) - 1).margin(0.02));
    CHECK(posterior.variance(i) < 1e-3);
  }
  CHECK(posterior.variance(points.size() - 1) > 1e-3);
}
