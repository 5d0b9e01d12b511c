// Samples that cover: allowed, with every value that any configuration has, and the same each time.
#include <algorithm>
#include <catch2/catch.hpp>

#include "space/search_space.h"
#include "space_samples.h"
#include "support/missing_values.h"

using namespace rooftune;
using namespace rooftune::samples;
using rooftune::test::missing_values;

namespace {

SearchSpace space_with(const std::vector<std::string>& conditions) {
  return SearchSpace("s",
                     {knob("algorithm", {"plain", "tiled", "fused"}), knob("tile", {1, 2, 4, 8}),
                      knob("unroll", {1, 2, 4})},
                     constraints(conditions), {});
}

std::size_t with(const std::vector<Configuration>& sample, const std::string& algorithm) {
  return static_cast<std::size_t>(std::count_if(
      sample.begin(), sample.end(),
      [&](const Configuration& one) { return one.at("algorithm") == Value(algorithm); }));
}

}  // namespace

TEST_CASE("a sample has the baseline with every algorithm, and every value") {
  const SearchSpace all = space_with({});
  const auto sample = covering_sample(all, "algorithm", 3, 1);
  CHECK(missing_values(all, sample).empty());
  for (const char* algorithm : {"plain", "tiled", "fused"}) {
    Configuration plain = all.baseline();
    plain.set("algorithm", algorithm);
    CHECK(std::find(sample.begin(), sample.end(), plain) != sample.end());
    CHECK(with(sample, algorithm) >= 3);
  }
  CHECK(covering_sample(all, "algorithm", 3, 1) == sample);
}

TEST_CASE("a sample keeps the constraints of the algorithm's knob") {
  const SearchSpace tied = space_with({"algorithm == 'plain' or tile > 1", "unroll * tile <= 16"});
  const auto sample = covering_sample(tied, "algorithm", 3, 1);
  CHECK(missing_values(tied, sample).empty());
  for (const Configuration& one : sample) CHECK(tied.allowed(one));
  // The baseline has tile 1: what is nearest to it stands in.
  const auto first = std::find_if(sample.begin(), sample.end(), [](const Configuration& one) {
    return one.at("algorithm") == Value("tiled");
  });
  REQUIRE(first != sample.end());
  CHECK(first->at("unroll") == Value(1));
}

TEST_CASE("an algorithm that no configuration has is left out") {
  const SearchSpace without = space_with({"algorithm != 'fused'"});
  const auto sample = covering_sample(without, "algorithm", 3, 1);
  CHECK(with(sample, "plain") >= 3);
  CHECK(with(sample, "tiled") >= 3);
  CHECK(with(sample, "fused") == 0);
  CHECK(missing_values(without, sample) == std::vector<std::string>{"algorithm=fused"});
}
