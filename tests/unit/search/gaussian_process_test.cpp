// The fast paths of the Gaussian process against its formulas.
#include "search/gaussian_process.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

/// More combinations than one group of knobs holds; one knob has two coordinates, one has one
/// value.
SearchSpace mixed() {
  std::vector<Value> many;
  for (int i = 1; i <= 40; ++i) many.emplace_back(16 * i);
  return space_with("mixed", {knob("block", many, 16), knob("only", {1}, 1),
                              knob("unroll", {1, 2, 4, 8}, 1), knob("kind", {"a", "b", "c"}, "a"),
                              knob("tile", many, 32), knob("pad", {false, true}, false)});
}

std::vector<Assignment> points(const SearchSpace& s, std::size_t count) {
  std::vector<Assignment> all;
  Rng rng(3, 1);
  while (all.size() < count) all.push_back(s.assignment(rng.below(s.size())));
  return all;
}

}  // namespace

TEST_CASE("the covariance is Matern's, near and far") {
  std::vector<double> squares;
  for (double d = 0; d < 3000; d += d < 1 ? 1e-3 : 0.1) squares.push_back(d);
  std::vector<double> values = squares;
  matern(values.data(), values.size());
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double r = std::sqrt(5 * squares[i]);
    CHECK(values[i] == Approx((1 + r + r * r / 3) * std::exp(-r)).epsilon(1e-14));
    CHECK(values[i] == matern(squares[i]));
  }
  CHECK(matern(1e12) < 1e-290);
}

TEST_CASE("rows of covariances are those of single pairs") {
  const SearchSpace s = mixed();
  const KnobDistances distances(s, true);
  std::vector<double> weights;
  for (std::size_t c = 0; c < distances.knobs().size(); ++c)
    weights.push_back(0.5 + 0.7 * static_cast<double>(c));
  const std::vector<Assignment> all = points(s, 150);
  CovarianceRows rows(distances, weights, all);
  for (const std::size_t x : {0u, 77u}) {
    std::vector<double> row(100);
    rows.begin(all[x]);
    rows.row(40, row.size(), row.data());
    for (std::size_t i = 0; i < row.size(); ++i)
      CHECK(row[i] == Approx(matern(distances.squared(weights, all[x], all[40 + i]))));
  }
}

TEST_CASE("observations together tell what they tell one by one") {
  const SearchSpace s = mixed();
  const KnobDistances distances(s, true);
  const GpHyperparameters hyperparameters{distances.expected_weights(), 1e-2};
  const std::vector<Assignment> candidates = points(s, 130), seen = points(s, 30);
  Posterior single(distances, hyperparameters, candidates, 40),
      together(distances, hyperparameters, candidates, 40);
  std::vector<const Assignment*> xs;
  std::vector<double> ys;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    xs.push_back(&seen[i]);
    ys.push_back(std::sin(static_cast<double>(i)));
    single.observe(*xs.back(), ys.back());
  }
  together.observe(xs, ys);
  REQUIRE(together.size() == single.size());
  CHECK(together.signal() == single.signal());
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    CHECK(together.mean(c) == single.mean(c));
    CHECK(together.variance(c) == single.variance(c));
  }
}

TEST_CASE("a disturbed trial says less") {
  const SearchSpace s = mixed();
  const KnobDistances distances(s, true);
  const GpHyperparameters hyperparameters{distances.expected_weights(), 1e-2};
  const std::vector<Assignment> candidates = points(s, 130);
  Posterior clean(distances, hyperparameters, candidates, 4),
      disturbed(distances, hyperparameters, candidates, 4);
  clean.observe(candidates[0], 2);
  disturbed.observe(candidates[0], 2, 1);
  CHECK(clean.mean(0) > 1.9);
  CHECK(disturbed.mean(0) < 1.1);
  CHECK(disturbed.variance(0) > 0.4);
}

TEST_CASE("zero among positive numbers is none of them") {
  const KnobDistances off(space_with("off", {knob("tile", {0, 16, 32, 128}, 0)}));
  const Numbers alike(off.knobs().size(), 1);
  REQUIRE(alike.size() == 2);
  const auto between = [&](uint32_t a, uint32_t b) { return off.squared(alike, {a}, {b}); };
  CHECK(between(1, 2) < 0.2);
  CHECK(between(0, 1) == 1);
  CHECK(between(0, 2) > between(0, 1));
  CHECK(between(0, 3) == 2);
  // Two values are only on and off, and a line through negative numbers has a zero like any other.
  CHECK(KnobDistances(space_with("two", {knob("tile", {0, 16}, 0)})).knobs().size() == 1);
  CHECK(KnobDistances(space_with("line", {knob("shift", {-1, 0, 1}, 0)})).knobs().size() == 1);
  // Line and sameness, as any scale of many values has.
  const KnobDistances scale(space_with("scale", {knob("cut", {0, 1, 2, 3, 4, 5, 6}, 0)}));
  CHECK(scale.knobs().size() == 2);
  CHECK(scale.squared({1, 0}, {0}, {3}) == Approx(0.25));
}
