// Planted causes: what an answer says of code with a known limit, from counts of its own machine
// code. The time is the one that the cause would make: no test depends on this machine's speed.
#include <catch2/catch.hpp>
#include <memory>
#include <numeric>

#include "instrumentation/extension.h"
#include "roofline/busy.h"
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
  for (const int threads : {1, 2}) {
    for (const int bits : {64, 512})
      machine.ceilings.push_back(
          sample::in_core("fp64", bits, "div", 12, threads, bits / 256.0 * 1e9 * threads));
    for (const auto& [mix, each] :
         {std::pair("add", 4.0), {"compare", 4.0}, {"shift", 2.0}, {"mul", 1.0}})
      machine.ceilings.push_back(
          sample::in_core("int64", 64, mix, 6, threads, each * clock_hertz * threads));
    machine.ceilings.push_back(
        sample::in_core("instructions", 64, "any", 6, threads, 6 * clock_hertz * threads));
  }
  for (const char* mix : {"add", "mul"})
    machine.ceilings.push_back(sample::in_core("fp64", 64, mix, 1, 1, clock_hertz / 4));
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

Roofline planted(const Least& least) {
  Roofline roofline{{}, {}, planted_machine(), 2};
  roofline.work.least["fp64"] = Flops(least.flops);
  if (least.divisions) roofline.work.operations["fp64"]["div"] = least.flops;
  roofline.traffic.read = Bytes(least.read);
  roofline.traffic.write = Bytes(least.write);
  roofline.traffic.footprint = Bytes(least.footprint);
  return roofline;
}

/// Of code with these counts that takes `times` its bound.
Gap gap_of(const Counts& counts, const Least& least, double times) {
  const Roofline roofline = planted(least);
  return roofline.gap(Estimate::exact(times * roofline.bound().time.value()), &counts, "");
}
Limit limit_at(const Counts& counts, const Least& least, double times) {
  const Roofline roofline = planted(least);
  return limit(counts, roofline, Estimate::exact(times * roofline.bound().time.value()));
}

/// What limits a call of so many seconds.
Limit limit_of(const Counts& counts, double seconds) {
  return limit(counts, {{}, {}, planted_machine(), 2}, Estimate::exact(seconds));
}

void check_cause(const Limit& found, Cause::Kind kind, double share, double amount) {
  CHECK_FALSE(found.at_limit());
  REQUIRE(found.cause);
  CHECK(found.cause->kind == kind);
  CHECK(found.cause->share == Approx(share).epsilon(0.1));
  CHECK(found.cause->amount == Approx(amount).epsilon(0.05));
  if (!found.parts.empty()) CHECK(found.cause->share <= 1 - found.parts[0].share.value);
}

const char* const pragma_source =
    "EXPORT void f(std::int64_t n, double* x) {\n"
    "  for (int region = 0; region < 200; ++region) {\n"
    "#pragma omp parallel for schedule(static) num_threads(2)\n"
    "    for (std::int64_t i = 0; i < n; ++i) x[i] += 1;\n  }\n}\n";

}  // namespace

TEST_CASE("a call's input and output are counted once, whatever passes over them") {
  const std::int64_t n = 4096;
  std::vector<double> x(3 * n, 1);
  const Counts counts = counted(
      "EXPORT void f(std::int64_t n, double* x) {\n  for (int pass = 0; pass < 3; ++pass)\n"
      "    for (std::int64_t i = 0; i < n; ++i) x[i] = x[n + i] + x[2 * n + i] * x[n + i];\n}\n",
      1, n, x);
  CHECK(counts.details.at(bytes_read_first).value == 16 * n);
  CHECK(counts.details.at(bytes_left_written).value == 8 * n);
  CHECK(counts.loads->bytes.value >= 3 * 16 * n);
}

/// A random cycle through so many lines.
std::vector<std::int64_t> cycle(std::int64_t nodes) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(nodes)), next(8 * order.size());
  std::iota(order.begin(), order.end(), 0);
  Rng rng(1, 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  for (std::size_t i = 0; i < order.size(); ++i)
    next[static_cast<std::size_t>(8 * order[i])] = 8 * order[(i + 1) % order.size()];
  return next;
}

TEST_CASE("cause: a chain of loads waits for memory") {
  const std::int64_t nodes = 1 << 16;
  std::vector<std::int64_t> next = cycle(nodes);
  const char* const walk =
      "EXPORT void f(std::int64_t n, std::int64_t* x) {\n  std::int64_t at = 0;\n"
      "  for (std::int64_t i = 0; i < n; ++i) at = x[at];\n  x[1] = at;\n}\n";
  const double seconds = nodes * load_seconds;
  const Limit alone = limit_of(counted(walk, 1, nodes, next), seconds);
  check_cause(alone, Cause::Kind::dependent_loads, 1, nodes);
  CHECK(alone.cause->seconds == Approx(load_seconds).epsilon(0.05));
  // The second thread has nothing to do: the chain takes as long.
  const Counts idle = counted(walk, 2, nodes, next);
  check_cause(limit_of(idle, seconds), Cause::Kind::dependent_loads, 1, nodes);
}

TEST_CASE("cause: loads whose addresses are known before overlap, and are no cause") {
  const std::int64_t nodes = 1 << 16;
  std::vector<std::int64_t> order = cycle(nodes);
  const Counts counts = counted(
      "EXPORT void f(std::int64_t n, std::int64_t* x) {\n  std::int64_t sum = 0;\n"
      "  for (std::int64_t i = 0; i < n; ++i) sum ^= x[x[8 * i] + 1];\n  x[1] = sum;\n}\n",
      1, nodes, order);
  CHECK(counts.details.at(scattered_loads).value > nodes / 2);
  CHECK(counts.details.at(dependent_loads_detail).value == 0);
  CHECK_FALSE(limit_of(counts, nodes * load_seconds / 4).cause);
}

TEST_CASE("cause: quotients keep the divider busy, though no kernel declares them") {
  const std::int64_t n = 1024;
  std::vector<double> x(n, 0.5);
  const Limit found = limit_of(counted("EXPORT void f(std::int64_t n, double* x) {\n"
                                       "  for (std::int64_t i = 0; i < n; ++i) x[i] = 1 / x[i];\n"
                                       "}\n",
                                       1, n, x),
                               1.25 * n / 0.25e9);
  REQUIRE(found.at_limit());
  CHECK(found.parts[0].part == "divider");
  CHECK(found.parts[0].share.value == Approx(0.8).epsilon(0.02));
  CHECK(found.parts[0].amount == n);
  CHECK_FALSE(found.cause);
}

TEST_CASE("cause: parallel regions take the time") {
  std::vector<double> x(64);
  const Counts counts = counted(pragma_source, 2, 64, x);
  CHECK(counts.details.at(parallel_regions).value == 200);
  const double empty = counts.details.at(empty_region).value;
  REQUIRE(empty > 0);
  check_cause(limit_of(counts, 1.25 * 200 * empty), Cause::Kind::regions, 0.8, 200);
}

TEST_CASE("cause: half of the work is serial, or a triangle is dealt out in equal parts") {
  std::vector<double> x(1 << 15, 0.5);
  const auto check = [&](const char* text, std::int64_t n) {
    Counts counts = counted(text, 2, n, x);
    counts.details.erase(empty_region);  // of this computer, in this moment
    const double instructions = counts.details.at(instructions_detail).value;
    // The busiest thread's time at two instructions in a cycle.
    check_cause(limit_of(counts, 0.75 * instructions / 2 / clock_hertz), Cause::Kind::imbalance,
                1 / 3.0, 1.5);
  };
  check(
      "EXPORT void f(std::int64_t n, double* x) {\n"
      "#pragma omp parallel for schedule(static) num_threads(2)\n"
      "  for (std::int64_t i = 0; i < n; ++i) x[i] = x[i] * 0.5 + 1;\n"
      "  for (std::int64_t i = n; i < 2 * n; ++i) x[i] = x[i] * 0.5 + 1;\n}\n",
      1 << 14);
  check(
      "EXPORT void f(std::int64_t n, double* x) {\n"
      "#pragma omp parallel for schedule(static) num_threads(2)\n"
      "  for (std::int64_t i = 0; i < n; ++i)\n"
      "    for (std::int64_t j = 0; j < i; ++j) x[n * i + j] = x[n * i + j] * 0.5 + 1;\n}\n",
      180);
}

TEST_CASE("cause: operations of one chain wait for each other") {
  const std::int64_t n = 4096;
  std::vector<double> x(n);
  const Counts counts = counted(
      "EXPORT void f(std::int64_t n, double* x) {\n  double sum = 0;\n"
      "  for (std::int64_t i = 0; i < n; ++i) sum += x[i];\n  x[0] = sum;\n}\n",
      1, n, x);
  // A sum takes 4 cycles.
  const Limit found = limit_of(counts, n * 4 / clock_hertz);
  REQUIRE(found.cause);
  CHECK(found.cause->kind == Cause::Kind::dependent_operations);
  CHECK(found.cause->amount == Approx(n).epsilon(0.01));
  CHECK(found.cause->seconds == Approx(4 / clock_hertz));
  CHECK(found.cause->share == Approx(1 - found.parts[0].share.value));
}

TEST_CASE("cause: whole numbers keep their units busy, or nothing rates them") {
  const std::int64_t n = 4096;
  std::vector<std::int64_t> x(n);
  const Counts counts = counted(
      "EXPORT void f(std::int64_t n, std::int64_t* x) {\n"
      "  for (std::int64_t i = 0; i < n; ++i) {\n    std::int64_t h = x[i];\n"
      "    h = (h ^ (h >> 7)) * 0x9e3779b97f4a7c15;\n    h = (h ^ (h >> 9)) * 0x94d049bb133111eb;\n"
      "    x[i] = h ^ (h >> 31);\n  }\n}\n",
      1, n, x);
  CHECK(counts.details.at("int64 mul").value == 2 * n);
  CHECK(counts.details.at("int64 shift").value == 3 * n);
  // Two products, and three shifts of which two pass in a cycle, beside sums.
  const double seconds = 5 * n / clock_hertz;
  const Limit found = limit_of(counts, seconds);
  CHECK(found.at_limit());
  CHECK(found.parts[0].part == "integers");
  Roofline without{{}, {}, sample::machine(), 2};
  const Limit unrated = limit(counts, without, Estimate::exact(seconds));
  CHECK_FALSE(unrated.at_limit());
  CHECK(std::count(unrated.unrated.begin(), unrated.unrated.end(), "some integer operations") == 1);
}

TEST_CASE("too much: twice the flops, a strided walk, two passes where one does") {
  const std::int64_t n = 1 << 16;
  std::vector<double> x(8 * n, 0.5);
  const char* const twice =
      "EXPORT void f(std::int64_t n, double* x) {\n  for (std::int64_t i = 0; i < n; ++i) {\n"
      "    double t = x[i];\n    for (int k = 0; k < 64; ++k) t = t * t + 0.25;\n    x[i] = t;\n"
      "  }\n}\n";
  const std::int64_t few = 1024;
  const Gap computed =
      gap_of(counted(twice, 1, few, x), {64.0 * few, 8.0 * few, 8.0 * few, 8.0 * few}, 3);
  CHECK(computed.work.value() == Approx(2).epsilon(0.01));
  const char* const strided =
      "EXPORT void f(std::int64_t n, double* x) {\n  double sum = 0;\n"
      "  for (std::int64_t i = 1; i < n; ++i) sum += x[8 * i];\n  x[0] = sum;\n}\n";
  CHECK(gap_of(counted(strided, 1, n, x), {1.0 * n, 8.0 * n, 0, 8.0 * n}, 12).traffic.value() > 2);
  const char* const passes =
      "EXPORT void f(std::int64_t n, double* x) {\n  double sum = 0;\n"
      "  for (int pass = 0; pass < 2; ++pass)\n"
      "    for (std::int64_t i = 1; i < n; ++i) sum += x[i];\n  x[0] = sum;\n}\n";
  const Gap moved = gap_of(counted(passes, 1, 8 * n, x), {8.0 * n, 64.0 * n, 0, 64.0 * n}, 3);
  CHECK(moved.traffic.value() > 1.9);
  CHECK(moved.traffic.value() < 3);
}

TEST_CASE("at a roof: a stream, products and sums, quotients") {
  const std::int64_t n = 1 << 20;
  std::vector<double> x(n, 0.5);
  const char* const stream =
      "EXPORT void f(std::int64_t n, double* x) {\n  double sum = 0;\n"
      "  for (std::int64_t i = 0; i < n; ++i) sum += x[i];\n  x[0] = sum;\n}\n";
  const Limit streamed = limit_at(counted(stream, 1, n, x), {1.0 * n, 8.0 * n, 0, 8.0 * n}, 1.2);
  CHECK(streamed.at_limit());
  CHECK(streamed.parts.front().part == "memory");
  const char* const products =
      "EXPORT void f(std::int64_t n, double* x) {\n  for (std::int64_t i = 0; i < n; ++i) {\n"
      "    double t = x[i];\n    for (int k = 0; k < 64; ++k) t = t * t + 0.25;\n    x[i] = t;\n"
      "  }\n}\n";
  const std::int64_t few = 1024;
  const Limit computed =
      limit_at(counted(products, 1, few, x), {128.0 * few, 8.0 * few, 8.0 * few, 8.0 * few}, 1.2);
  CHECK(computed.at_limit());
  const char* const quotients =
      "EXPORT void f(std::int64_t n, double* x) {\n"
      "  for (std::int64_t i = 0; i < n; ++i) x[i] = 1 / x[i];\n}\n";
  const Limit divided = limit_at(counted(quotients, 1, few, x),
                                 {1.0 * few, 8.0 * few, 8.0 * few, 8.0 * few, true}, 1.2);
  CHECK(divided.parts.front().part == "divider");
}
