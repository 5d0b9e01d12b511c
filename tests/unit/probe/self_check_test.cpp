// Tests that impossible figures are found, and possible ones left alone.
#include "probe/self_check.h"

#include <catch2/catch.hpp>

using namespace rooftune;
using namespace rooftune::microbench;

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
                      load("L1", 2, 860e9),
                      load("L2", 1, 180e9),
                      load("L2", 2, 355e9),
                      load("L3", 1, 31e9),
                      load("L3", 2, 60e9),
                      load("DRAM", 1, 16.5e9),
                      load("DRAM", 2, 31e9)};
  return machine;
}

std::vector<std::string> suspects(const Machine& machine) {
  std::vector<std::string> names;
  for (const Contradiction& found : contradictions(machine, 512))
    names.push_back(machine.ceilings[found.ceiling].name);
  return names;
}

Ceiling& named(Machine& machine, const std::string& name) {
  for (Ceiling& ceiling : machine.ceilings)
    if (ceiling.name == name) return ceiling;
  FAIL("no ceiling " << name);
  return machine.ceilings.front();
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("Instructions per cycle of the reference figures are whole") {
  Machine machine = sound();
  CHECK(instructions_per_cycle(named(machine, "d1")) == Approx(2.0).epsilon(1e-3));
  CHECK(instructions_per_cycle(named(machine, "s2")) == Approx(2.0).epsilon(1e-2));
  machine.ceilings[0].clock = 0;
  CHECK(instructions_per_cycle(machine.ceilings[0]) == 0);
}

TEST_CASE("Sound figures contradict nothing") { CHECK(suspects(sound()).empty()); }

TEST_CASE("A rate above four instructions per cycle is impossible") {
  Machine machine = sound();
  for (const char* name : {"d1", "d2", "s1", "s2"}) {
    Ceiling& ceiling = named(machine, name);
    ceiling.rate = Estimate::exact(ceiling.rate.value * 2.2);
  }
  CHECK(suspects(machine) == Names{"d1", "d2", "s1", "s2"});
}

TEST_CASE("A cache that moves more than four vectors per cycle is impossible") {
  Machine machine = sound();
  named(machine, "L1 load 512 1t").rate = Estimate::exact(1640e9);
  CHECK(suspects(machine) == Names{"L1 load 512 1t"});
}

TEST_CASE("Half the roof in one precision shows against the other") {
  Machine machine = sound();
  named(machine, "s1").rate = Estimate::exact(108.6e9);
  // the single thread also looks too slow against two
  const Names names = suspects(machine);
  CHECK(std::count(names.begin(), names.end(), "s1") >= 1);
  CHECK(std::count(names.begin(), names.end(), "d1") == 0);
}

TEST_CASE("A clock far from the siblings' makes a figure suspect") {
  Machine machine = sound();
  for (const int ilp : {1, 2, 4, 8}) {
    Ceiling rung = in_core("d1 ilp" + std::to_string(ilp), "fp64", 1, ilp * 8e9);
    rung.ilp = ilp;
    machine.ceilings.push_back(rung);
  }
  CHECK(suspects(machine).empty());
  named(machine, "d1 ilp4").clock = 2.6e9;
  CHECK(suspects(machine) == Names{"d1 ilp4"});
}

TEST_CASE("A level slower than the one further out is suspect") {
  Machine machine = sound();
  named(machine, "L3 load 512 1t").rate =
      Estimate::exact(13e9);  // as a formula in place of a sweep
  named(machine, "L3 load 512 2t").rate = Estimate::exact(26e9);
  CHECK(suspects(machine) == Names{"L3 load 512 1t", "L3 load 512 2t"});
}

TEST_CASE("Non-temporal stores are not compared between levels") {
  Machine machine = sound();
  Ceiling store = load("L3", 1, 20e9);
  store.name = "L3 store";
  store.mix = "store";
  machine.ceilings.push_back(store);
  store.level = "DRAM";
  store.name = "DRAM store nt";
  store.rate = Estimate::exact(23e9);
  store.non_temporal = true;
  machine.ceilings.push_back(store);
  CHECK(suspects(machine).empty());
}

TEST_CASE("Two threads faster than twice one make the single figure suspect") {
  Machine machine = sound();
  named(machine, "DRAM load 512 1t").rate = Estimate::exact(12e9);
  CHECK(suspects(machine) == Names{"DRAM load 512 1t"});
}
