// The manifests and spaces of the stencil kernels: counts worked out by hand, and what other
// machines leave of a space.
#include <catch2/catch.hpp>
#include <set>

#include "kernel/kernel.h"
#include "space/space_reader.h"
#include "support/published_path.h"
#include "variant_sample.h"

using namespace rooftune;

namespace {

const std::filesystem::path tree = ROOFTUNE_SOURCE_DIR;
const std::vector<std::string> stencils = {"triad", "euler", "finite_difference", "diffusion",
                                           "diffusion3d"};

Facts machine(int threads, int numa_nodes, int simd_bits, bool huge_pages) {
  return testing::on_small_machine({{"machine_cores", Value(threads)},
                                    {"machine_threads", Value(threads)},
                                    {"machine_numa_nodes", Value(numa_nodes)},
                                    {"machine_simd_bits", Value(simd_bits)},
                                    {"machine_huge_pages", Value(huge_pages)}});
}

/// What a GPU adds.
Facts card(int compute_capability, int shared_per_block) {
  return {{"machine_compute_capability", Value(compute_capability)},
          {"machine_warp", Value(32)},
          {"machine_threads_per_multiprocessor", Value(2048)},
          {"machine_shared_per_block", Value(shared_per_block)}};
}

SearchSpace space_of(const Kernel& kernel, Facts facts, const Facts& chosen = {},
                     const std::string& backend = "openmp") {
  const Facts parameters = problem_parameters(kernel, chosen);
  facts.insert(parameters.begin(), parameters.end());
  return read_space(find_space(kernel, backend, tree), facts);
}

double flops(const Kernel& kernel, const Facts& parameters) {
  return work(kernel, parameters).least.at("fp64") / Flops(1);
}

}  // namespace

TEST_CASE("least work and traffic of a small problem are what counting by hand gives") {
  struct Count {
    std::string kernel;
    Facts problem;
    double least, nominal, items, read, write, footprint;
  };
  const std::vector<Count> counts = {
      {"triad", {{"n", "10"}}, 20, 20, 10, 160, 80, 240},
      {"euler", {{"n", "10"}}, 20, 20, 10, 160, 80, 160},
      {"finite_difference", {{"n", "10"}}, 20, 20, 10, 88, 80, 168},
      {"finite_difference", {{"n", "10"}, {"shift", "8"}}, 20, 20, 10, 144, 80, 224},
      {"diffusion", {{"n", "10"}, {"steps", "3"}}, 36, 96, 24, 80, 64, 80},
      {"diffusion", {{"n", "30"}, {"steps", "2"}, {"shift", "8"}}, 42, 112, 28, 240, 112, 240},
      {"diffusion", {{"n", "1"}, {"steps", "3"}}, 0, 0, 0, 8, 0, 8},
      {"diffusion3d",
       {{"nx", "4"}, {"ny", "5"}, {"nz", "3"}, {"steps", "2"}},
       54,
       96,
       12,
       480,
       48,
       480}};
  for (const Count& count : counts) {
    INFO(count.kernel);
    const Kernel kernel = find_kernel(count.kernel, tree);
    const Facts parameters = problem_parameters(kernel, count.problem);
    const Traffic moved = traffic(kernel, parameters);
    CHECK(flops(kernel, parameters) == count.least);
    CHECK(work(kernel, parameters).nominal / Flops(1) == count.nominal);
    CHECK(work(kernel, parameters).items == count.items);
    CHECK(moved.read / Bytes(1) == count.read);
    CHECK(moved.write / Bytes(1) == count.write);
    CHECK(moved.footprint / Bytes(1) == count.footprint);
  }
}

TEST_CASE("every wall of a stencil moves more than the least traffic") {
  for (const std::string& name : stencils) {
    INFO(name);
    const Kernel kernel = find_kernel(name, tree);
    const Traffic moved = traffic(kernel, problem_parameters(kernel, {}));
    double before = (moved.read + moved.write) / Bytes(1);
    for (const Wall& wall : moved.walls) {
      INFO(wall.name);
      CHECK((wall.read + wall.write) / Bytes(1) > before);
      before = (wall.read + wall.write) / Bytes(1);
    }
  }
}

TEST_CASE("default problems leave the caches and fit small machines") {
  for (const std::string& name : stencils) {
    INFO(name);
    const Kernel kernel = find_kernel(name, tree);
    const double bytes = array_bytes(kernel, problem_parameters(kernel, {}));
    CHECK(bytes >= 100e6);
    CHECK(bytes <= 500e6);
  }
}

TEST_CASE("an unstable time step is refused") {
  CHECK_THROWS(problem_parameters(find_kernel("diffusion", tree), {{"a", "0.51"}}));
  CHECK_THROWS(problem_parameters(find_kernel("diffusion3d", tree), {{"a", "0.17"}}));
}

TEST_CASE("spaces are rich, and their baseline is the plain loop with all threads") {
  for (const std::string& name : stencils) {
    INFO(name);
    const SearchSpace space = space_of(find_kernel(name, tree), machine(2, 1, 512, true));
    CHECK(space.size() >= 1000);
    CHECK(space.size() <= 10'000'000);
    const Configuration baseline = space.baseline();
    CHECK(baseline.at("threads") == Value(2));
    CHECK(baseline.at("simd_width") == Value(0));
    CHECK(baseline.at("unroll") == Value(1));
    CHECK(baseline.at("prefetch") == Value(0));
    CHECK(baseline.at("schedule") == Value("static"));
    CHECK(baseline.at("huge_pages") == Value(false));
    CHECK(space.allowed(baseline));
  }
}

TEST_CASE("what a machine lacks collapses with the reason") {
  for (const std::string& name : stencils) {
    INFO(name);
    const Kernel kernel = find_kernel(name, tree);
    const SearchSpace small = space_of(kernel, machine(1, 1, 128, false));
    for (const char* knob : {"threads", "binding", "first_touch", "numa_policy", "huge_pages"}) {
      INFO(knob);
      CHECK(small.knob(knob)->values.size() == 1);
      CHECK_FALSE(small.knob(knob)->collapsed.empty());
    }
    Configuration wide = small.baseline();
    wide.set("simd_width", Value(8));
    CHECK_FALSE(small.allowed(wide));
    CHECK_FALSE(small.why_not(wide).empty());
    const SearchSpace large = space_of(kernel, machine(64, 4, 512, true));
    CHECK(large.knob("numa_policy")->values.size() == 2);
    CHECK(large.knob("binding")->values.size() == 3);
    CHECK(large.knob("threads")->values.size() == 7);
  }
}

TEST_CASE("taking several steps per pass needs at least as many") {
  const std::vector<std::pair<const char*, const char*>> several = {
      {"diffusion", "fused"}, {"diffusion3d", "fused"}, {"diffusion3d", "folded"}};
  for (const auto& [name, staging] : several) {
    INFO(name << " " << staging);
    const Kernel kernel = find_kernel(name, tree);
    for (const char* steps : {"1", "4"}) {
      const SearchSpace space = space_of(kernel, machine(2, 1, 512, true), {{"steps", steps}});
      Configuration deep = space.baseline();
      deep.set("staging", Value(staging));
      CHECK(space.allowed(deep) == (std::string(steps) == "4"));
      deep.set("time_block", Value(8));
      CHECK_FALSE(space.allowed(deep));
    }
  }
}

TEST_CASE("one move from the baseline takes all steps of the usual problem in one pass") {
  const std::vector<std::pair<const char*, const char*>> several = {{"diffusion", "fused"},
                                                                    {"diffusion3d", "folded"}};
  for (const auto& [name, staging] : several) {
    INFO(name);
    const SearchSpace space = space_of(find_kernel(name, tree), machine(2, 1, 512, true));
    Configuration moved = space.baseline();
    moved.set("staging", Value(staging));
    CHECK(space.normalised(moved).at("time_block") == Value(4));
  }
}

TEST_CASE("register shuffles and stepping in place are for nearest neighbours") {
  for (const char* name : {"finite_difference", "diffusion"}) {
    INFO(name);
    const SearchSpace space =
        space_of(find_kernel(name, tree), machine(2, 1, 512, true), {{"shift", "8"}});
    CHECK(space.knob("neighbour")->values.size() == 1);
    if (!space.knob("staging")) continue;
    Configuration in_place = space.baseline();
    in_place.set("staging", Value("in_place"));
    CHECK_FALSE(space.allowed(in_place));
  }
}

TEST_CASE("every step of a published path is another configuration of its space") {
  using Place = std::pair<const char*, const char*>;
  for (const auto& [name, backend] :
       {Place("euler", "openmp"), Place("finite_difference", "openmp"),
        Place("diffusion", "openmp"), Place("euler", "cuda"), Place("finite_difference", "cuda"),
        Place("diffusion", "cuda"), Place("diffusion3d", "cuda")}) {
    INFO(name << " " << backend);
    const Kernel kernel = find_kernel(name, tree);
    const auto path = testing::published_path(kernel, backend);
    REQUIRE(path.has_value());
    const bool gpu = std::string(backend) == "cuda";
    const SearchSpace space =
        space_of(kernel, gpu ? card(80, 166912) : machine(2, 1, 512, true), path->problem, backend);
    std::string before;
    for (const PlacedStep& step : placed(*path, space, name)) {
      CHECK(step.impossible == "");
      CHECK(step.configuration.key() != before);
      before = step.configuration.key();
    }
  }
}

TEST_CASE("spaces for a GPU start from the plain launch and leave out what the card lacks") {
  for (const std::string& name : stencils) {
    INFO(name);
    const Kernel kernel = find_kernel(name, tree);
    const SearchSpace space = space_of(kernel, card(80, 166912), {}, "cuda");
    CHECK(space.size() >= 1000);
    CHECK(space.size() <= 10'000'000);
    const Configuration baseline = space.baseline();
    CHECK(baseline.at("vector") == Value(1));
    CHECK(baseline.at("min_blocks") == Value(1));
    CHECK(baseline.at("loads") == Value("plain"));
    CHECK(space_of(kernel, card(80, 49152), {}, "cuda").size() < space.size());
  }
}
