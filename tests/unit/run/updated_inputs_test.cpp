// Kernels whose calls change their inputs: timed on fresh ones, or going on from each other.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "support/kernel_folder.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// Sorts x in place: insertion sort where it is sorted already takes next to no time.
KernelFolder sort_kernel(const std::string& more) {
  KernelFolder folder;
  folder.write("kernel.json", R"({"schema": "rooftune-kernel-1", "name": "k", "title": "k",
  "parameters": [{"name": "n", "type": "integer", "default": 2000, "doc": "length"}],
  "arguments": [
    {"name": "n", "type": "int64", "value": "n"},
    {"name": "insertion", "type": "int64", "value": "insertion"},
    {"name": "x", "type": "double*", "count": "n", "access": "update",
     "fill": {"kind": "uniform", "low": 0, "high": 1, "seed": 7}}],
  "work": {"least": {"fp64": "n"}, "nominal": "n", "items": "n", "item": "element"},
  "traffic": {"read": "8*n", "write": "8*n", "footprint": "8*n"},)" +
                                  more + R"(
  "reference": "openmp.cpp", "backends": {"openmp": {"source": "openmp.cpp"}}})");
  folder.write("openmp.cpp", R"(
#include <algorithm>
void k(std::int64_t n, std::int64_t insertion, double* x) {
  if (!insertion) return std::make_heap(x, x + n), std::sort_heap(x, x + n);
  for (std::int64_t i = 1; i < n; ++i)
    std::rotate(std::upper_bound(x, x + i, x[i]), x + i, x + i + 1);
})");
  return folder;
}

/// Time of insertion by that of the other.
double ratio(const std::string& more) {
  const KernelFolder folder = sort_kernel(more);
  Bench bench(folder.kernel(),
              R"([{"name": "insertion", "kind": "argument", "values": [0, 1], "breaks": ["ilp"]}])",
              test_limits(), {{"n", Value(2000)}}, 1);
  double best[2];
  for (const int insertion : {0, 1}) {
    const Trial trial = bench.evaluate(bench.with("insertion", Value(insertion)));
    CAPTURE(trial.detail);
    REQUIRE(trial.ok());
    best[insertion] = trial.measurement->best;
  }
  const Rounds rounds = bench.evaluator().race(
      {bench.with("insertion", Value(0)), bench.with("insertion", Value(1))}, {4, 1});
  REQUIRE(rounds.seconds.size() == 4);
  std::vector<double> ratios;
  for (const auto& round : rounds.seconds) ratios.push_back(round[1] / round[0]);
  std::sort(ratios.begin(), ratios.end());
  CHECK((ratios[1] > 1) == (best[1] > best[0]));
  return best[1] / best[0];
}

}  // namespace

TEST_CASE("calls that go on from each other stay finite, and tell when they get faster") {
  const auto tried_once = [](const KernelFolder& folder) {
    // A fifth of the time is for fifteen calls at least, as long as the first: 6 ms each.
    RunLimits limits = test_limits();
    limits.trial_seconds = 0.5;
    Bench bench(folder.kernel(),
                R"([{"name": "insertion", "kind": "argument", "values": [1], "breaks": ["ilp"]}])",
                limits, {{"n", Value(300)}}, 1);
    return bench.evaluate(bench.space().baseline());
  };
  const KernelFolder sorting = sort_kernel(R"("evolves": true,)");
  // The first call steps n*n/4 times, later ones n times: no machine makes that alike.
  sorting.write("openmp.cpp", R"(
#include <utility>
void k(std::int64_t n, std::int64_t, double* x) {
  for (std::int64_t i = 1; i < n; ++i)
    for (std::int64_t j = i; j > 0 && x[j - 1] > x[j]; --j) std::swap(x[j - 1], x[j]);
})");
  const Trial sorted = tried_once(sorting);
  REQUIRE(sorted.ok());
  CHECK_THAT(sorted.detail, Contains("calls go on from each other, and the first takes "));
  sorting.write("openmp.cpp", R"(
void k(std::int64_t n, std::int64_t, double* x) {
  for (std::int64_t i = 0; i < n; ++i) x[i] *= 1e200;
})");
  const Trial grown = tried_once(sorting);
  CHECK(grown.outcome == Outcome::wrong_result);
  CHECK_THAT(grown.detail, Contains("array x: element") && Contains("is inf after calls"));
  sorting.write("openmp.cpp", R"(
void k(std::int64_t n, std::int64_t, double* x) {
  for (std::int64_t i = 0; i < n; ++i) x[i] = 1 - x[i];
})");
  const Trial even = tried_once(sorting);
  CHECK(even.ok());
}

TEST_CASE("a kernel that updates its input is timed on fresh data, unless it evolves") {
  // Moves n*n/4 elements on random data, none on sorted ones.
  CHECK(ratio("") > 1);
  CHECK(ratio(R"("evolves": true,)") < 1);
}

TEST_CASE("where restoring takes nearly all of the time, samples have fewer calls") {
  const KernelFolder folder = sort_kernel("");
  folder.write("openmp.cpp", "void k(std::int64_t, std::int64_t, double* x) { x[0] = 0.5; }");
  Bench bench(folder.kernel(), R"([{"name": "insertion", "kind": "argument", "values": [1],
                                    "breaks": ["ilp"]}])",
              test_limits(), {{"n", Value(100000)}}, 1);
  const Trial trial = bench.evaluate(bench.space().baseline());
  REQUIRE(trial.ok());
  // 800 KB are restored in 1 us by no machine: a sample of 1 ms, restored for 10 ms, has no more.
  CHECK(trial.measurement->repeats < 11000);
}
