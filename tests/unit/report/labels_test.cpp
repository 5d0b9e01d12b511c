#include "report/labels.h"

#include <catch2/catch.hpp>

#include "core/rng.h"
#include "report/svg.h"

using namespace rooftune;

TEST_CASE("boxes overlap as drawn") {
  CHECK(overlap({0, 0, 10, 10, 0}, {5, 5, 10, 10, 0}));
  CHECK_FALSE(overlap({0, 0, 10, 10, 0}, {11, 0, 10, 10, 0}));
  // A diagonal strip passes the corner of a square without touching it.
  CHECK_FALSE(overlap({0, 0, 10, 10, 0}, {9, 9, 30, 4, -45}));
  CHECK(overlap({0, 0, 10, 10, 0}, {5, 5, 30, 4, -45}));
}

TEST_CASE("no two placed labels overlap and none leaves the area") {
  LabelLayout layout(0, 0, 300, 200);
  std::vector<Box> placed;
  Rng rng(3, 0);
  for (int i = 0; i < 200; ++i) {
    const Box box{300 * rng.unit(), 200 * rng.unit(), 20 + 40 * rng.unit(), 12, -90 * rng.unit()};
    if (const auto where = layout.place({box, {box.x, 100, box.width, 12, 0}}))
      placed.push_back(*where);
  }
  REQUIRE(placed.size() > 10);
  for (std::size_t i = 0; i < placed.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(overlap(placed[i], placed[j]));
}

TEST_CASE("spreading keeps order, spacing and bounds") {
  const auto placed = spread({10, 11, 12, 50, 99, 100}, 8, 0, 100);
  REQUIRE(placed.size() == 6);
  for (std::size_t i = 1; i < placed.size(); ++i) CHECK(placed[i] - placed[i - 1] >= 8 - 1e-9);
  CHECK(placed.front() >= 0);
  CHECK(placed.back() <= 100);
  CHECK(placed[3] == Approx(50));
  CHECK(spread({}, 8, 0, 100).empty());
}

TEST_CASE("spreading random positions never breaks a rule") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed, 1);
    std::vector<double> wanted;
    double at = 0;
    const std::uint64_t n = 1 + rng.below(12);
    for (std::uint64_t i = 0; i < n; ++i) wanted.push_back(at += 16 * rng.unit());
    const auto placed = spread(wanted, 14, 0, 200);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      CHECK(placed[i] >= -1e-9);
      CHECK(placed[i] <= 200 + 1e-9);
      if (i > 0) CHECK(placed[i] - placed[i - 1] >= 14 - 1e-6);
    }
  }
}

TEST_CASE("texts are measured per character, not per byte") {
  CHECK(text_width("\u00e9", 10) == Approx(text_width("a", 10)));
  CHECK(text_width("mm", 10) > text_width("ii", 10));
}

TEST_CASE("long texts get an ellipsis and fit") {
  const std::string text = "DRAM bandwidth without huge_pages, nt_store, tlp";
  CHECK(elided(text, 1000, 10) == text);
  const std::string shorter = elided(text, 120, 10);
  CHECK(text_width(shorter, 10) <= 121);
  CHECK(shorter.substr(shorter.size() - 3) == "\u2026");
}
