// Flags that the reader sees: a rate factor below 1, and sources that disagree.
#include "roofline/contradiction.h"

#include <catch2/catch.hpp>

#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;
using Catch::Contains;

namespace {

/// 100 flop/s; an L2 of 16 B inside a DRAM of 10 B/s.
Machine cached_machine() {
  Machine machine = plain_machine();
  machine.levels.insert(machine.levels.begin(), MemoryLevel{"L2", 16.0, {}, 1});
  machine.ceilings.push_back(stream("L2", "L2", 1, 40));
  return machine;
}

Counts counted(Source::Kind kind, const Estimate& read, double executed = 100) {
  Counts counts;
  counts.provider = "somebody";
  counts.operations["fp64"]["flop"] = Estimate::exact(executed);
  counts.operations_source = {Source::Kind::instrumented, "one by one", {}};
  counts.traffic["DRAM"] = {read, Estimate::exact(0), {kind, "as told", {}}};
  return counts;
}

}  // namespace

TEST_CASE("a call that is faster than its counted traffic allows is flagged with all figures") {
  const Machine machine = cached_machine();
  const Counts counts = counted(Source::Kind::modelled, Estimate::exact(100));
  const auto found =
      faster_than_counted(Roofline{flops(10), moved(60, 0), machine, 1}, {7, 6.9, 7.2}, counts);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Contains("but its DRAM traffic of 100"));
  CHECK_THAT(found[0], Contains("(modelled) takes at least 10.0 s at \"DRAM\""));
  CHECK_THAT(found[0], Contains("a call took 7.00 s [6.90 s, 7.20 s]"));
  CHECK_THAT(found[0], Contains("the caches may keep more"));
  CHECK_THAT(found[0], Contains("tune probe --full"));
}

TEST_CASE("within the intervals of time, counts and ceilings nothing is flagged") {
  Machine machine = cached_machine();
  const Counts exact = counted(Source::Kind::modelled, Estimate::exact(100));
  const auto flagged = [&](const Estimate& seconds, const Counts& counts) {
    return faster_than_counted(Roofline{flops(10), moved(60, 0), machine, 1}, seconds, counts)
        .size();
  };
  CHECK(flagged({9.5, 9.0, 9.9}, exact) == 1);
  CHECK(flagged({9.5, 9.0, 10.1}, exact) == 0);
  CHECK(flagged({9.5, 9.0, 9.9}, counted(Source::Kind::modelled, {100, 90, 110})) == 0);
  machine.ceilings[1].rate = around(10, 0.1);
  CHECK(flagged({9.5, 9.0, 9.9}, exact) == 0);
}

TEST_CASE("what probably is wrong follows from who counted") {
  const Machine machine = cached_machine();
  const auto first = [&](const Counts& counts, double seconds) {
    return faster_than_counted(Roofline{flops(10), moved(60, 0), machine, 1},
                               Estimate::exact(seconds), counts)
        .at(0);
  };
  CHECK_THAT(first(counted(Source::Kind::counted, Estimate::exact(100)), 7),
             Contains("traffic of others on this socket"));
  Counts busy = counted(Source::Kind::counted, Estimate::exact(1), 1000);
  CHECK_THAT(first(busy, 7), Contains("1000 fp64 flops"));
  CHECK_THAT(first(busy, 7), Contains("the operations were counted one by one"));
  busy.operations_source.kind = Source::Kind::counted;
  CHECK_THAT(first(busy, 7), Contains("were masked"));
}

TEST_CASE("declaration and providers are held against each other in one place") {
  const Machine machine = cached_machine();
  const auto all = [&](const std::vector<Counts>& counts, double seconds) {
    return contradictions(Roofline{flops(100), moved(60, 0), machine, 1}, Estimate::exact(seconds),
                          counts);
  };
  Counts one = counted(Source::Kind::modelled, Estimate::exact(60));
  CHECK(all({}, 20).empty());
  CHECK(all({one}, 20).empty());
  Counts less = counted(Source::Kind::counted, Estimate::exact(30), 50);
  less.provider = "another";
  const auto found = all({less}, 20);
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0], Contains("flops: 50 were counted (instrumented)"));
  CHECK_THAT(found[0], Contains("declares 100 as the least"));
  CHECK_THAT(found[1], Contains("DRAM bytes: 30 were counted (counted)"));
  const auto differing = all({one, less}, 20);
  REQUIRE(differing.size() == 2);
  CHECK_THAT(differing[0], Contains("flops: 100 (somebody) against 50 (another)"));
  CHECK_THAT(differing[1], Contains("DRAM bytes read: 60 (somebody) against 30 (another)"));
  // A figure that is none is named, and nothing is derived from it.
  one.traffic["DRAM"].read = Estimate::exact(-5);
  REQUIRE_FALSE(all({one}, 1e-3).empty());
  CHECK_THAT(all({one}, 1e-3).front(), Contains("is negative"));
}

TEST_CASE("a declaration that forgets work, or a factor of it, is told") {
  const Machine machine = cached_machine();
  const auto found = [&](const Work& work, double executed, double seconds = 7) {
    return forgotten(Roofline{work, moved(60, 0), machine, 1}, Estimate::exact(seconds),
                     counted(Source::Kind::modelled, Estimate::exact(60), executed));
  };
  CHECK(found(flops(100), 100).empty());
  CHECK(found(flops(100), 130).empty());
  CHECK_THAT(found(flops(100), 200).at(0),
             Contains("2 times the 100 flop that the kernel declares"));
  CHECK_THAT(found(Work{}, 200).at(0), Contains("declares none: its bound leaves them out"));
  Work work = flops(100);
  work.partial = true;
  CHECK(found(work, 200).empty());
  // Any other variant may do work twice on purpose.
  CHECK(contradictions(Roofline{flops(100), moved(60, 0), machine, 1}, Estimate::exact(7),
                       {counted(Source::Kind::modelled, Estimate::exact(60), 200)})
            .empty());
  // An index here and there is no work.
  CHECK(found(Work{}, 1, 700).empty());
}

TEST_CASE("a baseline that touches more bytes than declared tells of a wrong declaration") {
  const Machine machine = cached_machine();
  const auto told = [&](const Traffic& traffic, const Counts& counts) {
    return forgotten(Roofline{Work{}, traffic, machine, 1}, Estimate::exact(1e9), counts);
  };
  const auto found = [&](double read, double written, double declared_read, double declared_write) {
    Counts counts = counted(Source::Kind::modelled, Estimate::exact(60));
    counts.access_source = {Source::Kind::instrumented, "the trace", {}};
    counts.details[bytes_read_first] = Estimate::exact(read);
    counts.details[bytes_left_written] = Estimate::exact(written);
    return told(moved(declared_read, declared_write), counts);
  };
  CHECK(found(16, 8, 16, 8).empty());
  CHECK(found(17, 8, 16, 8).empty());   // a border
  CHECK(found(16, 8, 32, 16).empty());  // below_least() tells that
  REQUIRE(found(16, 8, 8, 8).size() == 1);
  CHECK_THAT(found(16, 8, 8, 8)[0], Contains("the baseline reads 16"));
  CHECK_THAT(found(16, 8, 8, 8)[0], Contains("declares 8"));
  CHECK_THAT(found(16, 8, 16, 4).at(0), Contains("the baseline writes 8"));
  REQUIRE(found(16, 8, 0, 0).size() == 2);
  CHECK_THAT(found(16, 8, 0, 0)[0], Contains("the kernel declares none"));
  CHECK(told(moved(0, 0), {}).empty());
  // Behind a wall of its format, but not of its stores.
  Counts counts = counted(Source::Kind::modelled, Estimate::exact(60));
  counts.details[bytes_read_first] = Estimate::exact(16);
  Traffic traffic = moved(8, 0);
  traffic.walls = {{"write allocate", Paradigm::write_allocate, "", Bytes(16), Bytes(0)}};
  CHECK(told(traffic, counts).size() == 1);
  traffic.walls.push_back({"wide columns", Paradigm::compulsory, "", Bytes(14), Bytes(0)});
  CHECK(told(traffic, counts).empty());
}
