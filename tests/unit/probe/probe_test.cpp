// Tests of a whole probe on a tiny budget: structure only, never a rate.
#include "probe/probe.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <set>

#include "core/error.h"
#include "os/subprocess.h"
#include "probe/bench.h"
#include "probe/in_core_kernels.h"
#include "probe/samples.h"
#include "roofline/machine_json.h"

using namespace rooftune;

namespace {

/// Enough for a round over the few kernels that a masked CPU has; a busy machine may leave some
/// out.
ProbeOptions tiny() {
  ProbeOptions options;
  options.name = "smoke";
  options.seconds = 3;
  options.memory_bytes = 8 << 20;
  return options;
}

Topology one_cpu() {
  Topology here = topology();
  here.cpus.resize(1);
  here.cores = 1;
  for (ReportedCache& cache : here.caches) cache.instances = 1;
  return here;
}

/// As if the CPU had no more than every x86-64 has.
CpuFeatures masked() {
  CpuFeatures features;
  features.names = {"sse2"};
  return features;
}

}  // namespace

TEST_CASE("A probe makes a machine that survives its file") {
  std::set<std::string> phases;
  ProbeOptions options = tiny();
  options.progress = [&](const std::string& phase, double done) {
    phases.insert(phase);
    CHECK(done >= 0);
    CHECK(done <= 1);
  };
  const Machine machine = probed_host(options, one_cpu(), masked());
  CHECK(machine.name == "smoke");
  CHECK(machine.id.size() == 32);
  CHECK(machine.cores == 1);
  CHECK(machine.features == std::vector<std::string>{"sse2"});
  CHECK(machine.levels.back().name == "DRAM");
  CHECK(phases.count("in-core ceilings") == 1);
  for (const char* key : {"hostname", "cpu", "features", "kernel", "hypervisor", "memory"})
    CHECK(machine.identity.count(key) == 1);
  REQUIRE_FALSE(machine.ceilings.empty());
  for (const Ceiling& ceiling : machine.ceilings) {
    CAPTURE(ceiling.name);
    CHECK(ceiling.threads == 1);
    CHECK(ceiling.simd_bits <= 128);
    CHECK_FALSE(ceiling.mix.starts_with("fma"));
    CHECK(ceiling.rate.low > 0);
    CHECK(ceiling.rate.low <= ceiling.rate.value);
    CHECK(ceiling.rate.value <= ceiling.rate.high);
    CHECK_FALSE(ceiling.samples.empty());
    CHECK(ceiling.source.kind == Source::Kind::measured);
    CHECK_FALSE(ceiling.source.date.empty());
  }
  const auto noted = [&](const char* text) {
    return std::any_of(machine.notes.begin(), machine.notes.end(), [&](const std::string& note) {
      return note.find(text) != std::string::npos;
    });
  };
  CHECK(noted("sweep: DRAM is the plateau"));
  const Json json = to_json(machine);
  const Machine back = machine_from_json(json, "smoke.json");
  CHECK(back.ceilings.size() == machine.ceilings.size());
  CHECK(to_json(back) == json);
}

TEST_CASE("An interrupted probe says so") {
  ProbeOptions options = tiny();
  options.interrupted = [] { return true; };
  try {
    probed_host(options, one_cpu(), masked());
    FAIL("no Error");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::interrupted);
  }
}

TEST_CASE("Anchors are measured again by name") {
  Machine machine;
  machine.name = "host";
  machine.levels = {
      {"L1", 32e3, 32e3, 1}, {"L2", 1e6, 1e6, 1}, {"DRAM", std::nullopt, std::nullopt, 1}};
  Ceiling roof;
  roof.name = "fp64 add 128 ilp8 1t";
  roof.precision = "fp64";
  roof.mix = "add";
  roof.simd_bits = 128;
  roof.ilp = 8;
  roof.rate = Estimate::exact(1e9);
  Ceiling load;
  load.name = "L2 load 512 1t";
  load.kind = Ceiling::Kind::bandwidth;
  load.level = "L2";
  load.mix = "load";
  load.reads = 1;
  load.working_set = 256 << 10;
  load.rate = Estimate::exact(1e9);
  machine.ceilings = {roof, load};

  const auto again = remeasure(machine, {roof.name, load.name});
  REQUIRE(again.size() == 2);
  CHECK(again[0].name == roof.name);
  CHECK(again[0].rate.value > 0);
  CHECK(again[1].rate.value > 0);
  CHECK_THROWS_AS(remeasure(machine, {"L7 load 1t"}), Error);
}

TEST_CASE("A ceiling that this CPU cannot run is left out") {
  Machine machine;
  Ceiling impossible;
  impossible.name = "fp64 fma 4096 ilp8 1t";
  impossible.precision = "fp64";
  impossible.mix = "fma";
  impossible.simd_bits = 4096;
  impossible.ilp = 8;
  machine.ceilings = {impossible};
  CHECK(remeasure(machine, {impossible.name}).empty());
}

TEST_CASE("A team runs work on each thread once, and again") {
  probe::Team team(topology().cpus);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> sum{0};
    team.run(team.size(), [&](int index) { sum += index + 1; });
    CHECK(sum == team.size() * (team.size() + 1) / 2);
  }
}

TEST_CASE("A fault of one thread reaches the caller, and the team goes on") {
  probe::Team team(topology().cpus);
  CHECK_THROWS_AS(team.run(1, [](int) { throw Error("short of memory"); }), Error);
  int runs = 0;
  team.run(1, [&](int) { ++runs; });
  CHECK(runs == 1);
}

TEST_CASE("Windows of all threads start after the warm-up of all") {
  probe::Team team(topology().cpus);
  std::atomic<int> warm{0}, early{0}, work{0};
  const auto windows = team.windows(
      team.size(), 5, 64, [&](int) { ++warm; },
      [&](int) {
        if (warm != team.size()) ++early;
        ++work;
      });
  CHECK(early == 0);
  CHECK(work == 5 * team.size());
  REQUIRE(windows.size() == 5);
  for (const auto& window : windows) CHECK(window.seconds > 0);
}

TEST_CASE(
    "A window in which a thread did not run is disturbed, and left out where others are not") {
  probe::Team team(topology().cpus);
  const auto windows = team.windows(
      team.size(), 2, 64, [](int) {},
      [](int index) {
        if (index == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      });
  for (const auto& window : windows) {
    CHECK_FALSE(window.undisturbed());
    CHECK(window.missing <= window.seconds);
  }
  using Seconds = std::vector<double>;
  const auto kept = [](const Seconds& missing) {
    std::vector<probe::Window> all;
    for (const double waited : missing) all.push_back({1, 0, true, waited});
    probe::keep_undisturbed(all);
    Seconds left;
    for (const auto& window : all) left.push_back(window.missing);
    return left;
  };
  CHECK(kept({0.5, 0.01, 0.9, 0}) == Seconds{0.01, 0});
  CHECK(kept({0.5, 0.9}) == Seconds{0.5, 0.9});
}

TEST_CASE("A CPU that is not there cannot be pinned to") {
  CHECK_THROWS_AS(probe::Team({1 << 14}), Error);
}

TEST_CASE("What workers and compilers compute is no other work") {
  Command spin;
  spin.argv = {"sh", "-c", "while :; do :; done"};
  const Contention before = contention();
  {
    Child child(spin);
    child.receive(std::chrono::milliseconds(400));
    const double alive = contention().own.value() - before.own.value();
    CHECK(alive > 0.01);
    child.kill();
    CHECK(contention().own.value() - before.own.value() >= alive - 0.02);
  }
}

TEST_CASE("The contention note says unknown where nothing is known") {
  Contention before, after;
  after.seconds = 10;
  CHECK(contention_note(before, after).find("steal unknown") != std::string::npos);
  before.steal = 1.0;
  after.steal = 1.5;
  before.busy = 100;
  after.busy = 120;
  before.own = 5;
  after.own = 10;
  const std::string note = contention_note(before, after);
  CHECK(note.find("1.50 CPUs busy with other work") != std::string::npos);
  CHECK(note.find("steal 5.0 %") != std::string::npos);
}

TEST_CASE("a bench serves again where it has room") {
  Ceiling load;
  load.kind = Ceiling::Kind::bandwidth;
  load.threads = 1;
  load.working_set = 1 << 20;
  const auto kept = bench_for({load});
  CHECK(bench_for({load}, kept) == kept);
  load.working_set = 2 << 20;
  const auto larger = bench_for({load}, kept);
  CHECK(larger != kept);
  CHECK(larger->arena_bytes() >= 2 << 20);
}
