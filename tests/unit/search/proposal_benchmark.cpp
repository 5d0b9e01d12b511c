// How long one proposal takes; hidden, run it with: unit_search "[benchmark]". It prints and judges
// nothing.
#include <catch2/catch.hpp>
#include <ctime>
#include <iostream>

#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

/// 3 x 4^8 x ... about 10^5 allowed configurations of 12 knobs, some conditional.
SearchSpace large_space() {
  std::vector<Knob> knobs{knob("format", {"csr", "bcsr", "sell"}, "csr"),
                          knob("rows", {1, 2, 3, 4}, 1, "format == 'bcsr'"),
                          knob("cols", {1, 2, 3, 4}, 1, "format == 'bcsr'"),
                          knob("chunk", {4, 8, 16, 32}, 8, "format == 'sell'"),
                          knob("sigma", {1, 64, 1024}, 1, "format == 'sell'")};
  for (const char* name : {"unroll", "simd_width", "prefetch", "threads", "schedule"})
    knobs.push_back(knob(name, {1, 2, 4, 8}, 1));
  for (const char* name : {"huge_pages", "nt_store"})
    knobs.push_back(knob(name, {false, true}, false));
  return space("large", std::move(knobs), {"unroll * simd_width <= 32"});
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

TEST_CASE("time of a proposal", "[.][benchmark]") {
  const SearchSpace s = large_space();
  std::cout << s.size() << " configurations, " << s.knobs().size() << " knobs\n";
  constexpr int trials = 1000, repetitions = 100;
  for (const auto& row : strategies()) {
    const auto strategy = row.make();
    History history;
    double sum = 0;
    for (int i = 0; i < trials; ++i) {
      const double begin = cpu_seconds();
      Rng rng(1, history.size());
      const auto proposal = strategy->propose(s, history, rng);
      sum += cpu_seconds() - begin;
      history.append(rugged(1)(*proposal));
    }
    const double begin = cpu_seconds();
    for (int i = 0; i < repetitions; ++i) {
      Rng rng(1, history.size());
      strategy->propose(s, history, rng);
    }
    const double last = (cpu_seconds() - begin) / repetitions;
    std::cout << row.name << ": " << sum / trials * 1e6 << " us on average over " << trials
              << " trials, " << last * 1e6 << " us after them\n";
  }
}
