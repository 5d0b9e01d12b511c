// What is expected of knobs by their declarations, before any trial.
#include "search/usual_gain.h"

#include <catch2/catch.hpp>

using namespace rooftune;
using search::expected_of_declarations;

namespace {

Knob knob_of(const std::string& name, std::vector<Value> values, std::vector<Paradigm> breaks) {
  Knob knob;
  knob.name = name;
  knob.fallback = values.front();
  knob.values = std::move(values);
  knob.breaks = std::move(breaks);
  return knob;
}

SearchSpace declared_by(Knobs knobs) { return SearchSpace("declared", std::move(knobs), {}, {}); }

}  // namespace

TEST_CASE("later names, yes and wider vectors are expected to be faster") {
  const SearchSpace space = declared_by(
      {knob_of("form", {Value("plain"), Value("unrolled"), Value("pairs")}, {Paradigm::work}),
       knob_of("width", {Value(1), Value(2), Value(8)}, {Paradigm::simd}),
       knob_of("stream", {Value(true), Value(false)}, {Paradigm::nt_store})});
  const auto expected = expected_of_declarations(space);
  REQUIRE(expected);
  CHECK(expected({2, 2, 1}) == 0);
  CHECK(expected({0, 2, 1}) > expected({1, 2, 1}));
  CHECK(expected({1, 2, 1}) > expected({2, 2, 1}));
  CHECK(expected({2, 0, 1}) > expected({2, 1, 1}));
  CHECK(expected({2, 1, 1}) > 0);
  // The default is yes here: what the author thought of later is no.
  CHECK(expected({2, 2, 0}) > 0);
  // Vectors are worth more than another form of the work.
  CHECK(expected({2, 0, 1}) > expected({0, 2, 1}));
}

TEST_CASE("numbers without a direction and knobs without declarations expect nothing") {
  CHECK_FALSE(expected_of_declarations(
      declared_by({knob_of("tile", {Value(8), Value(16)}, {Paradigm::capacity}),
                   knob_of("form", {Value("a"), Value("b")}, {})})));
}

TEST_CASE("a knob that is switched off is expected to be neither fast nor slow") {
  Knob layout = knob_of("layout", {Value("rows"), Value("blocks")}, {Paradigm::simd});
  layout.active = Expression::parse("batch == 1");
  const SearchSpace space = declared_by({layout, knob_of("batch", {Value(0), Value(1)}, {})});
  const auto expected = expected_of_declarations(space);
  REQUIRE(expected);
  CHECK(expected({1, 1}) == 0);
  CHECK(expected({0, 0}) == Approx(0.35));
}
