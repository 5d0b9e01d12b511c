// The planned way from a baseline to a winner: order, groups, small steps.
#include "search/staircase.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rooftune;
using search::KnobGain;
using search::planned_stairs;

namespace {

Knob switch_knob(const std::string& name, const std::string& active = "") {
  Knob knob;
  knob.name = name;
  knob.values = {Value(0), Value(1)};
  knob.fallback = Value(0);
  if (!active.empty()) knob.active = Expression::parse(active);
  return knob;
}

SearchSpace space_of(std::vector<Knob> knobs, std::vector<Constraint> constraints = {}) {
  return SearchSpace("switches", std::move(knobs), std::move(constraints), {});
}

Configuration all_on(const SearchSpace& space) {
  Configuration winner = space.baseline();
  for (const Knob& knob : space.knobs()) winner.set(knob.name, Value(1));
  return winner;
}

std::vector<std::string> keys(const std::vector<Configuration>& stairs) {
  std::vector<std::string> result;
  for (const Configuration& one : stairs) result.push_back(one.key());
  return result;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("one knob a step, the largest expected gain first") {
  const SearchSpace space = space_of({switch_knob("a"), switch_knob("b"), switch_knob("c")});
  const std::vector<KnobGain> gains{{"c", 2}, {"a", 1}, {"b", 0.5}};
  CHECK(keys(planned_stairs(space, gains, space.baseline(), all_on(space), 5)) ==
        Keys{"a=0 b=0 c=0", "a=0 b=0 c=1", "a=1 b=0 c=1", "a=1 b=1 c=1"});
}

TEST_CASE("knobs that cannot change alone are one step") {
  const Constraint together{Expression::parse("a == c"), "a needs c"};
  const SearchSpace space =
      space_of({switch_knob("a"), switch_knob("b"), switch_knob("c")}, {together});
  const std::vector<KnobGain> gains{{"c", 2}, {"b", 1}, {"a", 0.5}};
  CHECK(keys(planned_stairs(space, gains, space.baseline(), all_on(space), 5)) ==
        Keys{"a=0 b=0 c=0", "a=1 b=0 c=1", "a=1 b=1 c=1"});
}

TEST_CASE("a knob that works beside another one only moves with it") {
  const SearchSpace space =
      space_of({switch_knob("format"), switch_knob("rows", "format == 1"), switch_knob("z")});
  const std::vector<KnobGain> gains{{"rows", 2}, {"z", 1}, {"format", 0.1}};
  CHECK(keys(planned_stairs(space, gains, space.baseline(), all_on(space), 5)) ==
        Keys{"format=0 rows=0 z=0", "format=1 rows=1 z=0", "format=1 rows=1 z=1"});
}

TEST_CASE("small gains and what there is no time for are two steps at the end") {
  const SearchSpace space = space_of(
      {switch_knob("a"), switch_knob("b"), switch_knob("c"), switch_knob("d"), switch_knob("e")});
  const std::vector<KnobGain> gains{{"a", 2}, {"b", 0.015}, {"c", 0.01}, {"d", 0.0}, {"e", -0.02}};
  const Keys expected{"a=0 b=0 c=0 d=0 e=0", "a=1 b=0 c=0 d=0 e=0", "a=1 b=1 c=1 d=0 e=0",
                      "a=1 b=1 c=1 d=1 e=1"};
  CHECK(keys(planned_stairs(space, gains, space.baseline(), all_on(space), 5)) == expected);
  const std::vector<KnobGain> large{{"a", 2}, {"b", 1}, {"c", 0.9}, {"d", 0.8}, {"e", 0.7}};
  CHECK(keys(planned_stairs(space, large, space.baseline(), all_on(space), 1)) == expected);
}

TEST_CASE("without a model of the trials the knobs change in the order of the space") {
  const SearchSpace space = space_of({switch_knob("a"), switch_knob("b")});
  const auto changed = search::changed_knobs(space, {}, space.baseline(), all_on(space));
  REQUIRE(changed.size() == 2);
  CHECK(changed[0].name == "a");
  CHECK(changed[0].gain == 0);
  CHECK(planned_stairs(space, changed, space.baseline(), all_on(space), 5).size() == 3);
}

TEST_CASE("a model of the trials orders the knobs by what they gain") {
  const SearchSpace space = space_of({switch_knob("a"), switch_knob("b"), switch_knob("c")});
  History history;
  for (int i = 0; i < 8; ++i) {
    Trial trial;
    trial.index = static_cast<std::uint64_t>(i);
    trial.configuration = space.baseline();
    const std::vector<std::string> names{"a", "b", "c"};
    double seconds = 1;
    const std::vector<double> factors{1.1, 4, 2};
    for (std::size_t k = 0; k < 3; ++k)
      if (i >> k & 1) {
        trial.configuration.set(names[k], Value(1));
        seconds /= factors[k];
      }
    Measurement measurement;
    measurement.seconds = Estimate::exact(seconds);
    measurement.samples = {Sample{seconds}};
    trial.measurement = measurement;
    history.append(trial);
  }
  const auto changed = search::changed_knobs(space, history, space.baseline(), all_on(space));
  REQUIRE(changed.size() == 3);
  CHECK(changed[0].name == "b");
  CHECK(changed[1].name == "c");
  CHECK(changed[0].gain == Approx(std::log(4)).epsilon(0.2));
  CHECK(changed[2].name == "a");
}
