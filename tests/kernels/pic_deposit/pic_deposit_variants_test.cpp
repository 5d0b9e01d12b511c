// Variants of pic_deposit, compiled while the test runs from a covering sample of the space,
// against the reference: awkward boxes, arrays at forbidden pages, two calls.
#include <catch2/catch.hpp>
#include <cmath>

#include "guarded_array.h"
#include "kernel/kernel.h"
#include "plasma.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "variant_sample.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

const std::filesystem::path home = ROOFTUNE_SOURCE_DIR;

void compare(const BuiltFunction& variant, const Plasma& p, const Tolerance& allowed, Flush flush) {
  std::int64_t nx = p.nx, ny = p.ny, nz = p.nz, particles = p.particles, order = p.order;
  std::vector<GuardedCopy> arrays;
  for (const auto& quantity : p.of) arrays.emplace_back(quantity, flush);
  const std::vector<double> empty(p.grids[0].size(), NAN);
  for (int g = 0; g < 4; ++g) arrays.emplace_back(empty, flush);
  std::vector<void*> arguments = {&nx, &ny, &nz, &particles, &order};
  for (GuardedCopy& array : arrays) arguments.push_back(array.memory.data());
  variant.prepare(arguments.data());
  for (int call = 1; call <= 2; ++call) {
    INFO("call " << call);
    variant.call(arguments.data());
    for (std::size_t g = 0; g < 4; ++g) {
      INFO("grid " << g);
      CHECK(excess(arrays[quantities + g].values(), p.grids[g], allowed) <= 1);
    }
  }
  for (std::size_t q = 0; q < quantities; ++q) CHECK(arrays[q].values() == p.of[q]);
}

std::vector<Plasma> plasmas() {
  std::vector<Plasma> result;
  const std::vector<std::vector<std::string>> boxes = {{"1", "1", "1", "3"},
                                                       {"2", "3", "1", "7"},
                                                       {"9", "8", "17", "0.7"},
                                                       {"41", "13", "12", "2"},
                                                       {"5", "5", "5", "0"}};
  for (const auto& box : boxes)
    for (const char* order : {"1", "2"})
      for (const char* density : {"uniform", "bunch"}) {
        result.emplace_back(Parameters{{"nx", box[0]},
                                       {"ny", box[1]},
                                       {"nz", box[2]},
                                       {"per_cell", box[3]},
                                       {"order", order},
                                       {"density", density}});
        result.back().solve();
      }
  // Particles on nodes, half-way between them, and as far right as they may be.
  Plasma edges({{"nx", "8"}, {"ny", "8"}, {"nz", "8"}, {"order", "2"}});
  for (std::size_t n = 0; n < edges.of[x].size(); ++n) {
    edges.of[x][n] = static_cast<double>(n % 16) / 2;
    edges.of[y][n] = static_cast<double>(n / 16 % 16) / 2;
    edges.of[z][n] = n % 3 == 0 ? std::nextafter(8.0, 0.0) : static_cast<double>(n % 8);
  }
  for (const std::int64_t order : {1, 2}) {
    edges.order = order;
    edges.solve();
    result.push_back(edges);
  }
  return result;
}

}  // namespace

TEST_CASE("variants of pic_deposit agree with the reference") {
  const Kernel kernel = find_kernel("pic_deposit", home);
  Facts facts = problem_parameters(kernel, {});
  facts["particles"] = Value(1000000);
  const SearchSpace space = read_space(find_space(kernel, "openmp", home), on_small_machine(facts));
  const std::vector<Configuration> sample = few_by_day(covering_sample(space, "", 28, 20240611));
  const std::vector<Plasma> problems = plasmas();
  const auto check = [&](const BuiltFunction& variant) {
    for (const Plasma& p : problems)
      for (const Flush flush : {Flush::start, Flush::end}) {
        INFO(p.nx << " x " << p.ny << " x " << p.nz << ", " << p.particles << " particles of order "
                  << p.order << (flush == Flush::start ? ", first" : ", last")
                  << " elements at a forbidden page");
        compare(variant, p, kernel.tolerance, flush);
      }
  };
  check_variants(kernel, space, sample, check);
}
