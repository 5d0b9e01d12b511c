#include <catch2/catch.hpp>

#include "trial/trial.h"

using namespace rooftune;

namespace {

Trial trial_of(int x, Outcome outcome, double seconds = 0) {
  Trial t;
  t.configuration.set("x", x);
  t.outcome = outcome;
  t.cost = {1, 0, 2, 3};
  if (outcome == Outcome::ok) {
    t.measurement = Measurement{};
    t.measurement->seconds = Estimate::exact(seconds);
  }
  return t;
}

Configuration at(int x) { return trial_of(x, Outcome::crashed).configuration; }

History sample() {
  History history;
  history.append(trial_of(1, Outcome::ok, 5));
  history.append(trial_of(2, Outcome::build_failed));
  history.append(trial_of(3, Outcome::ok, 7));
  history.append(trial_of(4, Outcome::ok, 3));
  history.append(trial_of(5, Outcome::ok, 3));
  return history;
}

}  // namespace

TEST_CASE("a history knows what was tried, whatever came of it") {
  const History history = sample();
  CHECK(history.size() == 5);
  CHECK(history.tried(at(2)));
  CHECK_FALSE(history.tried(at(9)));
  REQUIRE(history.find(at(3)));
  CHECK(history.find(at(3))->measurement->seconds.value == 7);
  CHECK(history.find(at(9)) == nullptr);
}

TEST_CASE("find gives the latest trial of a configuration") {
  History history = sample();
  history.append(trial_of(3, Outcome::ok, 2));
  CHECK(history.find(at(3))->measurement->seconds.value == 2);
}

TEST_CASE("the best and the fastest are ok trials") {
  const History history = sample();
  CHECK(history.best()->configuration == at(4));  // of equal times the earlier
  const auto fastest = history.fastest(3);
  REQUIRE(fastest.size() == 3);
  CHECK(fastest[0]->configuration == at(4));
  CHECK(fastest[1]->configuration == at(5));
  CHECK(fastest[2]->configuration == at(1));
  CHECK(history.fastest(99).size() == 4);
}

TEST_CASE("an empty history and one of failures have no best") {
  History history;
  CHECK(history.best() == nullptr);
  history.append(trial_of(2, Outcome::crashed));
  CHECK(history.best() == nullptr);
  CHECK(history.fastest(4).empty());
}

TEST_CASE("outcomes are counted and costs summed") {
  const History history = sample();
  const auto counts = history.counts();
  CHECK(counts.at(Outcome::ok) == 4);
  CHECK(counts.at(Outcome::build_failed) == 1);
  CHECK(counts.count(Outcome::crashed) == 0);
  CHECK(history.cost().build == 5);
  CHECK(history.cost().total == 15);
}
