// Published rooflines as oracles: the bound must give the figures that their authors computed.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "core/json.h"
#include "roofline/machine_json.h"
#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

Machine reference_machine(const std::string& name) {
  return read_machine(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "machines" / (name + ".json"));
}

/// GFLOP/s of n elements at the bound; in memory when cold, else inside the first level.
double gflops(const Machine& machine, double flop, double read, double write, double n, bool warm) {
  const Bound b =
      Roofline{flops(flop * n), moved(read * n, write * n, warm), machine, machine.cores}.bound();
  return flop * n / b.time.value() / 1e9;
}

/// The V100 of the talk, at 1.38 GHz; our file's peaks are those of the fastest card.
Machine ward_v100() {
  Machine gpu = reference_machine("v100");
  std::erase_if(gpu.ceilings, [](const Ceiling& c) { return c.name == "fp64 fma peak"; });
  for (Ceiling& c : gpu.ceilings)
    if (c.name == "fp64 fma at 1.38 GHz") c.shown_only = false;
  return gpu;
}

constexpr double in_memory = 1e9;
constexpr double in_cache = 2000;

}  // namespace

// M. Ward, "In pursuit of peak computational performance" (2022): slides Euler Step, Finite
// Difference, Write-Allocate Effect, Diffusion Performance.
TEST_CASE("Ward's theoretical GFLOP/s on a Cascade Lake 8274 and a V100") {
  Machine x86 = reference_machine("cascadelake8274");
  // The theory is at the AVX-512 clock of 2.8 GHz; the observed copy ran at 3.0 GHz.
  std::erase_if(x86.ceilings, [](const Ceiling& c) { return c.name == "L1 copy observed"; });
  CHECK(gflops(x86, 2, 16, 8, in_cache, true) == Approx(716.8).epsilon(1e-3));  // Euler
  CHECK(gflops(x86, 2, 16, 8, in_memory, false) == Approx(11.7).epsilon(5e-3));
  CHECK(gflops(x86, 2, 8, 8, in_cache, true) == Approx(1075.3).epsilon(1e-3));  // finite difference
  CHECK(gflops(x86, 2, 8, 8, in_memory, false) == Approx(17.6).epsilon(5e-3));
  CHECK(gflops(x86, 2, 16, 8, in_memory, false) ==
        Approx(11.7).epsilon(5e-3));  // with write allocate
  CHECK(gflops(x86, 4, 16, 16, in_cache, true) == Approx(1075.2).epsilon(1e-3));  // diffusion
  CHECK(gflops(x86, 4, 24, 16, in_memory, false) == Approx(14.1).epsilon(5e-3));

  const Machine gpu = reference_machine("v100");
  CHECK(gflops(gpu, 2, 16, 8, in_memory, false) == Approx(74.8).epsilon(5e-3));
  CHECK(gflops(gpu, 2, 8, 8, in_memory, false) == Approx(112.3).epsilon(5e-3));
  CHECK(gflops(gpu, 4, 24, 16, in_memory, false) == Approx(89.9).epsilon(5e-3));
}

TEST_CASE("Ward's peaks bind where there is no traffic") {
  const auto peak = [](const Machine& machine) { return gflops(machine, 1e6, 8, 0, 1000, false); };
  CHECK(peak(reference_machine("cascadelake8274")) == Approx(2150.4));
  CHECK(peak(ward_v100()) == Approx(7065.6));
  CHECK(peak(reference_machine("v100")) == Approx(7833.6));
}

TEST_CASE("Arm machines are bound by their vendors' peaks and memory") {
  const struct {
    const char* name;
    double peak, ridge;  ///< [GFLOP/s, flop/byte]
  } machines[] = {{"grace", 3550, 7.1}, {"graviton3", 2662.4, 8.667}, {"a64fx", 3379.2, 3.3}};
  for (const auto& [name, peak, ridge] : machines) {
    INFO(name);
    const Machine machine = reference_machine(name);
    CHECK(gflops(machine, 1e6, 8, 0, 1000, false) == Approx(peak));
    const double rate = gflops(machine, 1, 8, 0, in_memory, false);
    CHECK(peak / (8 * rate) == Approx(ridge).epsilon(1e-3));
  }
}

TEST_CASE("Ward's write allocate is a wall that streaming stores break") {
  const Machine x86 = reference_machine("cascadelake8274");
  Traffic traffic = moved(8 * in_memory, 8 * in_memory, false);
  traffic.walls = {
      {"write allocate", Paradigm::nt_store, "DRAM", Bytes(16 * in_memory), Bytes(8 * in_memory)}};
  // 9.4 GFLOP/s was observed; 15 would need streaming stores.
  const auto at = [](double rate) { return Estimate::exact(2 * in_memory / (rate * 1e9)); };
  const std::vector<Step> path{{at(9.4), {}}, {at(15), {{"nt_store", 0, 1, {Paradigm::nt_store}}}}};
  const auto entries = Roofline{flops(2 * in_memory), traffic, x86, 24}.ledger(path);
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].kind == LedgerEntry::Kind::wall);
  CHECK(2 * in_memory / entries[0].time.value() / 1e9 == Approx(11.7).epsilon(5e-3));
  CHECK(entries[0].broken_by == 1u);
  CHECK_FALSE(entries[1].passed_by);
}

// S. Williams, "The Roofline Model" (poster, 2008) and Williams, Waterman, Patterson, CACM 52(4),
// 2009: Opteron X4 2356. Tuned GFLOP/s of the article must lie below the bound.
TEST_CASE("the Opteron of the roofline article") {
  const Machine opteron = reference_machine("opteron2356");
  const auto attainable = [&](double intensity) {
    return gflops(opteron, intensity, 1, 0, 1e10, false);
  };
  CHECK(attainable(0.25) == Approx(5.33).epsilon(2e-3));
  CHECK(attainable(100) == Approx(73.6));
  CHECK(attainable(73.6 / 21.33) == Approx(73.6));
  CHECK(attainable(0.25) > 4.2);   // SpMV
  CHECK(attainable(0.5) > 8.0);    // stencil
  CHECK(attainable(1.64) > 14.0);  // FFT
  CHECK(attainable(1.07) > 11.4);  // LBMHD
  // LBMHD: 1300 flops, 73 doubles read and 79 written; 0.70 flop/B when stores allocate, 1.07 else.
  CHECK(gflops(opteron, 1300, 73 * 8, 79 * 8, 1e7, false) == Approx(1.07 * 21.33).epsilon(5e-3));
  CHECK(gflops(opteron, 1300, 152 * 8, 79 * 8, 1e7, false) == Approx(0.70 * 21.33).epsilon(1e-2));
}

TEST_CASE("observed figures of the talk lie within the roof") {
  const Machine x86 = reference_machine("cascadelake8274");
  const Work work = flops(2 * in_memory);
  const Traffic traffic = moved(16 * in_memory, 8 * in_memory, false);
  const Gap euler =
      Roofline{work, traffic, x86, 24}.gap(Estimate::exact(2 * in_memory / 9.5e9), {}, "published");
  CHECK(1 / euler.total.value == Approx(0.81).epsilon(0.01));  // the talk: 80.8 and 81.2 %
  CHECK_FALSE(euler.above_roof);
}

TEST_CASE("ridge points of the reference machines") {
  const char* folder = std::getenv("ROOFTUNE_DATA");
  if (!folder) {
    WARN("skipped: ROOFTUNE_DATA is not set");
    return;
  }
  const Json all = read_json(std::filesystem::path(folder) / "machines_reference.json");
  const std::map<std::string, std::string> names{{"cascadelake8274", "clx8274"},
                                                 {"opteron2356", "barcelona"},
                                                 {"v100", "v100"},
                                                 {"a100", "a100"},
                                                 {"a100_80", "a100_80"},
                                                 {"h100", "h100"},
                                                 {"h200", "h200"},
                                                 {"cori_haswell", "cori_hsw"}};
  for (const auto& [ours, theirs] : names) {
    INFO(ours);
    const double ridge = all.at(theirs).at("ridge_flop_per_byte").at("dram_peak").get<double>();
    const Machine machine = ours == "v100" ? ward_v100() : reference_machine(ours);
    // Triad's mix; where both bind, the in-core and the memory part take the same time.
    const Bound b =
        Roofline{flops(ridge * 3e12), moved(2e12, 1e12, false), machine, machine.cores}.bound();
    double core_time = 0, memory_time = 0;
    for (const auto& part : b.parts) {
      if (part.level == "fp64") core_time = part.time.value();
      if (part.level == "DRAM") memory_time = part.time.value();
    }
    CHECK(core_time / memory_time == Approx(1).epsilon(0.01));
  }
}
