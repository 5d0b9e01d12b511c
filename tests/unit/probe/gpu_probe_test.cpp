// A whole probe of a card whose rates are known, and what it makes of noise and of published
// figures.

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/error.h"
#include "fake_gpu.h"
#include "probe/gpu_plan.h"
#include "roofline/machine_json.h"
#include "support/machine_builder.h"

using namespace rooftune;
using rooftune::test::FakeGpu;

namespace {

GpuProbeOptions quick() {
  GpuProbeOptions options;
  options.seconds = 20;  // settled long before
  options.memory_bytes = 16 << 20;
  return options;
}

const Ceiling& ceiling(const Machine& machine, const std::string& name) {
  const auto found = std::find_if(machine.ceilings.begin(), machine.ceilings.end(),
                                  [&](const Ceiling& one) { return one.name == name; });
  INFO(name);
  REQUIRE(found != machine.ceilings.end());
  return *found;
}

bool noted(const Machine& machine, const std::string& words) {
  return std::any_of(machine.notes.begin(), machine.notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

Machine published() {
  Machine machine;
  machine.name = "fake_sheet";
  machine.kind = MachineKind::gpu;
  machine.levels = {{"L1", std::nullopt, 192.0 * 1024, 4},
                    {"L2", std::nullopt, 2.0 * 1024 * 1024, 1},
                    {"DRAM", std::nullopt, std::nullopt, 1}};
  machine.ceilings = {
      test::core_ceiling("fp64 fma peak", 1.1e12, 1, {Paradigm::fma}),
      test::core_ceiling("int8 peak", 9e12, 1, {}, "int8"),
      test::core_ceiling("fp16 tensor peak", 3e13, 1, {Paradigm::tensor}, "fp16_tensor", "mma"),
      test::stream("DRAM load", "DRAM", 1, 2.2e11, 1, {Paradigm::coalesced}, "load")};
  return machine;
}

}  // namespace

TEST_CASE("a probe finds the rates of a card, whatever disturbs it now and then") {
  FakeGpu card;
  const InstalledCard& description = card.description();
  const Machine machine = probe_gpu(card, description, quick());
  CHECK(machine.kind == MachineKind::gpu);
  CHECK(machine.cores == 4);
  CHECK(machine.identity.at("uuid") == "GPU-fake");
  REQUIRE(machine.gpu);
  CHECK(machine.gpu->describes("Fake 100"));
  const std::map<std::string, double> wanted{{"fp64 fma ilp8", 1e12},
                                             {"fp64 fma ilp1", 0.25e12},
                                             {"fp64 add_mul ilp8", 0.5e12},
                                             {"fp64 fma ilp8 4 warps", 0.5e12},
                                             {"fp64 fma ilp8 1 block", 0.25e12},
                                             {"fp32 fma ilp8", 2e12},
                                             {"fp16 fma ilp8", 4e12},
                                             {"fp64_tensor mma", 2e12},
                                             {"tf32_tensor mma", 8e12},
                                             {"fp16_tensor mma", 1.6e13},
                                             {"bf16_tensor mma", 1.6e13},
                                             {"L1 load", 4e12},
                                             {"shared load", 4.2e12},
                                             {"L2 load", 1e12},
                                             {"L2 triad", 1e12},
                                             {"L2 random", 0.25e12},
                                             {"DRAM load", 2e11},
                                             {"DRAM store", 2e11},
                                             {"DRAM scale", 2e11},
                                             {"DRAM triad", 2e11},
                                             {"DRAM update", 2e11},
                                             {"DRAM load stride16", 1e11},
                                             {"DRAM load stride128", 0.5e11},
                                             {"DRAM random", 0.5e11}};
  for (const auto& [name, rate] : wanted) {
    const Ceiling& found = ceiling(machine, name);
    INFO(name << ": " << found.rate.value << ", " << found.source.text);
    CHECK(found.stable);
    // A launch costs 3 us of a window of 1.5 ms.
    CHECK(found.rate.value == Approx(rate).epsilon(0.01));
    CHECK(found.rate.value <= rate);
    CHECK(found.rate.low <= found.rate.value);
    CHECK(found.source.kind == Source::Kind::measured);
    CHECK(found.clock == Approx(1.5e9).epsilon(0.01));
    CHECK_FALSE(found.samples.empty());
  }
  const Ceiling& latency = ceiling(machine, "DRAM latency");
  CHECK(latency.kind == Ceiling::Kind::latency);
  CHECK(8 / latency.rate.value == Approx(5e-7).epsilon(0.01));
  for (const std::string& note : machine.notes) UNSCOPED_INFO(note);
  CHECK(noted(machine, "DRAM latency: 501 ns per load, 750 cycles"));
  const Ceiling& launch = ceiling(machine, "launch");
  CHECK(launch.kind == Ceiling::Kind::launch);
  CHECK(1 / launch.rate.value == Approx(3e-6));
  CHECK(launch.source.text.find("one between two events takes 3") != std::string::npos);
}

TEST_CASE("sweeps find what the caches of a card hold") {
  FakeGpu card;
  const InstalledCard& description = card.description();
  const Machine machine = probe_gpu(card, description, quick());
  REQUIRE(machine.levels.size() == 3);
  REQUIRE(machine.levels[0].capacity);
  CHECK(*machine.levels[0].capacity == Approx(128 << 10).epsilon(0.25));
  CHECK(machine.levels[0].instances == 4);
  REQUIRE(machine.levels[1].capacity);
  CHECK(*machine.levels[1].capacity == Approx(2 << 20).epsilon(0.25));
  CHECK(machine.levels[1].reported == 2.0 * 1024 * 1024);
}

TEST_CASE("what three windows do not reproduce is not trusted") {
  FakeGpu card;
  card.unsteady = "probe_fp32_fma_8";
  const InstalledCard& description = card.description();
  GpuProbeOptions options = quick();
  options.seconds = 1;
  const Machine machine = probe_gpu(card, description, options);
  CHECK_FALSE(ceiling(machine, "fp32 fma ilp8").stable);
  CHECK(ceiling(machine, "fp64 fma ilp8").stable);
}

TEST_CASE("published figures stand beside the measured ones and bind what was not measured") {
  FakeGpu card;
  const InstalledCard& description = card.description();
  GpuProbeOptions options = quick();
  options.published = published();
  const Machine machine =
      machine_from_json(to_json(probe_gpu(card, description, options)), "written");
  CHECK_FALSE(ceiling(machine, "fp64 fma ilp8").shown_only);
  CHECK(ceiling(machine, "fp64 fma peak").shown_only);
  CHECK_FALSE(ceiling(machine, "int8 peak").shown_only);
  CHECK(ceiling(machine, "DRAM load (published)").shown_only);
  CHECK(ceiling(machine, "DRAM load").rate.value == Approx(2e11).epsilon(0.01));
  CHECK(ceiling(machine, "fp16 tensor peak").shown_only);
  CHECK(machine.level("L1")->reported == 192.0 * 1024);
  CHECK(noted(machine, "figures of machine fake_sheet"));
}

TEST_CASE("from Hopper on the published tensor peaks stay binding") {
  Machine measured = published();
  measured.name = "mine";
  measured.gpu = FakeGpu().description().facts;
  measured.gpu->compute_capability = 90;
  Machine sheet = published();
  for (Ceiling& one : sheet.ceilings) one.name += " of the sheet";
  add_published(measured, sheet);
  CHECK_FALSE(ceiling(measured, "fp16 tensor peak of the sheet").shown_only);
  CHECK(ceiling(measured, "fp64 fma peak of the sheet").shown_only);
}

TEST_CASE("a card faster than its sheet, or turned upside down, is not believed") {
  FakeGpu card;
  card.rates["fp64"] = 2e12;
  card.rates["L2"] = 1e11;  // slower than memory
  const InstalledCard& description = card.description();
  GpuProbeOptions options = quick();
  options.seconds = 2;
  options.published = published();
  const Machine machine = probe_gpu(card, description, options);
  CHECK_FALSE(ceiling(machine, "fp64 fma ilp8").stable);
  CHECK(noted(machine, "faster than any published figure"));
  CHECK_FALSE(ceiling(machine, "fp64 fma peak").shown_only);
  CHECK_FALSE(ceiling(machine, "L2 load").stable);
  CHECK(noted(machine, "slower than DRAM"));
}

TEST_CASE("an interrupted probe of a card ends at once") {
  FakeGpu card;
  const InstalledCard& description = card.description();
  GpuProbeOptions options = quick();
  int asked = 0;
  options.interrupted = [&] { return ++asked > 10; };
  try {
    probe_gpu(card, description, options);
    FAIL("it went on");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::interrupted);
  }
}
