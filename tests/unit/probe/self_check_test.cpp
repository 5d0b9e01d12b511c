// Tests that impossible figures are found, and that what one figure shows raises those above it.
#include "probe/self_check.h"

#include <catch2/catch.hpp>

#include "support/named_ceiling.h"

using namespace rooftune;
using namespace rooftune;
using rooftune::test::named;

namespace {

Ceiling in_core(const std::string& name, const std::string& precision, int threads, double rate,
                double clock = 3.393e9) {
  Ceiling ceiling;
  ceiling.name = name;
  ceiling.kind = Ceiling::Kind::in_core;
  ceiling.precision = precision;
  ceiling.mix = "fma";
  ceiling.simd_bits = 512;
  ceiling.ilp = 12;
  ceiling.threads = threads;
  ceiling.rate = Estimate::exact(rate);
  ceiling.clock = clock;
  return ceiling;
}

Ceiling load(const std::string& level, int threads, double rate) {
  Ceiling ceiling;
  ceiling.name = level + " load 512 " + std::to_string(threads) + "t";
  ceiling.kind = Ceiling::Kind::bandwidth;
  ceiling.level = level;
  ceiling.mix = "load";
  ceiling.reads = 1;
  ceiling.threads = threads;
  ceiling.rate = Estimate::exact(rate);
  ceiling.clock = 3.593e9;
  return ceiling;
}

/// The reference figures of a machine with 512-bit vectors.
Machine sound() {
  Machine machine;
  machine.levels = {{"L1", 48e3, 48e3, 2},
                    {"L2", 1e6, 2e6, 2},
                    {"L3", 16e6, 480e6, 1},
                    {"DRAM", std::nullopt, std::nullopt, 1}};
  machine.ceilings = {in_core("d1", "fp64", 1, 108.58e9),
                      in_core("d2", "fp64", 2, 217.0e9),
                      in_core("s1", "fp32", 1, 217.16e9),
                      in_core("s2", "fp32", 2, 431.6e9),
                      load("L1", 1, 459.6e9),
                      load("L1", 2, 919.2e9),
                      load("L2", 1, 180e9),
                      load("L2", 2, 360e9),
                      load("L3", 1, 31e9),
                      load("L3", 2, 60e9),
                      load("DRAM", 1, 16.5e9),
                      load("DRAM", 2, 31e9)};
  return machine;
}

using Names = std::vector<std::string>;

Names no_core_does(Machine machine) {
  Names names;
  show_impossible(machine, 512);
  for (const Ceiling& one : machine.ceilings)
    if (one.shown_only) names.push_back(one.name);
  return names;
}

Names raised(Machine& machine) {
  Names names;
  for (const std::size_t i : close_upwards(machine)) names.push_back(machine.ceilings[i].name);
  return names;
}

}  // namespace

TEST_CASE("Instructions per cycle of the reference figures are whole") {
  Machine machine = sound();
  CHECK(instructions_per_cycle(named(machine, "d1")) == Approx(2.0).epsilon(1e-3));
  CHECK(instructions_per_cycle(named(machine, "s2")) == Approx(2.0).epsilon(1e-2));
  machine.ceilings[0].clock = 0;
  CHECK(instructions_per_cycle(machine.ceilings[0]) == 0);
}

TEST_CASE("Sound figures are possible, and raise nothing") {
  Machine machine = sound();
  CHECK(no_core_does(machine).empty());
  CHECK(raised(machine).empty());
}

TEST_CASE("A rate above four instructions per cycle is impossible") {
  Machine machine = sound();
  for (const char* name : {"d1", "d2", "s1", "s2"}) {
    Ceiling& ceiling = named(machine, name);
    ceiling.rate = Estimate::exact(ceiling.rate.value * 2.2);
  }
  CHECK(no_core_does(machine) == Names{"d1", "d2", "s1", "s2"});
}

TEST_CASE("A clock that was read too low makes no figure impossible") {
  Machine machine = sound();
  named(machine, "d1").clock = 1.2e9;
  CHECK(no_core_does(machine).empty());
}

TEST_CASE("A cache that moves more than four vectors per cycle is impossible") {
  Machine machine = sound();
  named(machine, "L1 load 512 1t").rate = Estimate::exact(1640e9);
  CHECK(no_core_does(machine) == Names{"L1 load 512 1t"});
}

TEST_CASE("A level is at least as fast as the one further out") {
  Machine machine = sound();
  named(machine, "L3 load 512 1t").rate = {13e9, 12e9, 14e9};
  named(machine, "L2 load 512 1t").rate = {15e9, 12e9, 17e9};
  CHECK(raised(machine) == Names{"L2 load 512 1t", "L3 load 512 1t"});
  // by half of what two threads reach in L3, more than one in memory
  CHECK(named(machine, "L3 load 512 1t").rate == Estimate{30e9, 12e9, 30e9});
  CHECK(named(machine, "L2 load 512 1t").rate.value == 180e9);
  const std::string text = named(machine, "L3 load 512 1t").source.text;
  CHECK(text.find("raised from 13.0 GB/s to that of \"DRAM load 512 1t\"") != std::string::npos);
  CHECK(text.find("1/2 of that of \"L3 load 512 2t\"") != std::string::npos);
}

TEST_CASE("The kinds of pages are compared where the inner level has both") {
  Machine machine = sound();
  Ceiling huge = named(machine, "DRAM load 512 1t");
  huge.name = "DRAM load 512 huge 1t";
  huge.huge_pages = true;
  huge.rate = Estimate::exact(33e9);
  machine.ceilings.push_back(huge);
  SECTION("the inner has only one") {
    CHECK(raised(machine) == Names{"L3 load 512 1t"});
    CHECK(named(machine, "L3 load 512 1t").rate.value == 33e9);
  }
  SECTION("the inner has both") {
    huge.level = "L3";
    huge.name = "L3 load 512 huge 1t";
    huge.rate = Estimate::exact(32e9);
    machine.ceilings.push_back(huge);
    CHECK(raised(machine) == Names{"L3 load 512 huge 1t"});
  }
}

TEST_CASE("More threads are at least as fast as fewer, and one reaches its share of what they do") {
  Machine machine = sound();
  named(machine, "d2").rate = Estimate::exact(100e9);
  named(machine, "s1").rate = Estimate::exact(108.6e9);
  CHECK(raised(machine) == Names{"d2", "s1"});
  CHECK(named(machine, "d2").rate.value == 108.58e9);
  CHECK(named(machine, "s1").rate.value == 215.8e9);
}

TEST_CASE("What is shown only raises nothing") {
  Machine machine = sound();
  named(machine, "DRAM load 512 1t").rate = Estimate::exact(900e9);
  named(machine, "DRAM load 512 1t").shown_only = true;
  CHECK(raised(machine).empty());
}

TEST_CASE("What one core does alone several do that share nothing, at the clock that they have") {
  Machine machine = sound();
  machine.cores = 2;
  // The two were disturbed, and had 5 % less clock at best.
  named(machine, "d2").rate = Estimate::exact(150e9);
  const double clock = named(machine, "d1").clock;
  named(machine, "d2").clock = 0.95 * clock;
  named(machine, "s2").clock = 0.94 * clock;
  named(machine, "L1 load 512 2t").rate = Estimate::exact(700e9);
  named(machine, "L3 load 512 2t").rate = Estimate::exact(40e9);
  raised(machine);
  CHECK(named(machine, "d2").rate.value == Approx(2 * 0.95 * 108.58e9));
  CHECK_THAT(named(machine, "d2").source.text, Catch::Contains("2 times that of \"d1\", at "));
  CHECK(named(machine, "L1 load 512 2t").rate.value == Approx(2 * 459.6e9));
  CHECK(named(machine, "L3 load 512 2t").rate.value == 40e9);  // one cache for both
  CHECK(raised(machine).empty());  // the same clock raises nothing twice
  named(machine, "d2").clock = 1.05 * clock;
  raised(machine);
  CHECK(named(machine, "d1").rate.value == Approx(1.05 * 108.58e9));
  CHECK(raised(machine).empty());
  machine = sound();
  machine.cores = 1;  // threads of one core share it
  named(machine, "d2").rate = Estimate::exact(150e9);
  raised(machine);
  CHECK(named(machine, "d2").rate.value == 150e9);
}
