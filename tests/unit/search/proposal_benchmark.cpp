// How long one proposal takes; hidden, run it with: unit_search "[benchmark]". It prints and judges
// nothing.
#include <catch2/catch.hpp>
#include <chrono>
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

}  // namespace

TEST_CASE("time of a proposal", "[.][benchmark]") {
  const SearchSpace s = large_space();
  std::cout << s.size() << " configurations, " << s.knobs().size() << " knobs\n";
  for (const auto& row : strategies()) {
    const auto strategy = row.make();
    History history;
    double worst = 0, sum = 0;
    constexpr int trials = 1000;
    for (int i = 0; i < trials; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      Rng rng(1, history.size());
      const auto proposal = strategy->propose(s, history, rng);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      worst = std::max(worst, time.count());
      sum += time.count();
      history.append(rugged(1)(*proposal));
    }
    Rng rng(1, history.size());
    const auto begin = std::chrono::steady_clock::now();
    strategy->propose(s, history, rng);
    const std::chrono::duration<double> last = std::chrono::steady_clock::now() - begin;
    std::cout << row.name << ": mean " << sum / trials * 1e6 << " us, longest " << worst * 1e6
              << " us, after 1000 trials " << last.count() * 1e6 << " us\n";
  }
}
