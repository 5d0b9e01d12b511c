#include <catch2/catch.hpp>
#include <set>

#include "core/error.h"
#include "search/search_state.h"
#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

SearchSpace grid() {
  return space_with("grid", {knob("x", {1, 2, 4, 8}, 1), knob("y", {1, 2, 4, 8}, 1),
                             knob("kind", {"a", "b", "c"}, "a")});
}

Configuration at(int x, int y, const char* kind) {
  Configuration c;
  c.set("x", x);
  c.set("y", y);
  c.set("kind", kind);
  return c;
}

/// One valley, best at x = 8, y = 4, kind = c.
Trial valley(const Configuration& c) {
  const double x = std::log2(c.at("x").real()) - 3, y = std::log2(c.at("y").real()) - 2;
  return timed(c, 1 + x * x + y * y + (c.at("kind").text() == "c" ? 0 : 1));
}

Assignment point(const SearchSpace& s, const Configuration& c) {
  return s.assignment(s.index(c).value());
}

/// The state of "local" after these trials.
struct Told : Copied<Local> {
  Told(const SearchSpace& s, const std::vector<Trial>& trials) : Copied(s) {
    for (const Trial& trial : trials) add(observation_of(s, trial).value());
  }
  bool doubts(const Configuration& c) const { return unreliable(point(space, c)); }
};

}  // namespace

TEST_CASE("the table of strategies is found by name") {
  CHECK(strategies().size() >= 3);
  for (const auto& row : strategies()) {
    CHECK(make_strategy(row.name));
    CHECK(std::string(row.summary).size() > 10);
    CHECK(strategy_row(row.name).new_state == row.new_state);
  }
  CHECK(make_strategy(default_strategy));
  CHECK_THROWS_WITH(make_strategy("locale"), Catch::Contains("did you mean \"local\"?"));
  CHECK_THROWS_WITH(make_strategy("none at all"), Catch::Contains("exhaustive, genetic"));
}

TEST_CASE("exhaustive goes in the order of the space, whatever the baseline is") {
  const SearchSpace s = space_with("line", {knob("x", {1, 2, 3, 4, 5}, 3)});
  History history;
  history.append(timed(s.baseline(), 1));  // as a session does
  search_on(
      *make_strategy("exhaustive"), s, [](const Configuration& c) { return timed(c, 1); }, 1, 99,
      history);
  std::vector<std::int64_t> order;
  for (const auto& trial : history.trials()) order.push_back(trial.configuration.at("x").integer());
  CHECK(order == std::vector<std::int64_t>{3, 1, 2, 4, 5});
}

TEST_CASE("local starts at the baseline and then tries neighbours of the incumbent") {
  const SearchSpace s = grid();
  History history;
  search_on(*make_strategy("local"), s, valley, 1, 12, history);
  CHECK(history.trials()[0].configuration == s.baseline());
  const ChangedKnob changed_knob(s);
  Observation here = observation_of(s, history.trials()[0]).value();
  for (std::size_t i = 1; i < 12; ++i) {
    const Observation trial = observation_of(s, history.trials()[i]).value();
    INFO("trial " << i << ": " << history.trials()[i].configuration.key());
    CHECK(changed_knob(here.point, trial.point));
    if (improves(trial, here)) here = trial;
  }
}

TEST_CASE("local walks down a valley well before it has seen everything") {
  const SearchSpace s = grid();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    History history;
    search_on(*make_strategy("local"), s, valley, seed, 30, history);
    CHECK(history.best()->configuration == at(8, 4, "c"));
  }
}

TEST_CASE("local gets off an island by restarting") {
  const SearchSpace s = small_spaces()[4];
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    History history;
    const auto far = [](const Configuration& c) { return timed(c, 10 - c.at("x").real()); };
    search_on(*make_strategy("local"), s, far, seed, 8, history);
    CHECK(history.best()->configuration.at("x").integer() == 3);
  }
}

TEST_CASE("the changed knob is the one that explains the others") {
  const SearchSpace s = space_with(
      "conditional", {knob("format", {"csr", "sell"}, "csr"),
                      knob("chunk", {4, 8, 16}, 8, "format == 'sell'"), knob("unroll", {1, 2}, 1)});
  const auto conf = [](const char* format, int chunk, int unroll) {
    Configuration c;
    c.set("format", format);
    c.set("chunk", chunk);
    c.set("unroll", unroll);
    return c;
  };
  const ChangedKnob changed_knob(s);
  const auto changed = [&](const Configuration& from, const Configuration& to) {
    const auto knob = changed_knob(point(s, from), point(s, to));
    return knob ? s.knobs()[*knob].name : "";
  };
  CHECK(changed(conf("csr", 8, 1), conf("sell", 8, 1)) == "format");
  CHECK(changed(conf("sell", 16, 1), conf("csr", 8, 1)) == "format");
  CHECK(changed(conf("sell", 16, 1), conf("sell", 4, 1)) == "chunk");
  CHECK(changed(conf("csr", 8, 1), conf("sell", 16, 1)).empty());
  CHECK(changed(conf("csr", 8, 1), conf("sell", 8, 2)).empty());
  CHECK(changed(conf("csr", 8, 1), conf("csr", 8, 1)).empty());
  // Every neighbour that the space names is recognised, and by a knob that differs.
  for (std::uint64_t i = 0; i < s.size(); ++i)
    for (const Assignment& n : s.neighbours(s.assignment(i)))
      CHECK(changed_knob(s.assignment(i), n));
}

TEST_CASE("a knob depends on another through a third") {
  const SearchSpace s = space_with("chain", {knob("a", {0, 1}, 0), knob("b", {0, 1}, 0, "a == 1"),
                                             knob("c", {0, 1}, 0, "b == 1")});
  Assignment from{1, 1, 1}, to{0, 0, 0};
  CHECK(ChangedKnob(s)(from, to) == 0u);
  CHECK_FALSE(ChangedKnob(s)(to, from));
}

TEST_CASE("an improvement is one beyond the noise") {
  const SearchSpace s = grid();
  const Observation incumbent = observation_of(s, timed(at(1, 1, "a"), 1.0)).value();
  const auto improving = [&](const Estimate& seconds) {
    Trial trial = timed(at(2, 1, "a"), 1);
    trial.measurement->seconds = seconds;
    return improves(observation_of(s, trial).value(), incumbent);
  };
  CHECK_FALSE(improving({0.995, 0.98, 1.01}));
  CHECK(improving({0.995, 0.992, 0.998}));
  CHECK(improving({0.98, 0.9, 1.1}));
  const Trial crashed = failed(at(2, 1, "a"), Outcome::crashed);
  CHECK_FALSE(improves(observation_of(s, crashed).value(), incumbent));
}

TEST_CASE("local stands at its last improvement and counts its restarts") {
  const SearchSpace s = grid();
  const Told local(s, {timed(at(1, 1, "a"), 10), timed(at(2, 1, "a"), 8), timed(at(2, 2, "a"), 9),
                       timed(at(8, 8, "c"), 20), timed(at(8, 8, "b"), 15)});
  REQUIRE(local.here());
  CHECK(local.here()->point == point(s, at(8, 8, "b")));
  CHECK(local.restarts() == 1);
  CHECK(local.usefulness(0) > local.usefulness(1));
  CHECK(local.usefulness(1) > 0);
}

TEST_CASE("a start that failed leaves local nowhere, and the next start is not its neighbour") {
  const SearchSpace s = grid();
  const Told local(s, {timed(at(1, 1, "a"), 10), failed(at(8, 8, "c"), Outcome::crashed)});
  CHECK(local.here() == nullptr);
  CHECK(local.restarts() == 1);
}

TEST_CASE("a value that fails twice on its own is doubtful, until it runs more often") {
  const SearchSpace s = grid();
  std::vector<Trial> trials{timed(at(1, 1, "a"), 10), failed(at(1, 1, "c"), Outcome::build_failed),
                            timed(at(2, 1, "a"), 8), failed(at(2, 1, "c"), Outcome::build_failed)};
  CHECK(Told(s, trials).doubts(at(4, 4, "c")));
  CHECK_FALSE(Told(s, trials).doubts(at(4, 4, "a")));
  trials.pop_back();
  CHECK_FALSE(Told(s, trials).doubts(at(4, 4, "c")));
  trials.push_back(failed(at(2, 1, "c"), Outcome::pruned));
  CHECK_FALSE(Told(s, trials).doubts(at(4, 4, "c")));
  trials.back() = failed(at(2, 1, "c"), Outcome::build_failed);
  trials.push_back(timed(at(4, 4, "c"), 9));
  trials.push_back(timed(at(8, 4, "c"), 9));
  CHECK_FALSE(Told(s, trials).doubts(at(4, 1, "c")));
}

TEST_CASE("local keeps away from a value that does not build") {
  const SearchSpace s =
      space_with("wide", {knob("x", {1, 2, 4, 8, 16, 32}, 1), knob("y", {1, 2, 4, 8, 16, 32}, 1),
                          knob("broken", {false, true}, false)});
  const auto evaluate = [](const Configuration& c) {
    return c.at("broken").truth() ? failed(c, Outcome::build_failed) : timed(c, 1 + noise(c, 4));
  };
  int failures = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    History history;
    search_on(*make_strategy("local"), s, evaluate, seed, 36, history);
    failures += history.counts()[Outcome::build_failed];
  }
  CHECK(failures <= 60);  // half of the space fails: 180 at random
}

TEST_CASE("an unwanted configuration comes only when nothing else is found") {
  const SearchSpace s = grid();
  const auto wanted = [&](const Assignment& p) {
    return s.configuration(p).at("kind").text() != "b";
  };
  Told state(s, {});
  int unwanted = 0;
  for (std::uint64_t i = 0; i < 48; ++i) {
    Rng rng(1, i);
    const auto next = state.random_untried(rng, wanted);
    REQUIRE(next);
    if (i < 32) unwanted += !wanted(s.assignment(*next));
    state.add(observation_of(s, timed(s.configuration(*next), 1)).value());
  }
  CHECK(unwanted <= 1);  // 16 of 48 are unwanted
  Rng rng(1, 48);
  CHECK_FALSE(state.random_untried(rng, wanted));
}
