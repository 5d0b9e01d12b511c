#include <catch2/catch.hpp>

#include "roofline/rates.h"
#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

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
  const auto bound = Roofline{work, traffic, machine, restriction.threads}.bound(restriction);
  REQUIRE(bound);
  return bound->time.time.value();
}

}  // namespace

TEST_CASE("fewer threads cannot exceed their own ceilings") {
  const Machine m = two_levels();
  CHECK(seconds(flops(1), moved(1000, 0), m, {1, {}}) == Approx((1000 - 5) / 10.0));
  CHECK(seconds(flops(1), moved(1000, 0), m, {2, {}}) == Approx((1000 - 10) / 15.0));
  CHECK(seconds(flops(1e6), moved(1000, 0), m, {1, {}}) == Approx(1e6 / 100));
  const auto proof = Roofline{flops(1), moved(1000, 0), m, 1}.bound({1, {}});
  CHECK(proof->because.find("at most 1 thread at \"load 1t\"") != std::string::npos);
}

TEST_CASE("caches save what they can in every pass, those of cores that compute") {
  Traffic traffic = moved(1000, 0);
  Movement three{"three passes", "", Bytes(3000), Bytes(0)};
  three.passes = 3;
  const Machine m = two_levels();
  CHECK(seconds(flops(1), traffic, m, {1, {three}}) == Approx((3000 - 3 * 5) / 10.0));
  CHECK(seconds(flops(1), traffic, m, {2, {three}}) == Approx((3000 - 3 * 10) / 15.0));
  CHECK(seconds(flops(1), traffic, m, {1, {}}) == Approx((1000 - 5) / 10.0));
  // What is certain of one level says nothing of another.
  three.level = "L1";
  CHECK(seconds(flops(1), traffic, m, {1, {three}}) == Approx((1000 - 5) / 10.0));
  three.level = "DRAM";
  // From cold caches the first pass finds nothing.
  traffic.warm = false;
  CHECK(seconds(flops(1), traffic, m, {1, {three}}) == Approx((3000 - 2 * 5) / 10.0));
}

TEST_CASE("stores through the caches do not reach the rate of those past them") {
  Machine m = two_levels();
  m.ceilings.push_back(stream("nt store 1t", "DRAM", 0, 16, 1));
  m.ceilings.back().non_temporal = true;
  Traffic traffic = moved(0, 1000);
  traffic.warm = false;
  Movement plain{"plain", "", traffic.read, traffic.write, traffic.footprint};
  CHECK(seconds(flops(1), traffic, m, {1, {plain}}) == Approx(1000 / 16.0));
  plain.plain_stores = true;
  const auto bound = Roofline{flops(1), traffic, m, 1}.bound({1, {plain}});
  CHECK(bound->time.time.value() == Approx(1000 / 8.0));
  CHECK(bound->because.find("(plain) with at most 1 thread at \"store 1t\"") != std::string::npos);
}

TEST_CASE("what is written into a second field has no updates") {
  Machine m = two_levels();
  m.ceilings.push_back(stream("update 1t", "DRAM", 0.5, 20, 1, {}, "update"));
  Traffic traffic = moved(500, 500);
  traffic.footprint = Bytes(500);
  traffic.warm = false;
  Movement second{"second field", "", traffic.read, traffic.write};
  CHECK(seconds(flops(1), traffic, m, {1, {second}}) == Approx(1000 / 20.0));
  second.footprint = Bytes(1000);
  CHECK(seconds(flops(1), traffic, m, {1, {second}}) > 1000 / 20.0 * 1.01);
}

TEST_CASE("what is not known proves nothing") {
  const Traffic traffic = moved(1000, 0);
  Machine m = two_levels();
  // What the system reports may be the truth.
  m.levels[0].reported = 20;
  CHECK(seconds(flops(1), traffic, m, {1, {}}) == Approx((1000 - 20) / 10.0));
  // Nobody knows how large the cache is.
  m.levels[0].capacity.reset();
  m.levels[0].reported.reset();
  CHECK(seconds(flops(100), traffic, m, {1, {}}) == Approx(1));
  // A ceiling that was seen once may be reached again.
  m = two_levels();
  m.ceilings.push_back(stream("moody 1t", "DRAM", 1, 30, 1));
  m.ceilings.back().stable = false;
  CHECK(seconds(flops(1), traffic, m, {1, {}}) == Approx((1000 - 5) / 30.0));
}

TEST_CASE("the bound of all variants and that under no restriction are one") {
  Rng rng(7, 0);
  for (int i = 0; i < 200; ++i) {
    const Machine m = random_machine(rng, true);
    const Traffic traffic = moved(1e4 * rng.unit(), 1e4 * rng.unit());
    const Roofline roofline{flops(1e4 * rng.unit()), traffic, m, 2};
    CHECK(roofline.bound({2, {}})->time.time.value() == Approx(roofline.bound().time.value()));
  }
}

TEST_CASE("a theoretical peak bounds the whole traffic") {
  Machine m = plain_machine();
  m.ceilings = {stream("DRAM peak", "DRAM", 0, 20, 1, {}, "peak")};
  CHECK(seconds({}, moved(1000, 1000), m, {1, {}}) == Approx(2000 / 20.0));
}
