// Batches: proposed and built together, on record before, timed one by one, and resumed exactly.
#include <algorithm>
#include <catch2/catch.hpp>

#include "study/search_loop.h"
#include "study_run.h"
#include "support/night.h"

using namespace rooftune;
using namespace rooftune::synthetic;

namespace {

constexpr Cost dear_build{1, 0.05, 0.05, 1.1, 1}, cheap_build{0.1, 0.5, 0.5, 1.1, 0.1};

/// Whose compiler takes most of a trial.
class Dear : public SyntheticEvaluator {
 public:
  explicit Dear(Time time = valley) : SyntheticEvaluator(std::move(time)) { cost = dear_build; }
};

/// Ends the call of this number (from 0): builds, evaluations and races alike.
class CutDear : public Dear {
 public:
  explicit CutDear(std::size_t call) : call_(call) {}
  void build(const std::vector<Configuration>& configurations) override {
    begin();
    Dear::build(configurations);
  }
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    begin();
    return Dear::evaluate(configuration, incumbent);
  }
  Rounds race(const std::vector<Configuration>& configurations, const RacePlan& how,
              const Between& between) override {
    begin();
    return Dear::race(configurations, how, between);
  }
  std::size_t calls() const { return calls_; }

 private:
  void begin() {
    if (calls_++ == call_) throw Interrupted{};
  }
  std::size_t call_, calls_ = 0;
};

SearchOptions with_builders(int builders, std::uint64_t evaluations = 30) {
  SearchOptions options;
  options.builders = builders;
  options.budget.evaluations = evaluations;
  return options;
}

/// What is on record of a run that is killed when it has written so many lines.
StudyRecord killed_after(std::size_t lines, const SearchOptions& options, const char* strategy) {
  StudyRecord record;
  Dear evaluator;
  const auto chosen = make_strategy(strategy);
  const Bound bound = bound_of(1e-6);
  const SearchSpace space = grid();
  Recorder recorder(record, [&](const Event&) {
    if (lines == 0) throw std::runtime_error("killed");
    --lines;
  });
  Schedule schedule;
  CHECK_THROWS_WITH(
      SearchLoop({space, *chosen, bound, evaluator, recorder, schedule}, options).run(), "killed");
  return record;
}

std::vector<std::string> names(const std::vector<Configuration>& configurations) {
  std::vector<std::string> keys;
  for (const Configuration& one : configurations) keys.push_back(one.key());
  return keys;
}

History of(const Cost& cost, std::size_t trials) {
  History history;
  for (std::size_t i = 0; i < trials; ++i) {
    Trial trial;
    trial.configuration = grid().configuration(i);
    trial.cost = cost;
    history.append(std::move(trial));
  }
  return history;
}

}  // namespace

TEST_CASE("a batch is as large as it pays: by build time, timing time and builders") {
  CHECK(batch_size({1, 0.1}, 1) == 1);
  CHECK(batch_size({1, 0.1}, 2) == 4);
  CHECK(batch_size({1, 0.1}, 3) == 6);
  CHECK(batch_size({1, 0.1}, 64) == 16);
  // Two compilers save half of the build time: a fifth of the whole where building takes 2/5.
  CHECK(batch_size({0.41, 0.59}, 2) == 4);
  CHECK(batch_size({0.39, 0.61}, 2) == 1);
  CHECK(batch_size({0.1, 5}, 64) == 1);
  CHECK(batch_size({0, 1}, 8) == 1);
  CHECK(batch_size({0, 0}, 8) == 1);
}

TEST_CASE("the pace is that of the latest trials that cost anything") {
  CHECK(pace({}).build == 0);
  History history = of(cheap_build, 20);
  CHECK(pace(history).build == Approx(0.1));
  CHECK(pace(history).run == Approx(1));
  CHECK(pace(history).total == Approx(1.1));
  for (std::uint64_t i = 50; i < 58; ++i) {
    Trial trial;
    trial.configuration = grid().configuration(i);
    trial.cost = dear_build;
    history.append(trial);
    trial.configuration = grid().configuration(i + 20);
    trial.cost = {};  // pruned
    history.append(trial);
  }
  CHECK(pace(history).build == Approx(1));
  CHECK(pace(history).run == Approx(0.1));
  CHECK(pace(history).trial(2) == Approx(0.6));
}

TEST_CASE("what is proposed together is on record, then built, then timed one by one") {
  Dear evaluator;
  const Run result = run_search(evaluator, 1e-6, with_builders(2, 10));
  // The baseline and one beside it tell the pace; two batches of four follow, and the staircase.
  REQUIRE(evaluator.built.size() == 4);
  CHECK(names(evaluator.built[0]).size() == 2);
  CHECK(names(evaluator.built[0]).front() == grid().baseline().key());
  CHECK(order(result.history()).front() == grid().baseline().key());
  const auto all = order(result.history());
  for (std::size_t b = 0; b < 2; ++b) {
    const auto batch = names(evaluator.built[b + 1]);
    REQUIRE(batch.size() == 4);
    CHECK(std::equal(batch.begin(), batch.end(), all.begin() + 2 + 4 * static_cast<int>(b)));
    const std::size_t line = 5 + 9 * b;
    CHECK(result.events[line] ==
          "proposed " + batch[0] + " " + batch[1] + " " + batch[2] + " " + batch[3]);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(result.events[line + 1 + 2 * i] == "started " + batch[i]);
      CHECK(result.events[line + 2 + 2 * i] == "trial " + batch[i]);
    }
  }
}

TEST_CASE("no batches are proposed with one builder, or where building is cheap") {
  Dear dear;
  run_search(dear, 1e-6, with_builders(1));
  CHECK(dear.built.empty());
  SyntheticEvaluator cheap(valley);
  cheap.cost = cheap_build;
  const Run result = run_search(cheap, 1e-6, with_builders(8));
  // Only the first, beside the baseline.
  REQUIRE(cheap.built.size() == 1);
  CHECK(cheap.built[0].size() == 2);
  CHECK(result.record.proposed.size() == 2);
}

TEST_CASE("the baseline and what comes first are built together, before anything is known") {
  Dear evaluator;
  SearchOptions options = with_builders(2, 2);
  for (const std::uint64_t index : {7u, 3u, 7u, 11u, 12u, 13u})
    options.first.push_back(grid().configuration(index));
  const Run result = run_search(evaluator, 1e-6, options);
  REQUIRE(evaluator.built.size() == 1);
  CHECK(names(evaluator.built[0]) == order(proposed(result.history())));
  CHECK(evaluator.built[0].size() == 6);
  CHECK(evaluator.built[0][0] == grid().baseline());
}

TEST_CASE("what is proven slower is not built") {
  Dear evaluator([](const Configuration& c) {
    return c.at("x").integer() < 8 ? valley(c) : 12e-3 + valley(c);
  });
  SearchOptions options = with_builders(2, 80);
  options.least_time = [](const Configuration& c) -> std::optional<LeastTime> {
    if (c.at("x").integer() < 8) return std::nullopt;
    return LeastTime{Seconds(10e-3), "x is large"};
  };
  // Where the search stood when something was built.
  std::vector<double> bests;
  options.progress = [&](const Progress& progress) {
    if (progress.phase == Progress::Phase::build)
      bests.push_back(progress.history.best() ? progress.history.best()->seconds() : HUGE_VAL);
  };
  const Run result = run_search(evaluator, 1e-6, options, "random");
  CHECK(result.history().counts().at(Outcome::pruned) > 0);
  REQUIRE(bests.size() == evaluator.built.size());
  std::size_t left_out = 0;
  for (std::size_t b = 0; b < bests.size(); ++b) {
    if (bests[b] * 1.02 >= 10e-3) continue;
    for (const Configuration& one : evaluator.built[b]) CHECK(one.at("x").integer() < 8);
    left_out += 4 - evaluator.built[b].size();
  }
  CHECK(left_out > 0);
}

TEST_CASE("no more is built than the budget has room for, and a larger one goes on with the rest") {
  SearchOptions options = with_builders(2, 7);
  Dear evaluator;
  const Run first = run_search(evaluator, 1e-6, options);
  CHECK(proposed(first.history()).size() == 7);
  std::size_t built = 0;
  for (const auto& batch : evaluator.built) built += batch.size();
  CHECK(built == 6);
  CHECK(first.record.proposed.size() == 4);
  options.budget.evaluations = 20;
  Dear whole, rest;
  CHECK(
      order(proposed(run_search(rest, 1e-6, options, default_strategy, first.record).history())) ==
      order(proposed(run_search(whole, 1e-6, options).history())));
}

TEST_CASE("no more is built than the budget has time for") {
  Dear evaluator;
  SearchOptions options = with_builders(8, 40);
  options.budget.evaluations = 1;
  const Run first = run_search(evaluator, 1e-6, options);
  REQUIRE(first.history().size() == 1);
  // 1.1 s were used, and each more takes as long as far as the record tells.
  options.budget = {.time = Seconds(1.1 * 6.9)};
  Dear more;
  run_search(more, 1e-6, options, default_strategy, first.record);
  REQUIRE_FALSE(more.built.empty());
  CHECK(more.built[0].size() <= 5);
}

TEST_CASE("what an earlier run left of a batch is built one by one, in case it ended that run") {
  SearchOptions options = with_builders(3, 20);
  CutDear evaluator(3);  // the first batch after the baseline, while it is built
  const Run first = run_search(evaluator, 1e-6, options);
  CHECK(first.end.reason == StopReason::interrupted);
  CHECK(first.history().size() == 2);
  CHECK(first.record.proposed.size() == 6);
  CHECK(first.record.unfinished().empty());
  Dear rest;
  const Run second = run_search(rest, 1e-6, options, default_strategy, first.record);
  REQUIRE_FALSE(rest.built.empty());
  for (const Configuration& one : first.record.proposed)
    for (const auto& batch : rest.built)
      CHECK(std::find(batch.begin(), batch.end(), one) == batch.end());
}

TEST_CASE("a search by batches that ends anywhere and goes on is the one that did not end") {
  const std::size_t every = testing::at_night() ? 3 : 11;
  for (const char* strategy : {"roofline", "bayes_gp", "random", "exhaustive"})
    for (const int builders : {1, 2, 3}) {
      const SearchOptions options = with_builders(builders, 25);
      CutDear straight(SIZE_MAX);
      const Run whole = run_search(straight, 1e-6, options, strategy);
      REQUIRE(proposed(whole.history()).size() == 25);
      const auto check = [&](StudyRecord record) {
        Dear fresh;
        const Run resumed = run_search(fresh, 1e-6, options, strategy, std::move(record));
        REQUIRE(order(proposed(resumed.history())) == order(proposed(whole.history())));
      };
      for (std::size_t call = 0; call < straight.calls(); call += every) {
        CAPTURE(strategy, builders, call);
        CutDear evaluator(call);
        check(run_search(evaluator, 1e-6, options, strategy).record);
      }
      for (std::size_t lines = 0; lines < whole.events.size(); lines += every) {
        CAPTURE(strategy, builders, lines);
        check(killed_after(lines, options, strategy));
      }
    }
}

TEST_CASE("what is only believed is never a trial, a best or a finalist") {
  Dear evaluator;
  SearchOptions options = with_builders(4, 12);
  options.progress = [&](const Progress& progress) {
    REQUIRE(progress.history.size() == evaluator.evaluated.size());
  };
  const Run result = run_search(evaluator, 1e-6, options, "roofline");
  CHECK(result.history().size() == evaluator.evaluated.size());
  REQUIRE(result.record.race);
  for (const Configuration& raced : result.record.race->configurations)
    CHECK(std::find(evaluator.evaluated.begin(), evaluator.evaluated.end(), raced) !=
          evaluator.evaluated.end());
}
