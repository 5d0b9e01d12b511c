// Spaces far too large to list: what is drawn is allowed and spread as promised, numbers lead back,
// the count holds.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "core/error.h"
#include "unit/space/space_samples.h"

namespace rooftune {
namespace {

constexpr int link_count = 20, value_count = 10;

/// Neighbours in the chain have a product of at most 30.
SearchSpace chain() {
  std::vector<Knob> knobs;
  std::vector<std::string> texts;
  for (int k = 0; k < link_count; ++k) {
    std::vector<Value> values;
    for (int v = 1; v <= value_count; ++v) values.emplace_back(std::int64_t{v});
    knobs.push_back(samples::knob("k" + std::to_string(k), values));
    if (k > 0) texts.push_back("k" + std::to_string(k - 1) + "*k" + std::to_string(k) + " <= 30");
  }
  return {"chain", knobs, samples::constraints(texts), {}};
}

/// Chains of so many links by the value of the last one.
std::array<double, value_count> chains(int links) {
  std::array<double, value_count> ways;
  ways.fill(1);
  for (int link = 1; link < links; ++link) {
    std::array<double, value_count> next{};
    for (int v = 1; v <= value_count; ++v)
      for (int before = 1; before <= value_count; ++before)
        if (v * before <= 30)
          next[static_cast<std::size_t>(v - 1)] += ways[static_cast<std::size_t>(before - 1)];
    ways = next;
  }
  return ways;
}

/// Five spreads of chi-square above its mean; seeds are fixed.
bool plausible(const std::vector<double>& counts, const std::vector<double>& expected) {
  double chi_square = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    chi_square += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  const double freedom = static_cast<double>(counts.size()) - 1;
  return chi_square <= freedom + 5 * std::sqrt(2 * freedom);
}

void check_walks(const SearchSpace& space, int draws) {
  Rng rng(3, 0);
  std::set<std::uint64_t> numbers;
  std::set<std::string> keys;
  for (int draw = 0; draw < draws; ++draw) {
    const std::uint64_t number = rng.below(space.size());
    const Configuration configuration = space.configuration(number);
    REQUIRE(space.why_not(configuration).empty());
    REQUIRE(space.index(configuration) == number);
    REQUIRE(space.index(space.assignment(number)) == number);
    REQUIRE(numbers.insert(number).second == keys.insert(configuration.key()).second);
  }
  for (int walk = 0; walk < 5; ++walk) {
    const Configuration centre = space.sample(rng);
    std::set<std::string> near{centre.key()};
    for (const Configuration& neighbour : space.neighbours(centre)) {
      REQUIRE(space.why_not(neighbour).empty());
      REQUIRE(near.insert(neighbour.key()).second);
    }
    CHECK(near.size() > 1);
  }
}

}  // namespace

TEST_CASE("a space of 1e17 configurations is drawn from uniformly") {
  const SearchSpace space = chain();
  double truth = 0;
  for (const double ways : chains(link_count)) truth += ways;
  CHECK(static_cast<double>(space.size()) == Approx(truth).epsilon(1e-12));
  check_walks(space, 300);
  // The share of a value at one link: what leads to it from both sides.
  const auto left = chains(11), right = chains(link_count - 10);
  std::vector<double> counts(value_count), expected(value_count);
  constexpr double draw_count = 20000;
  for (std::size_t v = 0; v < value_count; ++v)
    expected[v] = draw_count * left[v] * right[v] / truth;
  Rng rng(4, 0);
  for (int draw = 0; draw < static_cast<int>(draw_count); ++draw)
    ++counts[space.assignment(rng.below(space.size()))[10]];
  CHECK(plausible(counts, expected));
}

}  // namespace rooftune
