// What the search by model assumes of knobs before it has seen anything.
#include "search/model_search.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "search/block_knobs.h"
#include "search/gaussian_process.h"
#include "search/search_state.h"
#include "search/usual_gain.h"
#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

Assignment at(const SearchSpace& s, std::uint32_t value) {
  Assignment point = s.assignment(0);
  point[0] = value;
  return point;
}

}  // namespace

TEST_CASE("values that as many twos divide are near in one coordinate") {
  const SearchSpace s = space_with("rows", {knob("block", {16, 32, 48, 64, 80, 96}, 16)});
  const KnobDistances distances(s, true);
  REQUIRE(distances.knobs() == std::vector<std::size_t>{0, 0});
  CHECK(distances.squared(1, at(s, 0), at(s, 2)) == 0);                 // 16, 48
  CHECK(distances.squared(1, at(s, 1), at(s, 5)) == 0);                 // 32, 96
  CHECK(distances.squared(1, at(s, 0), at(s, 1)) == Approx(0.25));      // 16, 32
  CHECK(distances.squared(1, at(s, 2), at(s, 3)) == Approx(1));         // 48, 64
  CHECK(KnobDistances(s).squared(1, at(s, 0), at(s, 2)) == Approx(1));  // only the same is near
}

TEST_CASE("twos tell nothing of powers of two, and are not asked of fractions or zero") {
  const SearchSpace powers = space_with("p", {knob("x", {1, 2, 4, 8, 16, 32}, 1)});
  CHECK(KnobDistances(powers, true).knobs().size() == 1);
  const SearchSpace zero = space_with("z", {knob("x", {0, 2, 4, 6, 8, 12}, 0)});
  const KnobDistances distances(zero, true);
  REQUIRE(distances.knobs().size() == 3);
  CHECK(distances.squared(1, at(zero, 1), at(zero, 3)) == 0);  // neither is off
  CHECK(distances.squared(2, at(zero, 1), at(zero, 3)) == 1);  // sameness
  const SearchSpace odd = space_with("o", {knob("x", {1, 3, 5, 7, 9, 11}, 1)});
  CHECK(KnobDistances(odd, true).knobs().size() == 2);
}

namespace {

/// Of 8 trials that cover a space for each of 20 seeds: how many of them `wanted` holds for.
int covering(const SearchSpace& s, const Preference& preference,
             const std::function<int(const Assignment&)>& wanted) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    struct : SearchState {
      using SearchState::SearchState;
      std::unique_ptr<SearchState> copy() const override { return nullptr; }
      std::optional<std::uint64_t> propose(Rng&) const override { return std::nullopt; }
    } seen(s);
    for (std::uint64_t trial = 0; trial < 8; ++trial) {
      Rng rng(seed, trial);
      Observation observed;
      observed.index = covering_draw(seen, rng, preference).value();
      observed.point = s.assignment(observed.index);
      count += wanted(observed.point);
      seen.add(observed);
    }
  }
  return count;
}

/// 1 for each of the first two knobs at an end of seven values.
int ends_of(const Assignment& point) {
  return (point[0] == 0 || point[0] == 6 ? 1 : 0) + (point[1] == 0 || point[1] == 6 ? 1 : 0);
}

}  // namespace

TEST_CASE("a search that begins at the ends of ordered knobs tries them more often") {
  const SearchSpace s =
      space_with("grid", {knob("x", {1, 2, 3, 4, 5, 6, 7}, 1), knob("y", {1, 2, 3, 4, 5, 6, 7}, 1),
                          knob("kind", {"a", "b", "c", "d", "e"}, "a")});
  Preference ends;
  ends.ends = true;
  const int anywhere = covering(s, {}, ends_of), at_ends = covering(s, ends, ends_of);
  CHECK(anywhere < 20 * 8 * 2 * 0.35);  // 2 of 7 values
  CHECK(at_ends > 1.25 * anywhere);
}

TEST_CASE(
    "a search begins more often where it expects to be fast, not at the ends of those knobs") {
  const SearchSpace s = space_with(
      "grid", {knob("x", {1, 2, 3, 4, 5, 6, 7}, 1), knob("y", {1, 2, 3, 4, 5, 6, 7}, 1)});
  Preference preference;
  preference.ends = true;
  const auto middle = [](const Assignment& point) { return point[0] == 3 ? 1 : 0; };
  const int unexpected = covering(s, preference, middle);
  preference.expected = [](const Assignment& point) { return point[0] == 3 ? 0.0 : 2.0; };
  preference.judged = {0};
  const auto x_ends = [](const Assignment& point) { return ends_of({point[0], 3}); };
  const auto y_ends = [](const Assignment& point) { return ends_of({3, point[1]}); };
  CHECK(covering(s, preference, middle) > 2 * unexpected);
  CHECK(covering(s, preference, x_ends) < covering(s, preference, y_ends));
}

TEST_CASE("blocks of 128 to 256 threads are expected to be fast") {
  const SearchSpace s =
      space_with("blocks", {knob("BLOCK_SIZE_X", {32, 64, 128, 256, 512}, 32),
                            knob("kind", {"a", "b"}, "a"), knob("BLOCK_SIZE_Y", {1, 2, 4}, 1)});
  const std::vector<std::string> sides{"BLOCK_SIZE_X", "BLOCK_SIZE_Y"};
  CHECK(community_block_knobs(s.knobs()) == sides);
  const auto expected = expected_of_blocks(s, sides);
  const auto of = [&](std::uint32_t x, std::uint32_t y) { return expected(Assignment{x, 0, y}); };
  CHECK(of(2, 0) == 0);             // 128
  CHECK(of(1, 2) == 0);             // 256
  CHECK(of(0, 0) == Approx(0.2));   // 32
  CHECK(of(4, 2) == Approx(0.15));  // 2048
  const auto square = expected_of_blocks(s, {"BLOCK_SIZE_X", "BLOCK_SIZE_X"});
  CHECK(square(Assignment{0, 0, 0}) == Approx(0.1));  // 32 x 32
  CHECK_FALSE(expected_of_blocks(s, {"kind"}));
  CHECK_FALSE(expected_of_blocks(s, {}));
  const SearchSpace own =
      space_with("own", {knob("block", {32, 64}, 32), knob("block_n", {1, 2}, 1)});
  CHECK(own_block_knobs(own.knobs()) == std::vector<std::string>{"block"});
  CHECK(community_block_knobs(own.knobs()).empty());
}

namespace {

/// Ten forms that save work and ten tiles, of which nobody knows in which direction to change them.
SearchSpace declared_space() {
  std::vector<Knob> knobs;
  for (int k = 0; k < 10; ++k) {
    knobs.push_back(knob("form" + std::to_string(k), {"plain", "better"}, "plain"));
    knobs.back().breaks = {Paradigm::work};
    knobs.push_back(knob("tile" + std::to_string(k), {0, 8, 64}, 0));
    knobs.back().breaks = {Paradigm::capacity};
  }
  return space_with("declared", knobs);
}

/// How many forms and tiles differ from the baseline.
std::pair<int, int> changed(const SearchSpace& s, const Configuration& configuration) {
  std::pair<int, int> count;
  for (const Knob& one : s.knobs())
    if (configuration.at(one.name) != one.fallback)
      ++(one.name.starts_with("form") ? count.first : count.second);
  return count;
}

}  // namespace

TEST_CASE("the first trials change what promises a gain, and little else") {
  const SearchSpace s = declared_space();
  int forms = 0, tiles = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed, 1);
    // The first is built beside the baseline: nothing ran yet.
    const auto first = make_strategy("roofline")->propose(s, {}, rng, {s.baseline()});
    REQUIRE(first);
    forms += changed(s, *first).first;
    tiles += changed(s, *first).second;
  }
  CHECK(forms > 2 * tiles);
  CHECK(forms > 20);
}

TEST_CASE("what all good trials share is questioned: first by promises, then by defaults") {
  const SearchSpace s = declared_space();
  ModelPolicy policy;
  policy.exploit_every = 1;
  policy.declared = search::expected_of_declarations(s);
  policy.before.expected = policy.declared;
  Copied<ModelSearch> model(s, policy);
  const auto add = [&](const Configuration& one, double seconds) {
    model.add(search::observation_of(s, timed(one, seconds)).value());
  };
  add(s.baseline(), 100);
  // Nine forms are better in every good trial, and every tile has been changed by chance.
  Configuration good = s.baseline();
  for (int k = 0; k < 10; ++k) {
    if (k > 0) good.set("form" + std::to_string(k), Value("better"));
    good.set("tile" + std::to_string(k), Value(8));
  }
  add(good, 10);
  for (int k = 0; k < 6; ++k) {
    Configuration other = good;
    other.set("tile" + std::to_string(k), Value(64));
    add(other, 10.1 + k);
  }
  Rng rng(1, 1);
  Configuration asked = s.configuration(model.propose(rng).value());
  CHECK(asked.at("form0") == Value("better"));
  CHECK(changed(s, asked) == std::pair(10, 10));
  add(asked, 20);
  add(asked = s.configuration(model.propose(rng).value()), 20);
  // One tile is off again.
  CHECK(changed(s, asked) == std::pair(9, 9));
}

TEST_CASE("a dear build must promise more than a cheap one, also before there is a model") {
  std::vector<Knob> knobs;
  for (int k = 0; k < 20; ++k) knobs.push_back(knob("k" + std::to_string(k), {"a", "b"}, "a"));
  const SearchSpace s = space_with("dear", knobs);
  const auto dear_proposals = [&](double build_of_b) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      ModelPolicy policy;
      policy.per_second = true;
      Copied<ModelSearch> model(s, policy);
      for (const bool dear : {false, false, true}) {
        Configuration one = s.baseline();
        if (dear) one.set("k0", Value("b"));
        if (model.all().size() == 1) one.set("k1", Value("b"));
        Trial trial = timed(one, 1);
        trial.cost.build = dear ? build_of_b : 1;
        trial.cost.time = 0.1;
        model.add(search::observation_of(s, trial).value());
      }
      Rng rng(seed, 3);
      const Configuration next = s.configuration(model.propose(rng).value());
      count += next.at("k0") == Value("b") ? 1 : 0;
    }
    return count;
  };
  CHECK(dear_proposals(20) < dear_proposals(1));
}

TEST_CASE("a model believes its own mean of what is pending: it is surer there, no better") {
  std::vector<Value> values;
  for (int v = 0; v < 20; ++v) values.emplace_back(v);
  const SearchSpace s = space_with("valley", {knob("x", values, 0), knob("y", values, 0)});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    History history;
    search_on(*make_strategy("bayes_gp"), s, rugged(seed), seed, 14, history);
    Copied<ModelSearch> model(s, ModelPolicy{});
    for (const Trial& trial : history.trials()) model.add(observation_of(s, trial).value());
    Rng rng(seed, history.size());
    Observation pending;
    pending.index = model.propose(rng).value();
    pending.point = s.assignment(pending.index);
    const auto believed = model.copy(), tried = model.copy();
    believed->suppose(pending);
    tried->SearchState::add(pending);
    CHECK(believed->best()->index == model.best()->index);
    CHECK(believed->propose(rng) != pending.index);
    // The state that was copied knows nothing of it.
    CHECK_FALSE(model.tried(pending.index));
  }
}

TEST_CASE("the first proposals follow the model of a card, until trials know better") {
  const SearchSpace s =
      space_with("grid", {knob("x", {1, 2, 3, 4, 5, 6, 7}, 1), knob("y", {1, 2, 3, 4, 5, 6, 7}, 1),
                          knob("kind", {"a", "b", "c"}, "a")});
  // Slow in x and y, but for their middle.
  const auto slower = [&](const Configuration& one) {
    const Assignment point = s.assignment(s.index(one).value());
    return std::fabs(double(point[0]) - 3) + std::fabs(double(point[1]) - 3);
  };
  Knowledge knowledge;
  for (std::uint64_t i = 0; i < s.size(); i += 4)
    knowledge.modelled.push_back({s.configuration(i), 1e-3 * std::exp(slower(s.configuration(i)))});
  const auto strategy = make_strategy("roofline", knowledge);
  const auto mean_of_first = [&](const Strategy& one) {
    History history;
    double sum = 0;
    for (int n = 0; n < 6; ++n) {
      Rng rng(1, history.size());
      Trial trial;
      trial.index = history.size();
      trial.configuration = one.propose(s, history, rng).value();
      trial.outcome = Outcome::pruned;
      sum += slower(trial.configuration);
      history.append(trial);
    }
    return sum / 6;
  };
  CHECK(mean_of_first(*strategy) < 0.65 * mean_of_first(*make_strategy("roofline")));
}
