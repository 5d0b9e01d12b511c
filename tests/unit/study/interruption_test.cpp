// A session that the user ends anywhere: what was in flight is given up, what was measured stays,
// and the next run makes of it what one run would have made.
#include <catch2/catch.hpp>

#include "study_run.h"

using namespace rooftune;
using namespace rooftune::synthetic;

namespace {

/// Interrupts the call of this number (from 0; evaluations and races alike), before or after it.
class Cut : public SyntheticEvaluator {
 public:
  Cut(std::size_t call, bool in_flight)
      : SyntheticEvaluator(valley), call_(call), in_flight_(in_flight) {}
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    begin();
    return SyntheticEvaluator::evaluate(configuration, incumbent);
  }
  Rounds race(const std::vector<Configuration>& configurations, const RacePlan& how,
              const Between& between) override {
    begin();
    return SyntheticEvaluator::race(configurations, how, between);
  }
  bool interrupted() const { return interrupted_; }

 private:
  void begin() {
    if (calls_++ != call_) return;
    interrupted_ = true;
    if (in_flight_) throw Interrupted{};
  }
  std::size_t call_, calls_ = 0;
  bool in_flight_, interrupted_ = false;
};

/// Enough trials for a race of finalists, and a staircase.
SearchOptions eventful() {
  SearchOptions options;
  options.budget.evaluations = 6;
  for (const int y : {9, 8}) {
    Configuration first = grid().baseline();
    first.set("x", 7);
    first.set("y", y);
    options.first.push_back(first);
  }
  options.finalists = 2;
  return options;
}

Run cut(Cut& evaluator, SearchOptions options) {
  options.interrupted = [&] { return evaluator.interrupted(); };
  return run_search(evaluator, 1e-6, options);
}

Json staircase_of(const Run& result) {
  return result.record.staircase ? encode(*result.record.staircase) : Json();
}

Json race_of(const Run& result) {
  return result.record.race ? encode(*result.record.race) : Json();
}

}  // namespace

TEST_CASE("a session that is interrupted at any call and resumed is the one that was not") {
  SyntheticEvaluator straight(valley);
  const Run whole = run_search(straight, 1e-6, eventful());
  REQUIRE(whole.record.staircase);
  const std::size_t calls = straight.evaluated.size() + static_cast<std::size_t>(straight.races);
  REQUIRE(calls > 7);
  for (const bool in_flight : {true, false})
    for (std::size_t call = 0; call < calls; ++call) {
      CAPTURE(call, in_flight);
      Cut evaluator(call, in_flight);
      const Run first = cut(evaluator, eventful());
      // After the last call there is nothing left to interrupt.
      if (in_flight || call + 1 < calls) CHECK(first.end.reason == StopReason::interrupted);
      CHECK(first.end.evaluated == first.history().size());
      SyntheticEvaluator fresh(valley);
      const Run second = run_search(fresh, 1e-6, eventful(), default_strategy, first.record);
      CHECK(second.end.reason == whole.end.reason);
      CHECK(order(second.history()) == order(whole.history()));
      CHECK(race_of(second) == race_of(whole));
      CHECK(staircase_of(second) == staircase_of(whole));
    }
}

TEST_CASE("a trial in flight is given up: it is no trial and no failure") {
  Cut evaluator(3, true);
  const Run result = cut(evaluator, eventful());
  CHECK(result.end.reason == StopReason::interrupted);
  CHECK(result.end.sentence.find("the same command goes on") != std::string::npos);
  CHECK(result.history().size() == 3);
  CHECK(result.history().counts().size() == 1);
  REQUIRE(result.events.size() == 8);
  CHECK(result.events[6].substr(0, 8) == "started ");
  CHECK(result.events[7] == "given up " + result.events[6].substr(8));
  CHECK_FALSE(result.record.race);
}

TEST_CASE("an interrupted run that tried nothing leaves what an earlier one has found") {
  SearchOptions options;
  options.budget.evaluations = 12;
  SyntheticEvaluator evaluator(valley);
  const Run first = run_search(evaluator, 1e-6, options);
  options.budget.evaluations = 20;
  options.interrupted = [] { return true; };
  const Run second = run_search(evaluator, 1e-6, options, default_strategy, first.record);
  CHECK(second.end.reason == StopReason::interrupted);
  CHECK(race_of(second) == race_of(first));
  CHECK(staircase_of(second) == staircase_of(first));
}
