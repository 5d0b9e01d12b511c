// Variants of snap, compiled from a covering sample of its space, against the reference: atoms that
// fill no vector, lists of neighbours of different lengths, arrays at forbidden pages, two calls.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "kernel/kernel.h"
#include "snap_problem.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "support/published_path.h"
#include "variant_sample.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

const std::filesystem::path home = ROOFTUNE_SOURCE_DIR;

Facts facts(const MemoryProblem& problem) {
  Facts all;
  for (const auto& [name, value] : problem.facts) all[name] = Value(value);
  for (const char* whole : {"atoms", "pairs", "max_neighbours", "half_elements", "full_elements"})
    all[whole] = Value(problem.fact(whole));
  all["twojmax"] = Value(problem.integer("twojmax"));
  all["cells"] = Value(problem.integer("cells"));
  return on_small_machine(all);
}

struct Case {
  MemoryProblem problem;
  Result wanted;
};

/// 54 and 2 atoms, with 20 to 30 neighbours or all of them images.
std::vector<Case> cases(const std::string& twojmax) {
  std::vector<Case> all;
  for (const auto& parameters : std::vector<Parameters>{
           {{"twojmax", twojmax}, {"cells", "3"}, {"amplitude", "0.3"}},
           {{"twojmax", twojmax}, {"cells", "1"}, {"amplitude", "0.2"}, {"cutoff", "3.3"}}}) {
    const MemoryProblem problem = solved(parameters);
    all.push_back({problem, reference(problem)});
  }
  return all;
}

void compare(const BuiltFunction& variant, const std::vector<Case>& all) {
  for (const Case& c : all)
    for (const Flush flush : {Flush::start, Flush::end}) {
      SnapCall call(c.problem, flush);
      for (const bool first : {true, false}) {
        const Result got = call.run(variant, first);
        INFO(c.problem.fact("atoms") << " atoms, " << (first ? "first" : "second") << " call");
        CHECK(difference(got.force, c.wanted.force) <= 1e-11 + 1e-10 * c.wanted.largest_force());
        CHECK(difference(got.energy, c.wanted.energy) <= 1e-9);
      }
    }
}

/// A variant whose knobs are those of `settings`, else the defaults.
BuiltFunction built(const Kernel& kernel, const SearchSpace& space,
                    const std::map<std::string, Value>& settings) {
  Configuration configuration = space.baseline();
  for (const auto& [name, value] : settings) configuration.set(name, value);
  configuration = space.normalised(configuration);
  INFO(configuration.key());
  REQUIRE(space.why_not(configuration) == "");
  return BuiltFunction(kernel, space, configuration);
}

std::map<std::string, Value> fast_settings() {
  return {{"simd", Value("atoms")},
          {"simd_width", Value(std::max(2, simd_bits() / 64))},
          {"recursion", Value("monomials")},
          {"recursion_order", Value("rows")},
          {"symmetry", Value("atom")},
          {"products", Value("shared")},
          {"derivative", Value("rotation")},
          {"store_u", Value(false)},
          {"trigonometry", Value("polynomial")},
          {"forces", Value("owner")}};
}

}  // namespace

TEST_CASE("variants of snap agree with the reference") {
  const Kernel kernel = find_kernel("snap", home);
  // Odd and small: layers without a middle row end the recursion, and compiles are short.
  const std::vector<Case> all = cases("5");
  const SearchSpace space = read_space(find_space(kernel, "openmp", home), facts(all[0].problem));
  const std::vector<Configuration> sample = few_by_day(covering_sample(space, "simd", 1, 20240611));
  check_variants(kernel, space, sample,
                 [&](const BuiltFunction& variant) { compare(variant, all); });
}

TEST_CASE("vectors of atoms agree with the reference for every 2J") {
  const Kernel kernel = find_kernel("snap", home);
  const SearchSpace space =
      read_space(find_space(kernel, "openmp", home), facts(solved({{"cells", "1"}})));
  const BuiltFunction variant = built(kernel, space, fast_settings());
  variant.set_openmp(2, "static", 0);
  for (const char* twojmax : {"1", "2", "3", "7", "8", "14"}) {
    INFO("2J " << twojmax);
    const MemoryProblem problem =
        solved({{"twojmax", twojmax}, {"cells", "1"}, {"amplitude", "0.1"}});
    compare(variant, {{problem, reference(problem)}});
  }
}

TEST_CASE("vectors of atoms give the forces of TestSNAP, 2J = 8 and 14") {
  const char* data = std::getenv("ROOFTUNE_DATA");
  if (data == nullptr || *data == '\0') {
    WARN("skipped: ROOFTUNE_DATA is not set");
    return;
  }
  const Kernel kernel = find_kernel("snap", home);
  const SearchSpace space =
      read_space(find_space(kernel, "openmp", home), facts(solved({{"cells", "1"}})));
  auto settings = fast_settings();
  settings["recursion"] = Value("roots");
  settings["sort_products"] = Value(true);
  const BuiltFunction variant = built(kernel, space, settings);
  variant.set_openmp(2, "static", 0);
  for (const std::string twojmax : {"8", "14"}) {
    INFO("2J " << twojmax);
    const std::string stem = std::string(data) + "/reference/testsnap_2J" + twojmax + "_2000_";
    const MemoryProblem problem = solved({{"twojmax", twojmax}, {"positions", stem + "pos.txt"}});
    const Result result = SnapCall(problem, Flush::end).run(variant, true);
    std::ifstream file(stem + "forces.txt");
    std::vector<double> wanted;
    for (double f; file >> f;) wanted.push_back(f);
    REQUIRE(wanted.size() == 6000);
    CHECK(difference(result.force, wanted) <= 1e-12);
    double square = 0;
    for (const double f : result.force) square += f * f;
    // Root mean square as published with the data.
    CHECK(std::sqrt(square / 6000) ==
          Approx(twojmax == "8" ? 9.14082276740e-3 : 8.87289677233e-3).epsilon(1e-11));
  }
}

TEST_CASE("the published path of snap is made of valid and different configurations") {
  const Kernel kernel = find_kernel("snap", home);
  const std::optional<PublishedPath> path = testing::published_path(kernel, "openmp");
  REQUIRE(path.has_value());
  Parameters words;
  for (const auto& [name, value] : path->problem) words[name] = to_text(value);
  Facts all = facts(solved(words));
  all["machine_simd_bits"] = Value(256);
  const SearchSpace space = read_space(find_space(kernel, "openmp", home), all);
  std::string before;
  for (const PlacedStep& step : placed(*path, space, "snap")) {
    CHECK(step.impossible == "");
    CHECK(step.configuration.key() != before);
    before = step.configuration.key();
  }
}
