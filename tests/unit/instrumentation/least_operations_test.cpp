// Operations that kernels declare as the least, against what their variants were counted to do.
#include <catch2/catch.hpp>

#include "counters/provider.h"
#include "kernel/kernel.h"
#include "support/kernel_folder.h"
#include "support/with_instrumentation.h"

using namespace rooftune;

namespace {

using Changes = std::vector<std::pair<const char*, Value>>;

/// Every kind that was declared, for the baseline with each of these changes.
void check_least(const std::string& name, const Facts& chosen,
                 const std::vector<Changes>& variants) {
  const Kernel kernel = find_kernel(name, ROOFTUNE_SOURCE_DIR);
  TemporaryDirectory folder("rooftune-least");
  ArtefactCache cache(folder.path() / "cache", host_compiler());
  std::filesystem::create_directories(folder.path() / "scratch");
  setenv("ROOFTUNE_WORKER", ROOFTUNE_TEST_WORKER, 1);

  Facts facts = problem_parameters(kernel, chosen);
  HostEvaluator evaluator({{kernel, *kernel.backend("openmp")}, facts, 1}, cache,
                          folder.path() / "scratch", test_limits());
  facts.merge(evaluator.facts());
  const Work least = work(kernel, facts);
  facts.merge(Facts{{"machine_cores", 1},
                    {"machine_threads", 1},
                    {"machine_numa_nodes", 1},
                    {"machine_simd_bits", 256},
                    {"machine_l1_bytes", 1 << 15},
                    {"machine_l2_bytes", 1 << 20},
                    {"machine_l3_bytes", 1 << 25},
                    {"machine_huge_pages", false},
                    {"machine_fast_memory", false}});
  const SearchSpace space = read_space(find_space(kernel, "openmp", ROOFTUNE_SOURCE_DIR), facts);
  evaluator.use(space);
  double sum = 0;
  REQUIRE_FALSE(least.operations.at("fp64").empty());
  for (const auto& [kind, count] : least.operations.at("fp64")) sum += count;
  CHECK(sum > 0);
  for (const Changes& changes : variants) {
    Configuration configuration = space.baseline();
    for (const auto& [knob, value] : changes) configuration.set(knob, value);
    configuration = space.normalised(configuration);
    INFO(name << ": " << difference_text(configuration, space.baseline()));
    REQUIRE(space.why_not(configuration) == "");
    const CountedRun run =
        evaluator.count(configuration, *counter_provider("instrumented"), {}, {60, 60});
    INFO(run.absent_because);
    REQUIRE(run.counts);
    const Counts::Operations& done = run.counts->operations.at("fp64");
    const auto of = [&](const std::string& kind) {
      return done.count(kind) ? done.at(kind).value : 0;
    };
    for (const auto& [kind, count] : least.operations.at("fp64")) {
      INFO(kind);
      const bool fused = kind == "add" || kind == "mul";
      CHECK(of(kind) + (fused ? of("fma") : 0) >= count);
    }
    CHECK(flops(*run.counts, "fp64").value >= least.least.at("fp64").value());
  }
}

}  // namespace

TEST_CASE("no form of gpp does fewer operations than the least") {
  check_least("gpp", {{"nb", "4"}, {"ngpown", "5"}, {"ncouls", "256"}, {"nw", "3"}},
              {{},
               {{"hoist", "stored"}, {"division", "reciprocal"}, {"magnitude", "square"}},
               {{"formula", "fractions"}, {"unoccupied", "skip"}},
               {{"formula", "fractions"},
                {"unoccupied", "skip"},
                {"batch", 4},
                {"weight", "stored"},
                {"energy_block", 3},
                {"order", "i_g_n"},
                {"simd_width", 4}}});
}

TEST_CASE("no form of a stencil does fewer operations than the least", "[.night]") {
  check_least("diffusion", {{"n", "2000"}, {"steps", "4"}},
              {{},
               {{"simd_width", 4}, {"form", "difference"}},
               {{"simd_width", 4}, {"form", "distributed"}, {"contract", "off"}},
               {{"staging", "fused"}, {"time_block", 4}, {"simd_width", 4}}});
  check_least("diffusion3d", {{"nx", "20"}, {"ny", "18"}, {"nz", "16"}, {"steps", "4"}},
              {{},
               {{"simd_width", 4}, {"form", "difference"}},
               {{"staging", "folded"}, {"time_block", 2}, {"simd_width", 4}}});
}

TEST_CASE("no collision of lbmhd does fewer operations than the least", "[.night]") {
  check_least("lbmhd", {{"nx", "8"}, {"ny", "6"}, {"nz", "5"}, {"steps", "2"}},
              {{},
               {{"collision", "unrolled"}},
               {{"collision", "pairs"}, {"moments", "finish"}},
               {{"collision", "pairs"}, {"streaming", "exchange"}, {"contract", "off"}}});
}

TEST_CASE("no form of snap does fewer operations than the least", "[.night]") {
  check_least("snap", {{"twojmax", "4"}, {"cells", "3"}},
              {{},
               {{"recursion", "monomials"}, {"symmetry", "atom"}},
               {{"products", "shared"}, {"derivative", "rotation"}, {"recursion", "monomials"}}});
}

TEST_CASE("no form of hor_visc does fewer operations than the least", "[.night]") {
  const std::vector<Changes> variants{
      {},
      {{"metric", "folded"}, {"squares", "store"}, {"thickness", "store"}, {"sweep", "rows"}},
      {{"metric", "folded"}, {"divide", "joint"}, {"fuse", "pairs"}}};
  check_least("hor_visc", {{"nx", "24"}, {"ny", "16"}, {"nz", "3"}, {"land", "none"}}, variants);
  check_least(
      "hor_visc",
      {{"nx", "24"}, {"ny", "16"}, {"nz", "3"}, {"smagorinsky_biharmonic", "0"}, {"ah", "0"}},
      variants);
}

TEST_CASE("no deposition does fewer operations than the least", "[.night]") {
  const Facts few{{"nx", "6"}, {"ny", "5"}, {"nz", "4"}, {"per_cell", "3"}};
  Facts quadratic = few;
  quadratic["order"] = "2";
  const std::vector<Changes> variants{
      {},
      {{"sort", "kept"},
       {"sort_by", "cell"},
       {"scatter", "tiles"},
       {"local", "cells"},
       {"runs", true}},
      {{"sort", "call"}, {"scatter", "tiles"}, {"local", "nodes"}, {"runs", true}}};
  check_least("pic_deposit", few, variants);
  check_least("pic_deposit", quadratic, variants);
}
