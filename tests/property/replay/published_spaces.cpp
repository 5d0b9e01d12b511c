// Published constrained spaces with known counts: sizes and counts per value must match exactly.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "replay/t1_space.h"

namespace rooftune {

TEST_CASE("published spaces have their published counts") {
  const char* data = std::getenv("ROOFTUNE_DATA");
  if (!data) {
    WARN("skipped: ROOFTUNE_DATA is not set");
    return;
  }
  const std::filesystem::path folder = std::filesystem::path(data) / "spaces";
  if (!std::filesystem::is_directory(folder)) {
    WARN("skipped: ROOFTUNE_DATA has no folder spaces");
    return;
  }
  std::size_t spaces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path().string());
    const Json json = read_json(entry.path());
    ++spaces;
    if (json.at("valid_count") == 0) {
      CHECK_THROWS_WITH(plain_space_from_json(json, "f"),
                        Catch::Contains("no configuration satisfies"));
      continue;
    }
    const SearchSpace space = plain_space_from_json(json, "f");
    CHECK(space.size() == json.at("valid_count").get<std::uint64_t>());
    CHECK(space.cartesian_size() == json.at("cartesian_size").get<double>());
    CHECK(Json(space.value_counts()) == json.at("marginals"));
    Rng rng(1, 0);
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t index = rng.below(space.size());
      const Configuration configuration = space.configuration(index);
      REQUIRE(space.index(configuration) == index);
      REQUIRE(space.why_not(configuration).empty());
    }
    for (const Configuration& neighbour : space.neighbours(space.sample(rng)))
      REQUIRE(space.allowed(neighbour));
  }
  CHECK(spaces > 0);
}

}  // namespace rooftune
