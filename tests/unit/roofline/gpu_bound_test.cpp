// What is different on a GPU: caches of a multiprocessor are emptied by every launch, and a launch
// takes a time that no call is faster than.
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.h"
#include "roofline/machine_json.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;
using Catch::Contains;

namespace {

constexpr double launches_per_second = 500'000;

Ceiling launch_ceiling(double rate = launches_per_second) {
  Ceiling c;
  c.name = "launch";
  c.kind = Ceiling::Kind::launch;
  c.rate = around(rate);
  c.source = {Source::Kind::measured, "test", ""};
  return c;
}

/// Four multiprocessors with 100 B of L1 each, 1000 B of L2; 1 Gflop/s, 1 GB/s from memory.
Machine small_gpu() {
  Machine m;
  m.name = "small";
  m.kind = MachineKind::gpu;
  m.levels = {{"L1", 100.0, 100.0, 4}, {"L2", 1000.0, 1000.0, 1}, {"DRAM", {}, {}, 1}};
  m.ceilings = {core_ceiling("peak", 1e9), stream("L1", "L1", 1, 8e9, 1, {}, "peak"),
                stream("L2", "L2", 1, 4e9, 1, {}, "peak"),
                stream("DRAM", "DRAM", 1, 1e9, 1, {}, "peak"), launch_ceiling()};
  return m;
}

double crossing(const Roofline& roofline, const char* level) {
  return roofline.least_traffic(level).total().value();
}

}  // namespace

TEST_CASE("L1 of a GPU keeps nothing from one call to the next, L2 does") {
  const Traffic traffic = moved(800, 400);
  const Roofline gpu{{}, traffic, small_gpu(), 1};
  CHECK(crossing(gpu, "L1") == 1200);
  CHECK(crossing(gpu, "L2") == 1200);
  CHECK(crossing(gpu, "DRAM") == 200);
  Machine cores = small_gpu();
  cores.kind = MachineKind::cpu;
  CHECK(crossing({{}, traffic, cores, 4}, "L2") == 800);
  CHECK(crossing({{}, moved(800, 400, false), small_gpu(), 1}, "DRAM") == 1200);
}

TEST_CASE("what is read and what is written share one L2") {
  // Not 600 - 1000 and 600 - 1000, each nothing.
  CHECK(crossing({{}, moved(600, 600), small_gpu(), 1}, "DRAM") == 200);
  Traffic in_place = moved(1200, 1200);
  in_place.footprint = Bytes(1200);
  CHECK(crossing({{}, in_place, small_gpu(), 1}, "DRAM") == 400);
}

TEST_CASE("passes of one call find what L1 holds") {
  Movement movement;
  movement.what = "two passes";
  movement.read = Bytes(3000);
  movement.passes = 2;
  movement.footprint = Bytes(1500);
  const Roofline gpu{{}, moved(1500, 0), small_gpu(), 1};
  CHECK(gpu.least_traffic("L2", movement, 1).total().value() == 2600);
  CHECK(gpu.least_traffic("DRAM", movement, 1).total().value() == 3000 - 1400 - 1000);
}

TEST_CASE("a call is not faster than one launch") {
  const Roofline tiny{flops(10), moved(16, 8), small_gpu(), 1};
  const Bound bound = tiny.bound();
  CHECK(bound.ceiling == "launch");
  CHECK(bound.time.value() == Approx(2e-6));
  CHECK(bound.source.text == "test");
  CHECK(tiny.gap(Estimate::exact(6e-6), nullptr, "").total.value == Approx(3));
  const auto entries = tiny.ledger({{Estimate::exact(6e-6), {}}, {{2.1e-6, 1.95e-6, 2.2e-6}, {}}});
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].kind == LedgerEntry::Kind::launch);
  CHECK_FALSE(entries[0].passed_by);
  const auto restricted = tiny.bound(Restriction{1, {}});
  REQUIRE(restricted);
  CHECK(restricted->because == "one launch with at most 1 thread at \"launch\"");
  // The largest of the parts, no sum: a launch overlaps with the call before it.
  const Roofline large{flops(1e6), moved(16, 8), small_gpu(), 1};
  CHECK(large.bound().time.value() == Approx(1e-3));
  CHECK(large.bound().ceiling == "peak");
}

TEST_CASE("a faster launch never lengthens a bound, and its absence is no gap in it") {
  for (const double work : {1.0, 1e3, 1e5}) {
    double before = INFINITY;
    for (const double rate : {1e4, 1e6, 1e9}) {
      Machine machine = small_gpu();
      machine.ceilings.back() = launch_ceiling(rate);
      const double now = Roofline{flops(work), moved(1, 1), machine, 1}.bound().time.value();
      CHECK(now <= before);
      before = now;
    }
    Machine machine = small_gpu();
    machine.ceilings.pop_back();
    const Bound none = Roofline{flops(work), moved(1, 1), machine, 1}.bound();
    CHECK(none.time.value() <= before);
    CHECK(none.missing.empty());
  }
}

TEST_CASE("a machine file tells launches a second, of a GPU only") {
  const Machine written = machine_from_json(to_json(small_gpu()), "m.json");
  const Ceiling* launch = written.fastest_launch();
  REQUIRE(launch);
  CHECK(launch->rate.value == launches_per_second);
  Json json = to_json(small_gpu());
  json["kind"] = "cpu";
  CHECK_THROWS_WITH(machine_from_json(json, "m.json"), Contains("only a GPU has launches"));
  json = to_json(small_gpu());
  json["ceilings"].back()["rate"]["unit"] = "us";
  CHECK_THROWS_WITH(machine_from_json(json, "m.json"), Contains("launches/s"));
}

TEST_CASE("no mixture of reads and writes moves more than 5 % over a card's fastest stream") {
  const std::filesystem::path root = ROOFTUNE_SOURCE_DIR;
  std::vector<std::filesystem::path> files{root / "results/published/2026-11-26.h100/card.json"};
  for (const auto& one : std::filesystem::directory_iterator(root / "machines"))
    if (one.path().extension() == ".json" && one.path().stem() != "host")
      files.push_back(one.path());
  int cards = 0;
  for (const auto& file : files) {
    const Machine machine = read_machine(file);
    if (!machine.is_gpu()) continue;
    ++cards;
    const std::string memory = machine.levels.back().name;
    double most = 0;
    for (const Ceiling& one : machine.ceilings)
      if (one.kind == Ceiling::Kind::bandwidth && one.level == memory && !one.shown_only)
        most = std::max(most, one.rate.value);
    for (const bool in_place : {false, true})
      for (int share = 0; share <= 60; ++share) {
        constexpr double bytes = 6e10;
        Traffic traffic = moved(bytes * share / 60, bytes * (60 - share) / 60, false);
        // What is read and written is there once.
        if (in_place) traffic.footprint = Bytes(std::max(traffic.read, traffic.write));
        const Bound bound = Roofline{{}, traffic, machine, machine.cores}.bound();
        INFO(file << ", " << share << " of 60 read" << (in_place ? ", in place" : ""));
        CHECK(bytes / bound.time.value() <= 1.05 * most * (1 + 1e-9));
      }
  }
  CHECK(cards > 8);
}
