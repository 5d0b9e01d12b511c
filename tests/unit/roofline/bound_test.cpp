#include <catch2/catch.hpp>

#include "core/error.h"
#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;

TEST_CASE("the bound is the larger of work over peak and traffic over bandwidth") {
  const Machine m = plain_machine();
  const Bound memory = Roofline{flops(100), moved(20, 0), m, 1}.bound();
  CHECK(memory.time.value() == Approx(2));
  CHECK(memory.ceiling == "DRAM");
  CHECK(memory.parts.size() == 2);
  CHECK(memory.also.empty());
  const Bound compute = Roofline{flops(300), moved(20, 0), m, 1}.bound();
  CHECK(compute.time.value() == Approx(3));
  CHECK(compute.ceiling == "peak");
  CHECK(compute.source.text == "test");
}

TEST_CASE("operations on whole numbers have ceilings of their own and are no flops") {
  Machine m = plain_machine();
  m.ceilings.push_back(core_ceiling("int32 add", 50, 1, {}, "int32", "add"));
  Work work = flops(100);
  work.least["int32"] = Flops(500);
  CHECK(least_flops(work) == 100);
  const Roofline roofline{work, moved(20, 0), m, 1};
  CHECK(roofline.bound().time.value() == Approx(10));
  CHECK(roofline.bound().ceiling == "int32 add");
}

TEST_CASE("each kind of operation takes at least its time at the mix that does it fastest") {
  // Two multiply-adds and two additions per cycle, at 1 Hz: the roof is 6 flop/s.
  Machine m = plain_machine();
  m.ceilings = {core_ceiling("fma", 4, 1, {}, "fp64", "fma"),
                core_ceiling("add", 2, 1, {}, "fp64", "add"),
                core_ceiling("mul", 2, 1, {}, "fp64", "mul"),
                core_ceiling("fma_add", 6, 1, {}, "fp64", "fma_add"),
                core_ceiling("div", 0.25, 1, {}, "fp64", "div")};
  const auto seconds = [&](std::map<std::string, double> kinds) {
    Work work = flops(12);
    if (!kinds.empty()) work.operations["fp64"] = std::move(kinds);
    return Roofline{work, moved(0, 0), m, 1}.bound().time.value();
  };
  CHECK(seconds({}) == Approx(2));
  // As many multiplications as additions: six multiply-adds in three cycles.
  CHECK(seconds({{"add", 6}, {"mul", 6}}) == Approx(3));
  CHECK(seconds({{"add", 8}, {"mul", 4}}) == Approx(2));
  CHECK(seconds({{"add", 12}}) == Approx(3));
  CHECK(seconds({{"add", 5}, {"mul", 5}, {"div", 2}}) == Approx(8));
  // Nobody measured a square root: nothing follows.
  CHECK(seconds({{"sqrt", 12}}) == Approx(2));
  // A mix that is not known may do any kind at its rate.
  m.ceilings.push_back(core_ceiling("some loop", 5, 1, {}, "fp64", "verify"));
  CHECK(seconds({{"add", 6}, {"mul", 6}}) == Approx(2));
}

TEST_CASE("a kernel without flops has a bound") {
  CHECK(Roofline{Work{}, moved(5, 5), plain_machine(), 1}.bound().time.value() == Approx(1));
}

TEST_CASE("two ceilings within their intervals are both named") {
  Machine m = plain_machine();
  m.ceilings[0].rate = around(100, 0.05);
  const Bound b = Roofline{flops(200), moved(19.5, 0), m, 1}.bound();
  CHECK(b.ceiling == "peak");
  REQUIRE(b.also.size() == 1);
  CHECK(b.also[0] == "DRAM");
  CHECK(b.low.value() == Approx(1.95));  // DRAM holds even where the peak is at its fastest
  CHECK(b.high.value() == Approx(2 / 0.95));
}

TEST_CASE("what was seen once bounds, whatever its other windows did") {
  Machine m = plain_machine();
  Ceiling moody = stream("moody", "DRAM", 1, 12);
  moody.stable = false;
  Ceiling far = stream("far", "DRAM", 1, 1000);
  far.remote = true;
  Ceiling shown = stream("data sheet", "DRAM", 1, 1000);
  shown.shown_only = true;
  m.ceilings.insert(m.ceilings.end(), {moody, far, shown});
  const Bound bound = Roofline{flops(1), moved(24, 0), m, 1}.bound();
  CHECK(bound.time.value() == Approx(2));
  CHECK(bound.ceiling == "moody");
}

TEST_CASE("strided and random access are no streams") {
  Machine m = plain_machine();
  m.ceilings.push_back(stream("random", "DRAM", 1, 1000, 1, {}, "random"));
  Ceiling strided = stream("strided", "DRAM", 1, 1000);
  strided.stride = 64;
  m.ceilings.push_back(strided);
  CHECK(Roofline{flops(1), moved(20, 0), m, 1}.bound().time.value() == Approx(2));
}

TEST_CASE("of what is moved the part with a measured mix that takes longest decides") {
  Machine m = plain_machine();
  m.ceilings = {stream("store", "DRAM", 0, 5), stream("copy", "DRAM", 0.5, 8),
                stream("copy nt", "DRAM", 0.5, 9), stream("load", "DRAM", 1, 12)};
  CHECK(Roofline{Work{}, moved(30, 10), m, 1}.bound().ceiling == "load");
  CHECK(Roofline{Work{}, moved(30, 10), m, 1}.bound().time.value() == Approx(30 / 12.0));
  CHECK(Roofline{Work{}, moved(10, 10), m, 1}.bound().ceiling == "copy nt");
  // 18 + 18 B copied, or 22 B stored: the latter takes longer.
  CHECK(Roofline{Work{}, moved(18, 22), m, 1}.bound().ceiling == "store");
  CHECK(Roofline{Work{}, moved(18, 22), m, 1}.bound().time.value() == Approx(22 / 5.0));
}

TEST_CASE("a memory that reads and writes at once is faster between two mixes than at either") {
  // 20 B/s read, 4 B/s written, at the same time: 24 B/s at five reads to a write.
  Machine m = plain_machine();
  m.ceilings = {stream("store", "DRAM", 0, 4), stream("copy", "DRAM", 0.5, 8),
                stream("triad", "DRAM", 2.0 / 3, 12), stream("load", "DRAM", 1, 20)};
  CHECK(Roofline{Work{}, moved(20, 4), m, 1}.bound().time.value() == Approx(1));
  // Warm, of 30 + 6 B half may stay in a cache of 18 B: whichever half, no mix moves the rest
  // faster.
  m.levels = {{"L1", 18.0, {}, 1}, {"DRAM", {}, {}, 1}};
  const Bound bound = Roofline{Work{}, moved(30, 6), m, 1}.bound();
  CHECK(bound.time.value() == Approx(18 / 24.0));
}

TEST_CASE("what a small cache keeps changes the mix only a little") {
  Machine m = plain_machine();
  m.levels = {{"L1", 6.0, {}, 1}, {"DRAM", {}, {}, 1}};
  m.ceilings = {stream("copy", "DRAM", 0.5, 60), stream("triad", "DRAM", 2.0 / 3, 63),
                stream("load", "DRAM", 1, 54)};
  // Of 266 + 134 B the 394 B that cross have a share of reads from 0.660 to 0.675. At the latter
  // writing 21 B/s, as the triad does, is what limits; 21 + 54 B/s at once would need 0.72.
  const Bound bound = Roofline{Work{}, moved(266, 134), m, 1}.bound();
  CHECK(bound.ceiling == "triad");
  CHECK(bound.time.value() == Approx((134 - 6) / 21.0));
}

TEST_CASE("a part of the traffic that takes longer than the whole by its mix decides") {
  Machine m = plain_machine();
  m.ceilings = {stream("copy", "DRAM", 0.5, 30), stream("load", "DRAM", 1, 16)};
  // All 20 B at the copy's rate would take 0.67 s, but reading 18 B alone takes 18/16 s.
  const Bound b = Roofline{Work{}, moved(18, 2), m, 1}.bound();
  CHECK(b.ceiling == "load");
  CHECK(b.time.value() == Approx(18 / 16.0));
}

TEST_CASE("what one mix demonstrates holds for another") {
  Machine m = plain_machine();
  // Copying at 30 B/s shows that 15 B/s can be read, whatever the load kernel reached.
  m.ceilings = {stream("copy", "DRAM", 0.5, 30), stream("load", "DRAM", 1, 10)};
  CHECK(Roofline{Work{}, moved(30, 0), m, 1}.bound().time.value() == Approx(2));
  CHECK(Roofline{Work{}, moved(30, 0), m, 1}.bound().ceiling == "copy");
}

TEST_CASE("updates say nothing about a copy, and bound whatever works in place") {
  Machine m = plain_machine();
  m.ceilings = {stream("load", "DRAM", 1, 34), stream("copy", "DRAM", 0.5, 42),
                stream("triad", "DRAM", 2.0 / 3, 45),
                stream("update", "DRAM", 0.5, 62, 1, {}, "update")};
  CHECK(Roofline{Work{}, moved(8, 8), m, 1}.bound().ceiling == "copy");
  Traffic in_place = moved(8, 8);
  in_place.footprint = Bytes(8);
  CHECK(Roofline{Work{}, in_place, m, 1}.bound().ceiling == "update");
  CHECK(Roofline{Work{}, in_place, m, 1}.bound().time.value() == Approx(16 / 62.0));
  // y += a x: a load and an update one after the other reach 24 B in 8/34 + 16/62 s, more than a
  // triad does, so that the triad is no limit; reading both arrays is.
  Traffic euler = moved(16, 8);
  euler.footprint = Bytes(16);
  const Bound b = Roofline{Work{}, euler, m, 1}.bound();
  CHECK(b.ceiling == "load");
  CHECK(b.time.value() == Approx(16 / 34.0));
  CHECK(b.time.value() < 8 / 34.0 + 16 / 62.0);
}

TEST_CASE("a theoretical peak holds for every mix") {
  Machine m = plain_machine();
  m.ceilings = {stream("peak", "DRAM", 1, 20, 1, {}, "peak"), stream("triad", "DRAM", 2.0 / 3, 15)};
  for (const double read : {0.0, 10.0, 16.0, 20.0})
    CHECK(Roofline{Work{}, moved(read, 20 - read), m, 1}.bound().time.value() == Approx(1));
}

TEST_CASE("rates of the threads that a study may use") {
  Machine m = plain_machine();
  m.ceilings = {stream("1t", "DRAM", 1, 10, 1), stream("2t", "DRAM", 1, 18, 2),
                stream("4t", "DRAM", 1, 30, 4)};
  const auto binding = [&](int threads) {
    return Roofline{Work{}, moved(9, 0), m, threads}.bound().ceiling;
  };
  CHECK(binding(1) == "1t");
  CHECK(binding(2) == "2t");
  CHECK(binding(3) == "4t");  // more threads over-estimate: sound
  CHECK(binding(64) == "4t");
}

TEST_CASE("a study with two threads may run on one: the faster of both counts") {
  Machine m = plain_machine();
  m.ceilings = {stream("1t", "DRAM", 1, 20, 1), stream("2t", "DRAM", 1, 18, 2)};
  CHECK(Roofline{Work{}, moved(9, 0), m, 2}.bound().ceiling == "1t");
}

TEST_CASE("a level measured with fewer threads only is left out, and said so") {
  Machine m = plain_machine();
  m.ceilings = {core_ceiling("core 2t", 100, 2), stream("1t", "DRAM", 1, 10, 1)};
  const Bound b = Roofline{flops(100), moved(1000, 0), m, 2}.bound();
  CHECK(b.time.value() == Approx(1));
  REQUIRE(b.missing.size() == 1);
  CHECK(b.missing[0] == "DRAM traffic");
}

TEST_CASE("warm data inside a cache does not cross the next level") {
  Machine m = plain_machine();
  m.levels = {{"L1", 10.0, std::nullopt, 2}, {"L2", 100.0, std::nullopt, 1}, {"DRAM", {}, {}, 1}};
  const auto at = [&](const char* level, const Traffic& traffic, int threads) {
    const LevelTraffic moved_bytes = Roofline{Work{}, traffic, m, threads}.least_traffic(level);
    return std::pair(moved_bytes.read.value(), moved_bytes.write.value());
  };
  using Pair = std::pair<double, double>;
  const auto total = [&](const char* level, const Traffic& traffic, int threads) {
    return Roofline{Work{}, traffic, m, threads}.least_traffic(level).total().value();
  };
  CHECK(at("L1", moved(150, 30), 2) == Pair(150, 30));
  CHECK(at("L2", moved(150, 30), 2) == Pair(130, 10));
  CHECK(total("L2", moved(150, 30), 2) == 160);         // 20 B stay, read or written
  CHECK(at("L2", moved(150, 30), 1) == Pair(140, 20));  // the other core's L1 is idle
  CHECK(at("DRAM", moved(150, 30), 2) == Pair(30, 0));  // caches may exclude each other
  CHECK(total("DRAM", moved(150, 30), 2) == 60);
  CHECK(at("DRAM", moved(90, 90), 2) == Pair(0, 0));
  CHECK(total("DRAM", moved(90, 90), 2) == 60);
  CHECK(at("DRAM", moved(90, 90, false), 2) == Pair(90, 90));
  // What is read and written saves both transfers.
  Traffic in_place = moved(150, 150);
  in_place.footprint = Bytes(150);
  CHECK(at("DRAM", in_place, 2) == Pair(30, 30));
  CHECK(total("DRAM", in_place, 2) == 60);
  CHECK(Roofline{Work{}, moved(150, 30), m, 2}.least_traffic("L2").read.value() == 130);
  CHECK_THROWS_AS((Roofline{Work{}, moved(1, 1), m, 2}.least_traffic("L9")), Error);
}

TEST_CASE("a cache holds what it is said to hold, unless the sweep says far less") {
  MemoryLevel level{"L3", 10.0, 32.0, 1};
  CHECK(Machine::most_held(level) == 32);
  level.reported = 400.0;  // the host's, of which a guest owns a part
  CHECK(Machine::most_held(level) == 10);
  level.capacity.reset();
  CHECK(Machine::most_held(level) == 400);
}

TEST_CASE("in-cache work is held against the cache, not against memory") {
  Machine m = plain_machine();
  m.levels = {{"L1", 100.0, std::nullopt, 1}, {"DRAM", {}, {}, 1}};
  m.ceilings.push_back(stream("L1", "L1", 1, 50));
  CHECK(Roofline{flops(1), moved(80, 0), m, 1}.bound().ceiling == "L1");
  CHECK(Roofline{flops(1), moved(80, 0, false), m, 1}.bound().ceiling == "DRAM");
}

TEST_CASE("no ceiling that applies is an error that says what is missing") {
  Machine m = plain_machine();
  m.ceilings = {core_ceiling("peak", 100)};
  CHECK_THROWS_WITH((Roofline{Work{}, moved(10, 0), m, 1}.bound()),
                    Catch::Contains("DRAM traffic"));
  CHECK_THROWS_WITH((Roofline{Work{}, moved(0, 0), m, 1}.bound()),
                    Catch::Contains("no floating-point work"));
  Work single;
  single.least["fp32"] = Flops(5);
  CHECK_THROWS_WITH((Roofline{single, moved(0, 0), m, 1}.bound()), Catch::Contains("fp32 work"));
}

TEST_CASE("the time at one ceiling") {
  Machine m = plain_machine();
  m.ceilings[0].rate = around(100, 0.1);
  const auto time = Roofline{flops(200), moved(10, 0), m, 1}.time_at(m.ceilings[0]);
  REQUIRE(time);
  CHECK(time->time.value() == Approx(2));
  CHECK(time->low.value() == Approx(200 / 110.0));
  CHECK(time->high.value() == Approx(200 / 90.0));
  CHECK(time->level == "fp64");
  CHECK_FALSE(Roofline{Work{}, moved(10, 0), m, 1}.time_at(m.ceilings[0]));
  CHECK_FALSE(Roofline{flops(1), moved(0, 0), m, 1}.time_at(m.ceilings[1]));
  CHECK_FALSE(Roofline{flops(1), moved(1, 0), m, 1}.time_at(stream("x", "L5", 1, 1)));
}
