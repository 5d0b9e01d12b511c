#include <catch2/catch.hpp>

#include "roofline/rates.h"
#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

constexpr double faster = 1 + rate_margin;

/// 100 and 200 flop/s; DRAM 10 and 15 B/s; a cache of 5 B for each of two cores.
Machine two_levels() {
  Machine m = plain_machine();
  m.levels = {{"L1", 5.0, std::nullopt, 2}, {"DRAM", std::nullopt, std::nullopt, 1}};
  m.ceilings = {core_ceiling("peak 1t", 100, 1),     core_ceiling("peak 2t", 200, 2),
                stream("load 1t", "DRAM", 1, 10, 1), stream("load 2t", "DRAM", 1, 15, 2),
                stream("store 1t", "DRAM", 0, 8, 1), stream("store 2t", "DRAM", 0, 9, 2)};
  return m;
}

double seconds(const Work& work, const Traffic& traffic, const Machine& machine,
               const Restriction& restriction) {
  const auto least = Roofline{work, traffic, machine, restriction.threads}.least_time(restriction);
  REQUIRE(least);
  return least->time.value();
}

}  // namespace

TEST_CASE("fewer threads cannot exceed their own ceilings, taken faster than measured") {
  const Machine m = two_levels();
  CHECK(seconds(flops(1), moved(1000, 0), m, {1, {}}) == Approx((1000 - 5) / 10.0 / faster));
  CHECK(seconds(flops(1), moved(1000, 0), m, {2, {}}) == Approx((1000 - 10) / 15.0 / faster));
  CHECK(seconds(flops(1e6), moved(1000, 0), m, {1, {}}) == Approx(1e6 / 100 / faster));
  const auto proof = Roofline{flops(1), moved(1000, 0), m, 1}.least_time({1, {}});
  CHECK(proof->because.find("at most 1 thread at \"load 1t\"") != std::string::npos);
}

TEST_CASE("caches save what they can in every pass, those of cores that compute") {
  Traffic traffic = moved(1000, 0);
  traffic.walls = {{"three passes", Paradigm::capacity, "", Bytes(3000), Bytes(0)}};
  const Machine m = two_levels();
  CHECK(seconds(flops(1), traffic, m, {1, {"three passes"}}) ==
        Approx((3000 - 3 * 5) / 10.0 / faster));
  CHECK(seconds(flops(1), traffic, m, {2, {"three passes"}}) ==
        Approx((3000 - 3 * 10) / 15.0 / faster));
  // Who does not stand in front of it need not move that much; unknown names mean nothing.
  CHECK(seconds(flops(1), traffic, m, {1, {"another"}}) == Approx((1000 - 5) / 10.0 / faster));
  // From cold caches the first pass finds nothing.
  traffic.warm = false;
  CHECK(seconds(flops(1), traffic, m, {1, {"three passes"}}) ==
        Approx((3000 - 2 * 5) / 10.0 / faster));
}

TEST_CASE("what is not known proves nothing") {
  const Traffic traffic = moved(1000, 0);
  Machine m = two_levels();
  // What the system reports may be the truth.
  m.levels[0].reported = 20;
  CHECK(seconds(flops(1), traffic, m, {1, {}}) == Approx((1000 - 20) / 10.0 / faster));
  // Nobody knows how large the cache is.
  m.levels[0].capacity.reset();
  m.levels[0].reported.reset();
  CHECK(seconds(flops(100), traffic, m, {1, {}}) == Approx(1 / faster));
  // A ceiling that was seen once may be reached again.
  m = two_levels();
  m.ceilings.push_back(stream("moody 1t", "DRAM", 1, 30, 1));
  m.ceilings.back().stable = false;
  CHECK(seconds(flops(1), traffic, m, {1, {}}) == Approx((1000 - 5) / 30.0 / faster));
}

TEST_CASE("a bound and a least time are one notion, but for the margin") {
  Rng rng(7, 0);
  for (int i = 0; i < 200; ++i) {
    const Machine m = random_machine(rng, true);
    const Traffic traffic = moved(1e4 * rng.unit(), 1e4 * rng.unit());
    const Roofline roofline{flops(1e4 * rng.unit()), traffic, m, 2};
    CHECK(roofline.least_time({2, {}})->time.value() * faster ==
          Approx(roofline.bound().low.value()));
  }
}

TEST_CASE("a theoretical peak bounds the whole traffic") {
  Machine m = plain_machine();
  m.ceilings = {stream("DRAM peak", "DRAM", 0, 20, 1, {}, "peak")};
  CHECK(seconds({}, moved(1000, 1000), m, {1, {}}) == Approx(2000 / 20.0 / faster));
}
