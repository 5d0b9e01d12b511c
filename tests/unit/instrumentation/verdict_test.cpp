// Planted causes: what an answer says of code with a known limit, from counts of its own machine
// code. The time is the one that the cause would make: no test depends on this machine's speed.
#include <catch2/catch.hpp>
#include <memory>
#include <numeric>

#include "instrumentation/extension.h"
#include "report/answer.h"
#include "roofline/counts.h"
#include "support/counted_source.h"
#include "support/sample_report.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

constexpr double load_seconds = 80e-9, clock_hertz = 3.5e9;

/// The sample's, with small caches, latencies and a rate of quotients.
Machine planted_machine() {
  Machine machine = sample::machine();
  machine.levels = {{"L1", 49152.0, 49152.0, 2},
                    {"L2", 262144.0, 262144.0, 2},
                    {"DRAM", std::nullopt, std::nullopt, 1}};
  std::erase_if(machine.ceilings, [](const Ceiling& c) { return c.level == "L3"; });
  for (const auto& [level, seconds] : {std::pair("L2", 4e-9), {"DRAM", load_seconds}}) {
    Ceiling walk = sample::stream(level, "random", 1, 1, 64 / seconds, 2.56e8);
    walk.name = std::string(level) + " latency 1t";
    walk.kind = Ceiling::Kind::latency;
    machine.ceilings.push_back(walk);
  }
  for (const int threads : {1, 2})
    machine.ceilings.push_back(sample::in_core("fp64", 512, "div", 12, threads, 2e9 * threads));
  for (Ceiling& ceiling : machine.ceilings) ceiling.clock = clock_hertz;
  return machine;
}

/// The counts of one call of `f(n, x)`, warm.
template <class T>
Counts counted(const std::string& text, int threads, std::int64_t n, std::vector<T>& x) {
  CountingPlan plan;
  plan.levels = planted_machine().levels;
  plan.threads = threads;
  const auto counter = open_instrumented(plan);
  const CountedSource source(text, {"-O2", "-fno-tree-vectorize"});
  // Never closed: the threads of an OpenMP library live on in it.
  static auto& kept = *new std::vector<std::unique_ptr<DynamicLibrary>>;
  kept.push_back(std::make_unique<DynamicLibrary>(source.library()));
  counter->attach(*kept.back());
  const auto function = reinterpret_cast<void (*)(std::int64_t, T*)>(kept.back()->symbol("f"));
  const auto call = [&] { function(n, x.data()); };
  counter->watch(call);
  return counter->count({call, call});
}

/// The least of a problem.
struct Least {
  double flops = 0, read = 0, write = 0, footprint = 0;
  bool divisions = false;
};

/// What is said of a best with these counts, `times` the bound or of `seconds`.
std::string said(const Counts& counts, const Least& least, double times, double seconds = 0) {
  StudyResult report = sample::report();
  report.space_bound.reset();
  report.paired_gap.reset();
  report.roofline.machine = planted_machine();
  report.roofline.threads = 2;
  report.roofline.work = {};
  report.roofline.work.least["fp64"] = Flops(least.flops);
  if (least.divisions) report.roofline.work.operations["fp64"]["div"] = least.flops;
  report.roofline.traffic = {};
  report.roofline.traffic.read = Bytes(least.read);
  report.roofline.traffic.write = Bytes(least.write);
  report.roofline.traffic.footprint = Bytes(least.footprint);
  report.bound = report.roofline.bound();
  Contender& best = *report.best;
  best.seconds = Estimate::exact(seconds > 0 ? seconds : times * report.bound.time.value());
  best.counts = counts;
  best.gap = report.roofline.gap(best.seconds, &counts, "");
  return answer(report).sentence();
}

void check_says(const std::string& text, const std::vector<std::string>& wanted) {
  INFO(text);
  for (const std::string& one : wanted) CHECK_THAT(text, Catch::Contains(one));
}

const char* const pragma_source =
    "EXPORT void f(std::int64_t n, double* x) {\n"
    "  for (int region = 0; region < 200; ++region) {\n"
    "#pragma omp parallel for schedule(static) num_threads(2)\n"
    "    for (std::int64_t i = 0; i < n; ++i) x[i] += 1;\n  }\n}\n";

}  // namespace

TEST_CASE("neither roof nor excess: a chain of loads waits for memory") {
  // A random cycle through 4 MiB, a line each.
  const std::int64_t nodes = 1 << 16;
  std::vector<std::int64_t> order(nodes), next(8 * nodes);
  std::iota(order.begin(), order.end(), 0);
  Rng rng(1, 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  for (std::size_t i = 0; i < order.size(); ++i)
    next[static_cast<std::size_t>(8 * order[i])] = 8 * order[(i + 1) % order.size()];
  const Counts counts = counted(
      "EXPORT void f(std::int64_t n, std::int64_t* x) {\n  std::int64_t at = 0;\n"
      "  for (std::int64_t i = 0; i < n; ++i) at = x[at];\n  x[1] = at;\n}\n",
      1, nodes, next);
  CHECK(counts.details.at(scattered_loads).value == Approx(nodes).epsilon(0.01));
  check_says(said(counts, {0, 64.0 * nodes, 0, 64.0 * nodes}, 0, nodes * load_seconds),
             {"loads from scattered addresses take 100 % of the time, 80.00 ns each"});
}

TEST_CASE("neither roof nor excess: parallel regions take the time") {
  std::vector<double> x(64);
  const Counts counts = counted(pragma_source, 2, 64, x);
  CHECK(counts.details.at(parallel_regions).value == 200);
  const double empty = counts.details.at(empty_region).value;
  REQUIRE(empty > 0);
  check_says(said(counts, {200 * 64, 200 * 512, 200 * 512, 512}, 0, 1.25 * 200 * empty),
             {"200 parallel regions take 80 % of the time even when empty"});
}

TEST_CASE("neither roof nor excess: one thread has three times the work of the other") {
  std::vector<double> x(3 << 12);
  const Counts counts = counted(
      "EXPORT void f(std::int64_t n, double* x) {\n"
      "#pragma omp parallel for schedule(static) num_threads(2)\n"
      "  for (int part = 0; part < 2; ++part)\n"
      "    for (int again = 0; again < (part == 0 ? 3 : 1); ++again)\n"
      "      for (std::int64_t i = part * n; i < part * n + n; ++i) x[i] = x[i] * 0.5 + 1;\n"
      "}\n",
      2, 1 << 12, x);
  check_says(
      said(counts, {8.0 * (1 << 12), 32.0 * (1 << 12), 32.0 * (1 << 12), 16.0 * (1 << 12)}, 4),
      {"the busiest thread executes 1.50x of the threads' mean"});
}

TEST_CASE("neither roof nor excess: operations of one chain wait for each other") {
  const std::int64_t n = 4096;
  std::vector<double> x(n);
  const Counts counts = counted(
      "EXPORT void f(std::int64_t n, double* x) {\n  double sum = 0;\n"
      "  for (std::int64_t i = 0; i < n; ++i) sum = sum * 0.5 + x[i];\n  x[0] = sum;\n}\n",
      1, n, x);
  // A sum and a product of 4 cycles each.
  check_says(said(counts, {2.0 * n, 8.0 * n, 0, 8.0 * n}, 0, n * 8 / clock_hertz),
             {"little more than it must", "operations wait for each other"});
}

TEST_CASE("neither roof nor excess: instructions besides the work take the time") {
  const std::int64_t n = 4096;
  std::vector<double> x(n);
  const Counts counts = counted(
      "EXPORT void f(std::int64_t n, double* x) {\n"
      "  for (std::int64_t i = 0; i < n; ++i) {\n    std::int64_t h = i * 3;\n"
      "    h = (h ^ (h >> 7)) * 5;\n    h = (h ^ (h >> 9)) + i;\n"
      "    h = (h ^ (h << 3)) - 7;\n    x[i] += static_cast<double>(h & 1);\n  }\n}\n",
      1, n, x);
  const double instructions = counts.details.at(instructions_detail).value;
  check_says(
      said(counts, {1.0 * n, 8.0 * n, 8.0 * n, 8.0 * n}, 0, instructions / (4 * clock_hertz)),
      {"its instructions take the time: 4.00 pass in a cycle"});
}

TEST_CASE("too much: twice the flops, a strided walk, two passes where one does") {
  const std::int64_t n = 1 << 16;
  std::vector<double> x(8 * n, 0.5);
  const char* const twice =
      "EXPORT void f(std::int64_t n, double* x) {\n  for (std::int64_t i = 0; i < n; ++i) {\n"
      "    double t = x[i];\n    for (int k = 0; k < 64; ++k) t = t * t + 0.25;\n    x[i] = t;\n"
      "  }\n}\n";
  const std::int64_t few = 1024;
  check_says(said(counted(twice, 1, few, x), {64.0 * few, 8.0 * few, 8.0 * few, 8.0 * few}, 3),
             {"computes 2.00x what it must"});
  const char* const strided =
      "EXPORT void f(std::int64_t n, double* x) {\n  double sum = 0;\n"
      "  for (std::int64_t i = 1; i < n; ++i) sum += x[8 * i];\n  x[0] = sum;\n}\n";
  const std::string walked = said(counted(strided, 1, n, x), {1.0 * n, 8.0 * n, 0, 8.0 * n}, 12);
  check_says(walked, {"moves ", "x what it must"});
  CHECK(walked.find("scattered") == std::string::npos);
  const char* const passes =
      "EXPORT void f(std::int64_t n, double* x) {\n  double sum = 0;\n"
      "  for (int pass = 0; pass < 2; ++pass)\n"
      "    for (std::int64_t i = 1; i < n; ++i) sum += x[i];\n  x[0] = sum;\n}\n";
  check_says(said(counted(passes, 1, 8 * n, x), {8.0 * n, 64.0 * n, 0, 64.0 * n}, 3),
             {"moves 2", "x what it must"});
}

TEST_CASE("at a roof: a stream, products and sums, quotients") {
  const std::int64_t n = 1 << 20;
  std::vector<double> x(n, 0.5);
  const char* const stream =
      "EXPORT void f(std::int64_t n, double* x) {\n  double sum = 0;\n"
      "  for (std::int64_t i = 0; i < n; ++i) sum += x[i];\n  x[0] = sum;\n}\n";
  check_says(said(counted(stream, 1, n, x), {1.0 * n, 8.0 * n, 0, 8.0 * n}, 1.2),
             {"DRAM bandwidth is the limit"});
  const char* const products =
      "EXPORT void f(std::int64_t n, double* x) {\n  for (std::int64_t i = 0; i < n; ++i) {\n"
      "    double t = x[i];\n    for (int k = 0; k < 64; ++k) t = t * t + 0.25;\n    x[i] = t;\n"
      "  }\n}\n";
  const std::int64_t few = 1024;
  check_says(
      said(counted(products, 1, few, x), {128.0 * few, 8.0 * few, 8.0 * few, 8.0 * few}, 1.2),
      {"fp64", "is the limit"});
  const char* const quotients =
      "EXPORT void f(std::int64_t n, double* x) {\n"
      "  for (std::int64_t i = 0; i < n; ++i) x[i] = 1 / x[i];\n}\n";
  const std::string divided =
      said(counted(quotients, 1, few, x), {1.0 * few, 8.0 * few, 8.0 * few, 8.0 * few, true}, 1.2);
  check_says(divided, {"fp64 div is the limit"});
}

TEST_CASE("an undecided time carries no cause, and loads that overlap are told") {
  Counts counts;
  counts.details = {{scattered_loads, Estimate::exact(1e6)},
                    {counted_threads, Estimate::exact(1)},
                    {instructions_detail, Estimate::exact(1e6)}};
  counts.traffic["L2"].read = counts.traffic["DRAM"].read = Estimate::exact(64e6);
  const Machine machine = planted_machine();
  const double all = 1e6 * load_seconds;
  const auto found = bottlenecks(counts, machine, {all, 0, 6 * all});
  CHECK(found.empty());
  const auto overlapped = bottlenecks(counts, machine, {all / 3, all / 4, all / 2});
  REQUIRE_FALSE(overlapped.empty());
  CHECK(overlapped.front().kind == Bottleneck::Kind::latency);
  CHECK(std::lround(100 * overlapped.front().part) == 300);
}
