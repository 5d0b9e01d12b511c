// Laws of search spaces: construction equals brute force, indices are a bijection, neighbours and
// samples are what they claim.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "property/space/brute_force.h"

namespace rooftune {
namespace {

/// Random spaces that exist and whose defaults are allowed; counts what happened to the others.
struct Tally {
  int spaces = 0, empty = 0, default_refused = 0;
};

template <typename Check>
Tally for_random_spaces(std::uint64_t seed, int rounds, bool conditional, Check check) {
  Tally tally;
  for (int round = 0; round < rounds; ++round) {
    Rng rng(seed, static_cast<std::uint64_t>(round));
    const brute::Sample sample = brute::sample(rng, conditional);
    const std::set<std::string> expected = brute::allowed(sample);
    std::string what;
    for (const Knob& knob : sample.knobs)
      what += knob.name + " " + to_text(Value(knob.values)) + " " + to_text(knob.fallback) +
              " active " + knob.active.text() + "\n";
    for (const Constraint& c : sample.constraints) what += c.expression.text() + "\n";
    INFO(what);
    std::optional<SearchSpace> space;
    std::string fault;
    try {
      space.emplace("s", sample.knobs, sample.constraints, sample.facts);
    } catch (const Error& error) {
      fault = error.what();
    }
    if (!space) {
      Configuration baseline;
      for (const Knob& knob : sample.knobs) baseline.set(knob.name, knob.fallback);
      if (expected.empty()) {
        ++tally.empty;
        REQUIRE(fault.find("no configuration satisfies") != std::string::npos);
      } else {
        ++tally.default_refused;
        INFO(fault);
        REQUIRE(expected.count(baseline.key()) == 0);
        REQUIRE(fault.find("the defaults are not allowed") != std::string::npos);
      }
      continue;
    }
    ++tally.spaces;
    check(*space, expected, rng);
  }
  return tally;
}

}  // namespace

TEST_CASE("construction equals brute force") {
  for (const bool conditional : {false, true}) {
    const Tally tally = for_random_spaces(
        11, 3000, conditional, [](const SearchSpace& space, const auto& expected, Rng&) {
          REQUIRE(space.size() == expected.size());
          std::map<std::string, std::map<std::string, std::uint64_t>> counts;
          // Millions of assertions would cost more than what they check.
          for (std::uint64_t i = 0; i < space.size(); ++i) {
            const Configuration configuration = space.configuration(i);
            if (expected.count(configuration.key()) != 1 || space.index(configuration) != i ||
                !space.why_not(configuration).empty() ||
                !(space.normalised(configuration) == configuration))
              FAIL(configuration.key());
            for (const auto& [name, value] : configuration.values()) ++counts[name][to_text(value)];
          }
          const auto marginals = space.value_counts();
          for (std::size_t k = 0; k < marginals.size(); ++k)
            for (std::size_t v = 0; v < marginals[k].size(); ++v)
              if (marginals[k][v] !=
                  counts[space.knobs()[k].name][to_text(space.knobs()[k].values[v])])
                FAIL(space.knobs()[k].name << " value " << v);
        });
    CHECK(tally.spaces > 800);
    CHECK(tally.empty > 100);
    CHECK(tally.default_refused > 100);
  }
}

TEST_CASE("what is not allowed has a reason, and becomes allowed only by its constraints") {
  for_random_spaces(12, 500, true, [](const SearchSpace& space, const auto& expected, Rng& rng) {
    for (int i = 0; i < 20; ++i) {
      Configuration configuration;
      for (const Knob& knob : space.knobs())
        configuration.set(knob.name, knob.values[rng.below(knob.values.size())]);
      const bool allowed = expected.count(configuration.key()) == 1;
      REQUIRE(space.allowed(configuration) == allowed);
      REQUIRE(space.why_not(configuration).empty() == allowed);
      const Configuration normal = space.normalised(configuration);
      REQUIRE(space.normalised(normal) == normal);
      if (allowed) REQUIRE(normal == configuration);
    }
  });
}

TEST_CASE("contradictions are smallest sets") {
  int found = 0;
  for (int round = 0; round < 3000; ++round) {
    Rng rng(13, static_cast<std::uint64_t>(round));
    brute::Sample sample = brute::sample(rng, false);
    if (brute::any_allowed(sample)) continue;
    std::string fault;
    try {
      SearchSpace("s", sample.knobs, sample.constraints, sample.facts);
    } catch (const Error& error) {
      fault = error.message();
    }
    // The constraints that the message quotes contradict each other, and no fewer of them do.
    std::vector<Constraint> named;
    std::set<std::string> texts;
    for (const Constraint& constraint : sample.constraints)
      if (fault.find("\n  \"" + constraint.expression.text() + "\"") != std::string::npos &&
          texts.insert(constraint.expression.text()).second)
        named.push_back(constraint);
    INFO(fault);
    REQUIRE(!named.empty());
    sample.constraints = named;
    REQUIRE_FALSE(brute::any_allowed(sample));
    for (std::size_t leave_out = 0; leave_out < named.size(); ++leave_out) {
      sample.constraints = named;
      sample.constraints.erase(sample.constraints.begin() + static_cast<std::ptrdiff_t>(leave_out));
      REQUIRE(brute::any_allowed(sample));
    }
    ++found;
  }
  CHECK(found > 100);
}

TEST_CASE("neighbours are all allowed configurations one change away, and symmetric") {
  for_random_spaces(14, 600, false, [](const SearchSpace& space, const auto& expected, Rng& rng) {
    const Configuration centre = space.sample(rng);
    std::set<std::string> keys;
    for (const Configuration& neighbour : space.neighbours(centre)) {
      REQUIRE(space.allowed(neighbour));
      REQUIRE(keys.insert(neighbour.key()).second);
      const auto back = space.neighbours(neighbour);
      REQUIRE(std::find(back.begin(), back.end(), centre) != back.end());
    }
    std::set<std::string> one_away;
    for (const Knob& knob : space.knobs())
      for (const Value& value : knob.values) {
        Configuration other = centre;
        other.set(knob.name, value);
        if (!(other == centre) && expected.count(other.key()) == 1) one_away.insert(other.key());
      }
    REQUIRE(keys == one_away);
  });
}

TEST_CASE("neighbours of conditional spaces are allowed, different and not repeated") {
  for_random_spaces(15, 600, true, [](const SearchSpace& space, const auto& expected, Rng& rng) {
    const Configuration centre = space.sample(rng);
    std::set<std::string> keys{centre.key()};
    for (const Configuration& neighbour : space.neighbours(centre)) {
      REQUIRE(expected.count(neighbour.key()) == 1);
      REQUIRE(keys.insert(neighbour.key()).second);
    }
  });
}

TEST_CASE("adjacent values of numeric knobs come first") {
  for_random_spaces(16, 300, false, [](const SearchSpace& space, const auto&, Rng& rng) {
    const Configuration centre = space.sample(rng);
    bool far_seen = false;
    for (const Configuration& neighbour : space.neighbours(centre))
      for (const Knob& knob : space.knobs()) {
        const Value &from = centre.at(knob.name), &to = neighbour.at(knob.name);
        if (from == to) continue;
        const bool between = std::any_of(
            knob.values.begin(), knob.values.end(),
            [&](const Value& v) { return (from < v && v < to) || (to < v && v < from); });
        if (between) far_seen = true;
        REQUIRE((between || !far_seen));
      }
  });
}

TEST_CASE("samples are uniform") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed, 17);
    const brute::Sample sample = brute::sample(rng, true);
    std::optional<SearchSpace> space;
    try {
      space.emplace("s", sample.knobs, sample.constraints, sample.facts);
    } catch (const Error&) {
      continue;
    }
    const double expected = 50;
    std::vector<double> counts(space->size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(expected) * counts.size(); ++i)
      ++counts[*space->index(space->sample(rng))];
    double chi_square = 0;
    for (const double count : counts)
      chi_square += (count - expected) * (count - expected) / expected;
    // Mean and spread of chi-square: n - 1 and sqrt(2 (n - 1)); five spreads, seeds fixed.
    const double freedom = static_cast<double>(counts.size()) - 1;
    CHECK(chi_square <= freedom + 5 * std::sqrt(2 * freedom));
  }
}

}  // namespace rooftune
