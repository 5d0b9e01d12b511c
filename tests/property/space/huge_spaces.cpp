// Spaces that are too large to count: what is drawn is allowed and spread as promised, numbers lead
// back, estimates hold the truth.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "core/error.h"
#include "property/space/brute_force.h"
#include "space/allowed_set.h"
#include "space/relaxed_diagram.h"
#include "unit/space/space_samples.h"

namespace rooftune {
namespace {

constexpr int link_count = 30, value_count = 10;

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
    const std::uint64_t number = space.draw(rng);
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

TEST_CASE("a space of more than 2^64 configurations is drawn from uniformly") {
  const SearchSpace space = chain();
  REQUIRE_FALSE(space.counted());
  double truth = 0;
  for (const double ways : chains(link_count)) truth += ways;
  const SpaceExtent& extent = space.extent();
  CHECK(extent.size->low <= truth);
  CHECK(truth <= extent.size->high);
  CHECK(extent.sampling == "uniform");
  CHECK_THROWS_WITH(space.size(), Catch::Contains("not counted: there are 2^64"));
  CHECK_THROWS_WITH(space.value_counts(), Catch::Contains("not counted"));
  check_walks(space, 300);
  // The share of a value at one link: what leads to it from both sides.
  const auto left = chains(11), right = chains(link_count - 10);
  std::vector<double> counts(value_count), expected(value_count);
  constexpr double draw_count = 20000;
  for (std::size_t v = 0; v < value_count; ++v)
    expected[v] = draw_count * left[v] * right[v] / truth;
  Rng rng(4, 0);
  for (int draw = 0; draw < static_cast<int>(draw_count); ++draw)
    ++counts[space.assignment(space.draw(rng))[10]];
  CHECK(plausible(counts, expected));
}

TEST_CASE("numbers of assignments lead back, whether they fit into 64 bits or not") {
  for (const std::size_t knobs : {3U, 20U, 100U}) {
    std::vector<std::size_t> values;
    for (std::size_t k = 0; k < knobs; ++k) values.push_back(k % 3 == 0 ? 1 : 5 + 40 * k);
    const AssignmentNames names(values), others(values);
    Rng rng(knobs, 0);
    std::map<std::uint64_t, Assignment> given;
    for (int i = 0; i < 2000; ++i) {
      Assignment assignment;
      for (const std::size_t count : values)
        assignment.push_back(static_cast<std::uint32_t>(rng.below(count)));
      const std::uint64_t number = names.number(assignment);
      REQUIRE(number == names.number(assignment));
      const auto [known, fresh] = given.emplace(number, assignment);
      REQUIRE(known->second == assignment);
    }
    for (auto at = given.rbegin(); at != given.rend(); ++at) {
      REQUIRE(names.assignment(at->first) == at->second);
      // Another run asks in another order.
      REQUIRE(others.number(at->second) == at->first);
    }
  }
  CHECK_FALSE(AssignmentNames({5}).assignment(7));
  CHECK_FALSE(AssignmentNames(std::vector<std::size_t>(100, 1000)).assignment(7));
}

namespace {

struct Relaxation {
  std::vector<Knob> knobs;
  Facts facts;
  std::optional<ExpressionGraph> graph;
  std::optional<RelaxedDiagram> diagram;
  std::vector<double> counts;  ///< draws by allowed assignment
};

/// Draws from a diagram that holds next to nothing; `expected` are the keys of what is allowed.
void check_relaxed(const brute::Sample& sample, const std::set<std::string>& expected,
                   std::size_t draws, Relaxation& relaxed) {
  std::vector<const Expression*> expressions;
  for (const Constraint& constraint : sample.constraints)
    expressions.push_back(&constraint.expression);
  relaxed.graph.emplace(sample.knobs, sample.facts, expressions);
  std::vector<ExpressionGraph::NodeId> conditions;
  for (const Expression* expression : expressions)
    for (const auto node : relaxed.graph->conditions(*expression)) conditions.push_back(node);
  relaxed.diagram.emplace(*relaxed.graph, sample.knobs.size(), conditions,
                          DiagramLimit{std::size_t{1} << 20, 20});
  REQUIRE(relaxed.diagram->empty() == expected.empty());
  if (expected.empty()) return;
  Rng rng(5, 0);
  std::map<std::string, double> seen;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const Assignment assignment = relaxed.diagram->draw(rng);
    REQUIRE(relaxed.diagram->contains(assignment));
    Configuration configuration;
    for (std::size_t k = 0; k < sample.knobs.size(); ++k)
      configuration.set(sample.knobs[k].name, sample.knobs[k].values[assignment[k]]);
    REQUIRE(expected.count(configuration.key()) == 1);
    ++seen[configuration.key()];
  }
  for (const std::string& key : expected) relaxed.counts.push_back(seen[key]);
}

}  // namespace

TEST_CASE("what no diagram holds is drawn uniformly, and its number estimated") {
  int uniform = 0, empty = 0, left_out = 0, outside = 0;
  for (int round = 0; round < 300; ++round) {
    Rng rng(18, static_cast<std::uint64_t>(round));
    const brute::Sample sample = brute::sample(rng, false);
    const std::set<std::string> expected = brute::allowed(sample);
    INFO("round " << round);
    Relaxation relaxed;
    check_relaxed(sample, expected, 30 * expected.size(), relaxed);
    left_out += relaxed.diagram->left_out() > 0 ? 1 : 0;
    if (expected.empty()) {
      ++empty;
      continue;
    }
    const auto& pilot = relaxed.diagram->pilot();
    const double estimate = relaxed.diagram->magnitude() * pilot.mean;
    const double factor = std::exp(4 * pilot.deviation / pilot.mean);
    const auto truth = static_cast<double>(expected.size());
    if (estimate / factor > truth * 1.000001 || truth > estimate * factor * 1.000001) ++outside;
    if (relaxed.diagram->how() != RelaxedDiagram::Draw::uniform) continue;
    ++uniform;
    CHECK(plausible(relaxed.counts, std::vector<double>(relaxed.counts.size(), 30)));
  }
  CHECK(outside == 0);
  CHECK(empty > 20);
  CHECK(left_out > 80);
  CHECK(uniform > 100);
}

TEST_CASE("where allowed configurations are rare, draws say what they favour") {
  struct Case {
    std::string text;
    int last_factor, target;
    RelaxedDiagram::Draw how;
  };
  const Case cases[] = {
      {"k0*k1*k2 + k3*k4*k5 == 210", 1, 210, RelaxedDiagram::Draw::weighted},
      {"k0*k1*k2 + 97*k3*k4*k5 == 70923", 97, 70923, RelaxedDiagram::Draw::searched}};
  for (const Case& rare : cases) {
    INFO(rare.text);
    std::vector<Value> values;
    for (int v = 1; v <= 10; ++v) values.emplace_back(std::int64_t{v});
    brute::Sample sample;
    for (int k = 0; k < 6; ++k)
      sample.knobs.push_back(samples::knob("k" + std::to_string(k), values));
    sample.constraints = samples::constraints({rare.text});
    std::set<std::string> expected;
    for (int code = 0; code < 1'000'000; ++code) {
      int v[6], rest = code;
      for (int& value : v) {
        value = 1 + rest % 10;
        rest /= 10;
      }
      if (v[0] * v[1] * v[2] + rare.last_factor * v[3] * v[4] * v[5] != rare.target) continue;
      Configuration configuration;
      for (std::size_t k = 0; k < 6; ++k) configuration.set(sample.knobs[k].name, Value(v[k]));
      expected.insert(configuration.key());
    }
    REQUIRE_FALSE(expected.empty());
    Relaxation relaxed;
    const bool weighted = rare.how == RelaxedDiagram::Draw::weighted;
    check_relaxed(sample, expected, weighted ? 3000 : 10, relaxed);
    CHECK(relaxed.diagram->how() == rare.how);
    CHECK(relaxed.diagram->contains(relaxed.diagram->first()));
    if (!weighted) continue;
    // Nearly uniform: by the values of the first knob, few draws should have gone elsewhere
    // (chance alone: 0.02).
    std::map<char, double> shares;
    std::size_t at = 0;
    for (const std::string& key : expected) {
      const auto count = relaxed.counts[at++];
      shares[key[3]] += count / 3000 - 1 / static_cast<double>(expected.size());
    }
    double distance = 0;
    for (const auto& [value, share] : shares) distance += std::abs(share) / 2;
    CHECK(distance < 0.08);
  }
}

TEST_CASE("a space whose diagram explodes is walked through all the same") {
  // Every condition joins five knobs, no two alike; the smallest values satisfy all.
  std::vector<Knob> knobs;
  std::vector<std::string> texts;
  for (int i = 0; i < 30; ++i) {
    std::vector<Value> values;
    for (int v = 0; v < 10; ++v) values.emplace_back(std::int64_t{3 * v * v + v + 1 + i});
    knobs.push_back(samples::knob("k" + std::to_string(i), values));
    const auto other = [&](int step, int offset) {
      return "k" + std::to_string((i * step + offset) % 30);
    };
    texts.push_back("k" + std::to_string(i) + "*" + other(7, 3) + " + 3*" + other(11, 5) +
                    " <= " + other(13, 8) + "*" + other(17, 2) + " + 900");
  }
  const SearchSpace space("knot", knobs, samples::constraints(texts), {});
  REQUIRE_FALSE(space.counted());
  CHECK(space.extent().because.find("conditions are checked only while") != std::string::npos);
  CHECK_FALSE(space.extent().sampling.empty());
  CHECK(space.why_not(space.baseline()).empty());
  check_walks(space, 20);
  // The same draws whatever was asked before.
  Rng one(9, 0), other(9, 0);
  const std::uint64_t drawn = space.draw(one);
  space.neighbours(space.baseline());
  REQUIRE(space.draw(other) == drawn);
}

}  // namespace rooftune
