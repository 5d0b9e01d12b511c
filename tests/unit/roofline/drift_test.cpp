#include "roofline/drift.h"

#include <catch2/catch.hpp>

#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

Machine small_machine() {
  Machine m = plain_machine();
  m.levels = {{"L2", 50.0, std::nullopt, 1}, {"DRAM", std::nullopt, std::nullopt, 1}};
  m.ceilings = {core_ceiling("peak", 100), stream("L2 load", "L2", 1, 40),
                stream("DRAM load", "DRAM", 1, 10), stream("DRAM store", "DRAM", 0, 5),
                stream("DRAM load 2t", "DRAM", 1, 15, 2)};
  return m;
}

std::vector<Ceiling> reading(double peak, double dram) {
  return {core_ceiling("peak", 100 * peak), stream("DRAM load", "DRAM", 1, 10 * dram)};
}

}  // namespace

TEST_CASE("a slow moment takes no ceiling back, it makes its interval wide") {
  const Machine m = small_machine();
  const auto drifts = drift(m, {reading(1, 0.5), reading(0.99, 0.8)});
  REQUIRE(drifts.size() == 2);
  CHECK(drifts[1].low == Approx(0.5));
  CHECK(drifts[1].high == Approx(0.8));
  CHECK(drifts[1].sentence ==
        "DRAM load: 10.0 B/s in the machine file, 5.00 B/s (-50.0 %) at the start, 8.00 B/s (-20.0 "
        "%) at the end");
  CHECK(drifts[1].given() == Approx(0.8));
  const Machine now = as_seen(m, drifts);
  CHECK(now.ceilings[2].rate == Estimate{10, 5, 10});
  CHECK(now.ceilings[3].rate == Estimate{5, 2.5, 5});
  CHECK(now.ceilings[1].rate == m.ceilings[1].rate);
  const Roofline roofline{Work{}, moved(1000, 0), now, 1};
  CHECK(roofline.bound().time.value() == Approx((1000 - 50) / 10.0));
  CHECK(roofline.bound().high.value() == Approx((1000 - 50) / 5.0));
}

TEST_CASE("a fast moment raises what the anchor stands for, and nothing else") {
  const Machine m = small_machine();
  const Machine now = as_seen(m, drift(m, {reading(1.1, 0.9), reading(1, 1.2)}));
  CHECK(now.ceilings[0].rate.value == Approx(110));
  CHECK(now.ceilings[2].rate.value == Approx(12));
  CHECK(now.ceilings[2].rate.low == Approx(9));
  CHECK(now.ceilings[3].rate.value == Approx(6));
  CHECK(now.ceilings[3].source.text.find("20.0 % faster during the study") != std::string::npos);
  CHECK(now.ceilings[1].rate == m.ceilings[1].rate);
  CHECK(now.ceilings[4].rate == m.ceilings[4].rate);  // of another number of threads
}

TEST_CASE("what was read between trials counts as the ends do") {
  const Machine m = small_machine();
  AnchorReadings readings{reading(1, 0.9), reading(1, 1.0), reading(1, 0.8)};
  readings.between[1].rate = {8, 7, 11};
  const auto drifts = drift(m, readings);
  CHECK(drifts[1].low == Approx(0.7));
  CHECK(drifts[1].high == Approx(1.1));
  CHECK(drifts[1].sentence.find("at the end, 7.00 B/s to 11.0 B/s between trials") !=
        std::string::npos);
  CHECK(as_seen(m, drifts).ceilings[2].rate.value == Approx(11));
}

TEST_CASE("what was read beside races counts, and of several like ceilings the fastest") {
  const Machine m = small_machine();
  AnchorReadings readings{reading(1, 0.9), {}};
  readings.beside = {stream("DRAM load", "DRAM", 1, 0), stream("DRAM store", "DRAM", 0, 0)};
  readings.beside[0].rate = {15, 8, 16};
  readings.beside[1].rate = {5, 4, 6};
  const auto drifts = drift(m, readings);
  REQUIRE(drifts.size() == 3);
  CHECK_THAT(drifts[1].sentence,
             Catch::EndsWith("(-10.0 %) at the start, 8.00 B/s to 16.0 B/s beside races"));
  const Machine now = as_seen(m, drifts);
  CHECK(now.ceilings[2].rate == Estimate{16, 8, 16});
  CHECK(now.ceilings[3].rate == Estimate{8, 4, 8});
}

TEST_CASE("without readings, or with those of another machine, nothing moves") {
  CHECK(drift(small_machine(), {}).empty());
  AnchorReadings foreign;
  foreign.start = {core_ceiling("another", 3)};
  CHECK(drift(small_machine(), foreign).empty());
  AnchorReadings cut{reading(1, 0.7), {}};  // the study was killed before its end
  CHECK(drift(small_machine(), cut)[1].low == Approx(0.7));
}
