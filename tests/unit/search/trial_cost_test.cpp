// What trials cost, and what a search makes of it.
#include <catch2/catch.hpp>
#include <cmath>

#include "search/forecast.h"
#include "search/model_search.h"
#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

Knob unbuilt(Knob knob) {
  knob.kind = Knob::Kind::openmp;
  return knob;
}

SearchSpace dear_unrolls() {
  return space_with("costs", {knob("unroll", {1, 2, 4, 8}, 1), knob("form", {"a", "b"}, "a"),
                              unbuilt(knob("threads", {1, 2}, 2))});
}

/// Unrolled code takes a compiler longer, one thread runs longer.
Observation costing(const SearchSpace& s, const Assignment& point) {
  Observation result;
  result.point = point;
  result.index = *s.index(point);
  result.ok = true;
  result.build_seconds = 0.5 * std::exp2(point[0]);
  result.run_seconds = point[2] == 0 ? 0.4 : 0.2;
  return result;
}

}  // namespace

TEST_CASE("each knob adds to what a trial costs, and what is built is only run") {
  const SearchSpace s = dear_unrolls();
  TrialCost cost(s);
  CHECK_FALSE(cost.known());
  std::vector<Observation> trials;
  for (std::uint32_t unroll = 0; unroll < 4; ++unroll)
    for (const std::uint32_t form : {0U, 1U})
      if (unroll < 3 || form == 0)
        trials.push_back(costing(s, {unroll, form, (unroll + form) % 2}));
  cost.learn(trials);
  REQUIRE(cost.known());
  // Never built: form b, unrolled eight times.
  CHECK(cost({3, 1, 1}) > 1.5);
  CHECK(cost({3, 1, 1}) < 6);
  CHECK(cost({3, 1, 0}) > cost({3, 1, 1}));
  // Built with the other number of threads.
  CHECK(cost({2, 1, 0}) < 0.5);
}

TEST_CASE("a search for improvement per second runs what is built before it builds again") {
  std::vector<Knob> knobs{unbuilt(knob("threads", {1, 2, 3, 4, 5, 6, 7, 8}, 1))};
  for (const char* name : {"a", "b", "c", "d", "e"}) knobs.push_back(knob(name, {1, 2, 4, 8}, 1));
  const SearchSpace s = space_with("dear builds", knobs);
  const auto builds = [&](bool per_second) {
    Knowledge knowledge;
    knowledge.per_second = per_second;
    const auto strategy = make_strategy("roofline", knowledge);
    std::set<std::string> built;
    History history;
    for (int i = 0; i < 40; ++i) {
      Rng rng(1, history.size());
      const Configuration next = strategy->propose(s, history, rng).value();
      const Assignment point = s.assignment(s.index(next).value());
      double seconds = 1;
      for (const std::uint32_t value : point) seconds *= 1 + 0.1 * std::abs(value - 1.0);
      Trial trial = timed(next, seconds);
      std::string code = next.key();
      code.erase(code.find("threads"), std::string("threads=1").size());
      trial.cost.build = built.insert(code).second ? 5 : 0;
      trial.cost.time = 0.2;
      history.append(trial);
    }
    return built.size();
  };
  CHECK(builds(true) + 5 < builds(false));
}

TEST_CASE("ties without a build do not come before changes of code, in a vast space") {
  std::vector<Knob> knobs;
  for (const char* name : {"pages", "chunk", "order", "place", "bind", "touch"})
    knobs.push_back(unbuilt(knob(name, {1, 2, 3, 4, 5}, 1)));
  for (int k = 0; k < 12; ++k)
    knobs.push_back(knob("form" + std::to_string(k), {"plain", "better"}, "plain"));
  const SearchSpace s = space_with("ties", knobs);
  REQUIRE(s.size() >= vast);
  Knowledge knowledge;
  knowledge.per_second = true;
  const auto strategy = make_strategy("roofline", knowledge);
  std::set<Assignment> built;
  History history;
  for (int i = 0; i < 50; ++i) {
    Rng rng(1, history.size());
    const Configuration next = strategy->propose(s, history, rng).value();
    Assignment code = s.assignment(s.index(next).value());
    code.erase(code.begin(), code.begin() + 6);
    // Every second form gains a tenth, the others lose it; all else is noise of 3 %.
    double seconds = 1 + 0.03 * Rng(7, i).unit();
    for (std::size_t k = 0; k < code.size(); ++k)
      if (code[k] == 1) seconds *= k % 2 == 0 ? 0.9 : 1.1;
    Trial trial = timed(next, seconds);
    trial.cost.build = built.insert(code).second ? 2 : 0;
    trial.cost.time = 0.3;
    history.append(trial);
  }
  // 13 where gains within the noise and the whole difference of prices count.
  CHECK(built.size() >= 20);
}
