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
