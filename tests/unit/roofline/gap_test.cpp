#include <catch2/catch.hpp>

#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

struct Case {
  Machine machine = plain_machine();  // 100 flop/s, 10 B/s
  Work work = flops(100);
  Traffic traffic = moved(20, 0);
  Gap of(const Estimate& seconds, const std::optional<Counts>& counts = {}) const {
    return Roofline{work, traffic, machine, 1}.gap(seconds, counts ? &*counts : nullptr,
                                                   "no counters here");
  }
};

Counts counted(std::optional<double> executed, std::optional<double> read) {
  Counts result;
  result.provider = "perf";
  if (executed) result.operations["fp64"]["flop"] = Estimate::exact(*executed);
  if (read) result.traffic["DRAM"] = {Estimate::exact(*read), Estimate::exact(0), {}};
  return result;
}

}  // namespace

TEST_CASE("the gap is time over bound, with the interval of both") {
  Case c;
  c.machine.ceilings[1].rate = around(10, 0.1);
  const Gap g = c.of({4, 3.8, 4.4});
  CHECK(g.total.value == Approx(2));
  CHECK(g.total.low == Approx(3.8 / (20 / 9.0)));
  CHECK(g.total.high == Approx(4.4 / (20 / 11.0)));
  CHECK_FALSE(g.above_roof);
}

TEST_CASE("without counters the factors are absent and the reason is kept") {
  const Gap g = Case().of(Estimate::exact(4));
  CHECK_FALSE(g.work);
  CHECK_FALSE(g.traffic);
  CHECK_FALSE(g.rate);
  CHECK(g.unknown_because == "no counters here");
}

TEST_CASE("where memory binds, more flops cost nothing until they bind") {
  const Case c;  // bound 2 s by memory; 100 flops take 1 s
  const Gap little = c.of(Estimate::exact(6), counted(150, 30));
  CHECK(*little.work == Approx(1));
  CHECK(*little.traffic == Approx(1.5));
  CHECK(*little.rate == Approx(2));
  const Gap much = c.of(Estimate::exact(6), counted(400, 30));
  CHECK(*much.work == Approx(2));
  CHECK(*much.traffic == Approx(1));
  CHECK(*much.rate == Approx(1.5));
  CHECK(much.unknown_because.empty());
}

TEST_CASE("where the core binds, the work factor is executed over least flops") {
  Case c;
  c.work = flops(500);
  const Gap g = c.of(Estimate::exact(12), counted(750, 20));
  CHECK(*g.work == Approx(1.5));
  CHECK(*g.traffic == Approx(1));
  CHECK(*g.rate == Approx(12 / 7.5));
}

TEST_CASE("executed operations are held against the rates of their own kinds") {
  Case c;
  c.machine.ceilings.push_back(core_ceiling("add", 40, 1, {}, "fp64", "add"));
  c.work = flops(500);
  Counts counts = counted({}, 20);
  counts.operations["fp64"]["fma"] = Estimate::exact(100);
  counts.operations["fp64"]["add"] = Estimate::exact(400);
  // 600 flops take 6 s at the peak, for the least 5 s whatever its kinds.
  const Gap alike = c.of(Estimate::exact(12), counts);
  CHECK(*alike.work == Approx(1.2));
  CHECK(*alike.rate == Approx(2));
  // 500 additions, of which a multiply-add is one, take 10 s at 50 of the multiply-adds' 100
  // flop/s.
  c.work.operations["fp64"] = {{"add", 250}, {"mul", 250}};
  const Gap g = c.of(Estimate::exact(12), counts);
  CHECK(*g.work == Approx(2));
  CHECK(*g.rate == Approx(1.2));
}

TEST_CASE("a factor that was not counted is absent, and so is the rest") {
  const Case c;
  const Gap no_flops = c.of(Estimate::exact(6), counted({}, 30));
  CHECK_FALSE(no_flops.work);
  CHECK(*no_flops.traffic == Approx(1.5));
  CHECK_FALSE(no_flops.rate);
  CHECK(no_flops.unknown_because == "executed flops were not counted");
  const Gap no_traffic = c.of(Estimate::exact(6), counted(150, {}));
  CHECK(*no_traffic.work == Approx(1));
  CHECK_FALSE(no_traffic.traffic);
  CHECK_FALSE(no_traffic.rate);
  CHECK(no_traffic.unknown_because == "DRAM traffic was not counted");
}

TEST_CASE("traffic counted at another level than the one that binds says nothing") {
  Case c;
  c.machine.levels.insert(c.machine.levels.begin(), MemoryLevel{"L1", 1.0, {}, 1});
  c.machine.ceilings.push_back(stream("L1", "L1", 1, 1000));
  Counts inner = counted(100, {});
  inner.traffic["L1"] = {Estimate::exact(80), Estimate::exact(0), {}};
  const Gap g = c.of(Estimate::exact(6), inner);
  CHECK_FALSE(g.traffic);
  CHECK(g.unknown_because == "DRAM traffic was not counted");
}

TEST_CASE("executed flops of a kernel that declares none cannot be held against anything") {
  Case c;
  c.work = Work{};
  CHECK_FALSE(c.of(Estimate::exact(6), counted(10, 30)).work);
  const Gap none = c.of(Estimate::exact(6), counted(0, 30));
  CHECK(*none.work == Approx(1));
  CHECK(*none.rate == Approx(2));
}

TEST_CASE("faster than the roof beyond the interval is reported and not clamped") {
  const Case c;
  const Gap above = c.of({1.5, 1.4, 1.6});
  CHECK(above.above_roof);
  CHECK(above.total.value == Approx(0.75));
  CHECK_FALSE(c.of({1.9, 1.8, 2.1}).above_roof);
}

TEST_CASE("counted flops leave the least work on whole numbers as it is") {
  Case c;
  c.machine.ceilings.push_back(core_ceiling("int32 add", 50, 1, {}, "int32", "add"));
  c.work.least["int32"] = Flops(500);  // 10 s
  const Gap g = c.of(Estimate::exact(20), counted(150, 20));
  CHECK(g.total.value == Approx(2));
  CHECK(*g.work == Approx(1));
  CHECK(*g.rate == Approx(2));
}
