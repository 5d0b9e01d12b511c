#include "roofline/counts.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "roofline/contradiction.h"
#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;
using Catch::Contains;

namespace {

Counts full_counts() {
  Counts counts;
  counts.provider = "perf";
  counts.operations["fp64"] = {{"fma", Estimate::exact(40)}, {"add", {20, 19, 22}}};
  counts.operations_source = {Source::Kind::counted, "FP_ARITH", "2026-11-21"};
  counts.loads = AccessCount{Estimate::exact(7), Estimate::exact(56)};
  counts.access_source = {Source::Kind::counted, "MEM_INST", {}};
  counts.traffic["DRAM"] = {{30, 28, 33}, Estimate::exact(10), {Source::Kind::counted, "CAS", {}}};
  counts.notes = {"scaled from 80 % of the time"};
  counts.flags = {"something is odd"};
  return counts;
}

}  // namespace

TEST_CASE("an fma is two flops, everything else one") {
  const Counts counts = full_counts();
  CHECK(flops(counts, "fp64").value == 100);
  CHECK(flops(counts, "fp64").low == 99);
  CHECK(flops(counts, "fp64").high == 102);
  CHECK(flops(counts, "fp32").value == 0);
  CHECK(flops(counts)->value == 100);
  CHECK_FALSE(flops(Counts{}));
}

TEST_CASE("counts survive JSON with intervals, sources, and figures that are no numbers") {
  Counts counts = full_counts();
  counts.traffic["L2"] = {Estimate::exact(HUGE_VAL), Estimate::exact(-1), {}};
  const Counts again = decoded<Counts>(parse_json(to_json(counts).dump(), "test"), "test");
  CHECK(to_json(again) == to_json(counts));
  CHECK(again.operations.at("fp64").at("add").high == 22);
  CHECK(again.operations_source.date == "2026-11-21");
  CHECK(std::isinf(again.traffic.at("L2").read.value));
  CHECK_FALSE(again.stores);
}

TEST_CASE("malformed counts name the place") {
  Json json = to_json(full_counts());
  json["traffic"]["DRAM"]["read"] = "many";
  CHECK_THROWS_WITH(decoded<Counts>(json, "file"), Contains("file: /traffic/DRAM/read"));
  json = to_json(full_counts());
  json.erase("provider");
  CHECK_THROWS_WITH(decoded<Counts>(json, "file"), Contains("provider"));
}

TEST_CASE("what cannot be true is named, not changed") {
  const Machine machine = plain_machine();  // 100 flop/s, 10 B/s at DRAM
  CHECK(impossible_counts(full_counts(), machine, Estimate::exact(10)).empty());
  CHECK_FALSE(is_empty(full_counts()));
  CHECK(is_empty(Counts{}));
  const auto fast = impossible_counts(full_counts(), machine, Estimate::exact(0.5));
  REQUIRE(fast.size() == 2);
  CHECK_THAT(fast[0], Contains("fp64 above the roof"));
  CHECK_THAT(fast[1], Contains("DRAM above the roof"));
  Counts counts = full_counts();
  counts.loads->bytes = Estimate::exact(-8);
  CHECK_THAT(impossible_counts(counts, machine, Estimate::exact(10)).at(0),
             Contains("is negative"));
  counts.loads->bytes = Estimate::exact(std::ldexp(1.0, 64));
  CHECK_THAT(impossible_counts(counts, machine, Estimate::exact(10)).at(0), Contains("overflowed"));
  counts.loads->bytes = Estimate::exact(std::nan(""));
  CHECK_THAT(impossible_counts(counts, machine, Estimate::exact(10)).at(0),
             Contains("is no number"));
  CHECK_THAT(impossible_counts(Counts{}, machine, Estimate::exact(10)).at(0),
             Contains("nothing at all"));
}

TEST_CASE("two sources that differ beyond tolerance and interval are told apart by name") {
  const Counts one = full_counts();
  Counts other = full_counts();
  other.provider = "instrumented";
  CHECK(disagreements(one, other, 0.05).empty());
  other.traffic["DRAM"].read = Estimate::exact(60);
  const auto found = disagreements(one, other, 0.05);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Contains("DRAM bytes read: 30 (perf) against 60 (instrumented)"));
}

TEST_CASE("the first source of a figure wins, missing figures come from the next") {
  Counts first = full_counts(), second = full_counts();
  first.traffic.clear();
  second.provider = "instrumented";
  second.operations["fp64"]["fma"] = Estimate::exact(1);
  const Counts both = combined({first, second});
  CHECK(both.provider == "perf and instrumented");
  CHECK(both.operations.at("fp64").at("fma").value == 40);
  CHECK(both.traffic.count("DRAM") == 1);
}

TEST_CASE("less than the least contradicts the manifest") {
  const Machine machine = plain_machine();
  CHECK(below_least(Roofline{flops(100), moved(30, 10), machine, 1}, full_counts(), 0.02).empty());
  const auto found =
      below_least(Roofline{flops(200), moved(90, 10), machine, 1}, full_counts(), 0.02);
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0], Contains("flops: 102 were counted (counted), the kernel declares 200"));
  CHECK_THAT(found[1], Contains("DRAM bytes: 43 were counted (counted)"));
}
