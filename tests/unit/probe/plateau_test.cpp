// Tests of the rule that finds memory levels in a size sweep, on curves made here.
#include "probe/plateau.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/rng.h"

using namespace rooftune;
using namespace rooftune;

namespace {

constexpr double kib = 1024, mib = 1024 * kib, giga = 1e9;

struct CacheStep {
  double capacity, rate;
};

/// A machine whose level holds `capacity` bytes; beyond it the time per byte moves linearly over
/// `blur` doublings to that of the next level. The last step is memory.
double rate_at(const std::vector<CacheStep>& steps, double bytes, double blur) {
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const double over = std::log2(bytes / steps[i].capacity);
    if (over <= 0) return steps[i].rate;
    if (over >= blur) continue;
    const double part = over / blur;
    return 1 / ((1 - part) / steps[i].rate + part / steps[i + 1].rate);
  }
  return steps.back().rate;
}

std::vector<SweepPoint> curve(const std::vector<CacheStep>& steps, double blur, double largest,
                              double noise = 0, std::uint64_t seed = 1) {
  std::vector<SweepPoint> sweep;
  Rng rng(seed, 0);
  for (const double bytes : sweep_sizes({}, largest, kib))
    sweep.push_back({bytes, rate_at(steps, bytes, blur) * (1 - noise * rng.unit())});
  return sweep;
}

const std::vector<CacheStep> three_caches{
    {48 * kib, 460 * giga}, {2 * mib, 180 * giga}, {32 * mib, 60 * giga}, {0, 17 * giga}};
const std::vector<ReportedCache> reported_three{
    {"L1", 48 * 1024, 2}, {"L2", 2 << 20, 2}, {"L3", 32 << 20, 1}};

std::vector<std::string> names(const Levels& levels) {
  std::vector<std::string> result;
  for (const auto& level : levels.levels) result.push_back(level.name);
  return result;
}

bool mentions(const Levels& levels, const std::string& text) {
  return std::any_of(levels.notes.begin(), levels.notes.end(),
                     [&](const auto& note) { return note.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("Three caches and memory are found with their capacities") {
  const Levels found = memory_levels(curve(three_caches, 0.7, 512 * mib), reported_three);
  REQUIRE(names(found) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  for (std::size_t i = 0; i < 3; ++i) {
    CAPTURE(i);
    CHECK(*found.levels[i].capacity <= 1.25 * three_caches[i].capacity);
    CHECK(*found.levels[i].capacity >= three_caches[i].capacity / 1.25);
    CHECK(found.levels[i].reported == static_cast<double>(reported_three[i].bytes));
    CHECK(found.levels[i].instances == reported_three[i].instances);
    CHECK(found.evidence[i].rate == Approx(three_caches[i].rate).epsilon(0.03));
  }
  CHECK_FALSE(found.levels.back().capacity);
  CHECK(found.evidence.back().rate == Approx(17 * giga));
  CHECK(found.notes.empty());
}

TEST_CASE("Sizes slowed by up to 30 percent hide no level and add none") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    // one-sided: other work only slows; of three windows one is nearly undisturbed
    std::vector<SweepPoint> sweep = curve(three_caches, 0.7, 512 * mib, 0.30, seed);
    for (std::uint64_t again = 1; again <= 6; ++again) {
      const auto other = curve(three_caches, 0.7, 512 * mib, 0.30, 100 * seed + again);
      for (std::size_t i = 0; i < sweep.size(); ++i)
        sweep[i].rate = std::max(sweep[i].rate, other[i].rate);
    }
    CHECK(names(memory_levels(sweep, reported_three)) ==
          std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  }
}

TEST_CASE("A machine without an outer cache has two levels and memory") {
  const std::vector<CacheStep> two{{32 * kib, 300 * giga}, {1 * mib, 90 * giga}, {0, 12 * giga}};
  SECTION("and none is reported") {
    const Levels found =
        memory_levels(curve(two, 0.7, 256 * mib), {{"L1", 32 * 1024, 1}, {"L2", 1 << 20, 1}});
    CHECK(names(found) == std::vector<std::string>{"L1", "L2", "DRAM"});
  }
  SECTION("though one is reported") {
    const Levels found = memory_levels(
        curve(two, 0.7, 256 * mib), {{"L1", 32 * 1024, 1}, {"L2", 1 << 20, 1}, {"L3", 8 << 20, 1}});
    CHECK(names(found) == std::vector<std::string>{"L1", "L2", "DRAM"});
    CHECK(mentions(found, "L3: reported"));
  }
  SECTION("and nothing is reported at all") {
    CHECK(names(memory_levels(curve(two, 0.7, 256 * mib), {})) ==
          std::vector<std::string>{"L1", "L2", "DRAM"});
  }
}

TEST_CASE("A virtual machine's outer cache is as large as it is effective") {
  // 480 MiB reported, 16 MiB usable, then a fall over three doublings as neighbours take the rest
  const std::vector<CacheStep> steps{
      {48 * kib, 460 * giga}, {1.25 * mib, 178 * giga}, {16 * mib, 31 * giga}, {0, 16.5 * giga}};
  std::vector<SweepPoint> sweep = curve(steps, 0.8, 8 * mib);
  for (const SweepPoint& point : curve(steps, 3, 512 * mib))
    if (point.bytes > 8 * mib) sweep.push_back(point);
  const std::vector<ReportedCache> reported{
      {"L1", 48 * 1024, 2}, {"L2", 2 << 20, 2}, {"L3", std::uint64_t{480} << 20, 1}};
  const Levels found = memory_levels(sweep, reported);
  REQUIRE(names(found) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  CHECK(*found.levels[2].capacity < 32 * mib);
  CHECK(*found.levels[2].capacity >= 16 * mib / 1.25);
  CHECK(*found.levels[2].reported == 480 * mib);
  CHECK(mentions(found, "L3"));
  CHECK(mentions(found, "within twice the reported L3"));
}

TEST_CASE("A uniform slope has no plateau, and memory is its largest size") {
  std::vector<SweepPoint> sweep;
  for (double bytes = 8 * kib; bytes < 64 * mib; bytes *= 1.25)
    sweep.push_back({bytes, 100 * giga * std::pow(bytes / (8 * kib), -0.15)});
  CHECK(plateaus(sweep).empty());
  const Levels found = memory_levels(sweep, reported_three);
  CHECK(names(found) == std::vector<std::string>{"DRAM"});
  CHECK(found.evidence.back().rate == Approx(sweep.back().rate));
  CHECK(mentions(found, "no flat end"));
}

TEST_CASE("One rate at all sizes is memory alone") {
  CHECK(names(memory_levels(curve({{0, 20 * giga}}, 1, 64 * mib), reported_three)) ==
        std::vector<std::string>{"DRAM"});
}

TEST_CASE("More plateaus than reported caches are numbered") {
  const Levels found = memory_levels(curve(three_caches, 0.7, 512 * mib), {{"L1", 48 * 1024, 2}});
  CHECK(names(found) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  CHECK_FALSE(found.levels[1].reported);
}

TEST_CASE("A plateau goes to the reported cache whose size it fits") {
  // the innermost cache does not show (as with a kernel too slow for it): 1 MiB is L2, not L1
  const std::vector<CacheStep> steps{{1 * mib, 90 * giga}, {0, 12 * giga}};
  CHECK(names(memory_levels(curve(steps, 0.7, 256 * mib), reported_three)) ==
        std::vector<std::string>{"L2", "DRAM"});
}

TEST_CASE("Sweep sizes ascend within limits in whole granules") {
  const auto sizes = sweep_sizes(reported_three, 256 * mib, 1024);
  CHECK(std::is_sorted(sizes.begin(), sizes.end()));
  CHECK(std::adjacent_find(sizes.begin(), sizes.end()) == sizes.end());
  CHECK(sizes.front() >= 8 * kib);
  CHECK(sizes.back() == 256 * mib);
  for (const double size : sizes) CHECK(std::fmod(size, 1024) == 0);
  for (std::size_t i = 1; i < sizes.size(); ++i) CHECK(sizes[i] / sizes[i - 1] < 1.3);
}

TEST_CASE("A level holds at most what is reported, unless the sweep is at the next level before") {
  const Levels found = memory_levels(
      curve(three_caches, 0.7, 512 * mib),
      {{"L1", 48 * 1024, 2, 12}, {"L2", 2 << 20, 2, 16}, {"L3", std::uint64_t{480} << 20, 1, 16}});
  REQUIRE(names(found) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  CHECK(found.levels[0].ways == 12);
  CHECK(found.levels[1].ways == 16);
  CHECK(found.levels[0].at_most == 48 * kib);
  CHECK(found.levels[1].at_most == 2 * mib);
  CHECK(*found.levels[1].capacity <= *found.levels[1].at_most);
  // 32 MiB, and a fall over 0.7 doublings
  CHECK(*found.levels[2].at_most >= 32 * mib);
  CHECK(*found.levels[2].at_most <= 1.25 * 32 * mib * std::pow(2, 0.7));
}

TEST_CASE("A reported cache without a plateau is believed where its sizes are faster than memory") {
  // what neighbours leave of 32 MiB falls over five doublings
  const std::vector<CacheStep> steps{{48 * kib, 460 * giga}, {1 * mib, 230 * giga}, {0, 17 * giga}};
  const std::vector<ReportedCache> reported{
      {"L1", 48 * 1024, 2}, {"L2", 1 << 20, 2}, {"L3", 32 << 20, 1}};
  const Levels found = memory_levels(curve(steps, 5, 512 * mib), reported);
  REQUIRE(names(found) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  CHECK(found.levels[2].at_most == 32 * mib);
  CHECK(found.evidence[2].rate > 1.25 * 17 * giga);
  CHECK(found.evidence.size() == found.levels.size());
}

TEST_CASE("Threads have caches of their own where all together are as fast as each alone") {
  CHECK(caches_apart(97e9, 190e9, 2, 42e9));
  // one cache: a good half of the lines are still found
  CHECK_FALSE(caches_apart(97e9, 105e9, 2, 42e9));
  // memory that serves both alike says nothing
  CHECK_FALSE(caches_apart(45e9, 90e9, 2, 42e9));
}

TEST_CASE("Sizes that a cache serves in part are no level, though their rate is flat") {
  const std::vector<ReportedCache> reported{
      {"L1", 48 * 1024, 2}, {"L2", 1 << 20, 2}, {"L3", 32 << 20, 1}};
  const std::vector<CacheStep> steps{{48 * kib, 490 * giga},
                                     {0.7 * mib, 241 * giga},
                                     {1.7 * mib, 143 * giga},
                                     {16 * mib, 115 * giga},
                                     {0, 42 * giga}};
  const Levels found = memory_levels(curve(steps, 0.4, 512 * mib), reported);
  REQUIRE(names(found) == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  CHECK(found.evidence[2].rate == Approx(115 * giga).epsilon(0.03));
  CHECK(*found.levels[2].capacity >= 16 * mib / 1.25);
}
