// Variants of lbmhd, compiled from a covering sample of its space, against the reference: awkward
// boxes, arrays at forbidden pages, several calls with odd and even steps.
#include <catch2/catch.hpp>

#include "kernel/kernel.h"
#include "plasma.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "variant_sample.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

struct Box {
  const char *nx, *ny, *nz, *steps;
};

/// Below a vector, below a strip, across both; single rows and planes; planes that no tile divides.
const std::vector<Box> boxes = {
    {"1", "1", "1", "2"},  {"2", "3", "1", "1"},  {"8", "1", "5", "2"},   {"7", "9", "3", "3"},
    {"16", "3", "2", "2"}, {"19", "5", "4", "1"}, {"40", "11", "6", "2"}, {"130", "3", "4", "3"}};

/// Values that differ from site to site, so that a wrong neighbour shows.
Parameters flow_in(const Box& box) {
  return {{"nx", box.nx},        {"ny", box.ny},         {"nz", box.nz}, {"steps", box.steps},
          {"amplitude", "0.03"}, {"background", "0.02"}, {"nu", "0.05"}, {"eta", "0.08"}};
}

void scramble(Plasma& plasma) {
  unsigned state = 12345;
  const auto random = [&] {
    state = state * 1664525u + 1013904223u;
    return 1 + 0.02 * (state / 4294967296.0 - 0.5);
  };
  for (std::int64_t i = 0; i < 27 * plasma.sites(); ++i) plasma.f()[i] *= random();
  for (std::int64_t i = 0; i < 45 * plasma.sites(); ++i)
    plasma.g()[i] = plasma.g()[i] * random() + 0.01 * (random() - 1);
}

void check(const BuiltFunction& variant) {
  for (const Box& box : boxes)
    for (const Flush flush : {Flush::start, Flush::end}) {
      INFO(box.nx << " x " << box.ny << " x " << box.nz << ", steps " << box.steps);
      Plasma wanted(flow_in(box), flush), got(flow_in(box), flush);
      scramble(wanted);
      scramble(got);
      got.prepare(variant);
      for (int call = 1; call <= 2; ++call) {
        INFO("call " << call);
        wanted.step_reference();
        got.call(variant);
        got.finish(variant);
        const auto mine = got.arrays(), theirs = wanted.arrays();
        for (std::size_t array = 0; array < mine.size(); ++array) {
          INFO("array " << array);
          CHECK(excess(mine[array], theirs[array]) <= 1);
        }
      }
    }
}

}  // namespace

TEST_CASE("variants of lbmhd agree with the reference") {
  const Kernel kernel = find_kernel("lbmhd", ROOFTUNE_SOURCE_DIR);
  const SearchSpace space = read_space(find_space(kernel, "openmp", ROOFTUNE_SOURCE_DIR),
                                       on_small_machine({{"machine_numa_nodes", Value(2)},
                                                         {"nx", Value(256)},
                                                         {"ny", Value(64)},
                                                         {"nz", Value(64)},
                                                         {"steps", Value(2)}}));
  const std::vector<Configuration> sample =
      few_by_day(covering_sample(space, "streaming", 5, 20261121));
  check_variants(kernel, space, sample, check);
}
