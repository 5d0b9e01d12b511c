// What well-behaved kernels may rely on: arguments, knobs, prepare and finish, problems, races.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "core/error.h"
#include "support/kernel_folder.h"

using namespace rooftune;
using Catch::Contains;
using Catch::StartsWith;

namespace {

constexpr const char* work_source = R"(
  "work": {"least": {"fp64": "n"}, "nominal": "n", "items": "n", "item": "element"},
  "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
  "reference": "reference.cpp")";

/// A kernel of n elements with the given arguments (JSON) and further members.
KernelFolder kernel_with(const std::string& arguments, const std::string& reference,
                         const std::string& openmp, const std::string& more = {}) {
  KernelFolder folder;
  folder.write("kernel.json", R"({"schema": "rooftune-kernel-1", "name": "k", "title": "k",
  "parameters": [{"name": "n", "type": "integer", "default": 100, "doc": "length"}],
  "arguments": [)" + arguments + "]," +
                                  work_source + more + "}");
  folder.write("reference.cpp", reference);
  folder.write("openmp.cpp", openmp);
  return folder;
}

constexpr const char* backend_text = R"(, "backends": {"openmp": {"source": "openmp.cpp"}})";
constexpr const char* length_parameter = R"({"name": "n", "type": "int64", "value": "n"},)";
constexpr const char* input_parameter =
    R"({"name": "x", "type": "double*", "count": "n", "access": "read",
  "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 7}},)";
constexpr const char* output_parameter =
    R"({"name": "y", "type": "double*", "count": "n", "access": "write"})";
constexpr const char* copy_source = R"(
void k(std::int64_t n, const double* x, double* y) { for (std::int64_t i = 0; i < n; ++i) y[i] = x[i]; })";

const Facts hundred = {{"n", Value(100)}};

/// A copy kernel whose y is wrong unless `condition` holds inside a parallel region of the variant.
KernelFolder checking(const std::string& condition, const std::string& more = {}) {
  return kernel_with(std::string(length_parameter) + input_parameter + output_parameter,
                     copy_source, R"(
#include <cstdlib>
#include <cstring>
extern "C" int omp_get_num_threads();
extern "C" int omp_get_max_threads();
extern "C" void omp_get_schedule(int*, int*);
void k(std::int64_t n, const double* x, double* y) {
  int kind = 0, chunk = 0, members = 0;
  omp_get_schedule(&kind, &chunk);
#pragma omp parallel
#pragma omp single
  members = omp_get_num_threads();
  const bool good = )" + condition + R"(;
  for (std::int64_t i = 0; i < n; ++i) y[i] = good ? x[i] : 1000 + members + 10 * kind + 100 * chunk;
})",
                     backend_text + more);
}

Trial checked(const KernelFolder& folder, const std::string& knobs) {
  Bench bench(folder.kernel(), knobs, test_limits(), hundred, 2);
  return bench.evaluate(bench.space().baseline());
}

}  // namespace

TEST_CASE("a result that was only kept from the first call is found out") {
  const KernelFolder folder = kernel_with(
      std::string(length_parameter) + input_parameter + output_parameter, copy_source, R"(
#include <cstring>
void k(std::int64_t n, const double* x, double* y) {
  static double kept[100];
  static bool known = false;
  if (!known) std::memcpy(kept, x, sizeof kept);
  known = true;
  for (std::int64_t i = 0; i < n; ++i) y[i] = kept[i];
})",
      backend_text);
  const Trial trial = checked(folder, "[]");
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK_THAT(trial.detail, Contains("timed") && Contains(": array y: element"));
}

TEST_CASE("a costly conversion is made once for a trial, and again at the end of a race") {
  const KernelFolder folder =
      kernel_with(std::string(length_parameter) + input_parameter + output_parameter, copy_source,
                  R"(
#include <unistd.h>
static int conversions = 0;
void k_prepare(std::int64_t, const double*, double*) { ++conversions; usleep(150000); }
void k(std::int64_t n, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = conversions > 1 ? -1 : x[i];
})",
                  R"(, "backends": {"openmp": {"source": "openmp.cpp", "prepare": true}})");
  Bench bench(folder.kernel(), "[]", test_limits(), hundred, 2);
  const Configuration baseline = bench.space().baseline();
  const Trial trial = bench.evaluate(baseline);
  CHECK(trial.detail == "");
  CHECK(trial.ok());
  CHECK(bench.evaluator().race({baseline}, {2, 1}).refuted.size() == 1);
}

TEST_CASE("OpenMP knobs set threads, schedule and chunk before the call") {
  const std::string knobs = R"([
    {"name": "threads", "kind": "openmp", "setting": "threads", "values": [3], "breaks": ["tlp"]},
    {"name": "schedule", "kind": "openmp", "setting": "schedule", "values": ["guided"], "breaks": ["balance"]},
    {"name": "chunk", "kind": "openmp", "setting": "chunk", "values": [5], "breaks": ["balance"]}])";
  const Trial trial = checked(checking("members == 3 && (kind & 7) == 3 && chunk == 5"), knobs);
  CHECK(trial.detail == "");
  CHECK(trial.ok());
}

TEST_CASE("without a threads knob a team has the study's threads") {
  const Trial trial = checked(checking("members == 2 && omp_get_max_threads() == 2"), "[]");
  CHECK(trial.detail == "");
}

TEST_CASE("environment knobs are there when the worker starts, and win over our defaults") {
  const std::string knobs =
      R"([{"name": "binding", "kind": "environment", "setting": "OMP_PROC_BIND",
    "values": ["spread"], "breaks": ["tlp"]}])";
  const Trial trial =
      checked(checking(R"(std::strcmp(std::getenv("OMP_PROC_BIND"), "spread") == 0)"), knobs);
  CHECK(trial.detail == "");
}

TEST_CASE("a person's own OpenMP variables do not reach a worker") {
  setenv("OMP_SCHEDULE", "dynamic,77", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  const Trial trial = checked(checking(R"(!std::getenv("OMP_SCHEDULE") && members == 2)"), "[]");
  unsetenv("OMP_SCHEDULE");
  unsetenv("OMP_NUM_THREADS");
  CHECK(trial.detail == "");
}

TEST_CASE("a different environment is a different worker, and both answer") {
  const KernelFolder folder = checking("true");
  Bench bench(folder.kernel(),
              R"([{"name": "binding", "kind": "environment", "setting": "OMP_PROC_BIND",
    "values": ["false", "close"], "breaks": ["tlp"]}])",
              test_limits(), hundred);
  for (const char* value : {"false", "close", "false"})
    CHECK(bench.evaluate(bench.with("binding", value)).ok());
}

TEST_CASE("compile knobs arrive as macros: numbers, truths, words and their enumerators") {
  const KernelFolder folder = checking(
      "KNOB_UNROLL == 4 && KNOB_FAST == 1 && KNOB_FORMAT == KNOB_FORMAT_SELL_C && "
      "KNOB_FORMAT_CSR != KNOB_FORMAT_SELL_C && KNOB_FACTOR == 0.5");
  const Trial trial = checked(folder, R"([
    {"name": "unroll", "kind": "compile", "values": [4], "breaks": ["ilp"]},
    {"name": "fast", "kind": "compile", "values": [true], "breaks": ["ilp"]},
    {"name": "factor", "kind": "compile", "values": [0.5], "breaks": ["ilp"]},
    {"name": "format", "kind": "compile", "values": ["csr", "sell-c"], "default": "sell-c", "breaks": ["ilp"]}])");
  CHECK(trial.detail == "");
  CHECK(trial.ok());
}

TEST_CASE("flag knobs reach the compiler") {
  const KernelFolder folder = checking("ROOFTUNE_FAST_MATH == 1");
  folder.write("openmp.cpp", R"(
void k(std::int64_t n, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] +
#ifdef __FAST_MATH__
  0;
#else
  1;
#endif
})");
  Bench bench(folder.kernel(), R"([{"name": "math", "kind": "flag", "values": ["plain", "fast"],
    "flags": [["-O2"], ["-O3", "-ffast-math"]], "breaks": ["simd"]}])",
              test_limits(), hundred);
  CHECK(bench.evaluate(bench.with("math", "fast")).ok());
  CHECK(bench.evaluate(bench.with("math", "plain")).outcome == Outcome::wrong_result);
}

TEST_CASE("argument knobs reach scalar arguments, and the reference keeps the defaults") {
  const KernelFolder folder = kernel_with(
      std::string(length_parameter) + R"({"name": "block", "type": "int32", "value": "2 * b"},)" +
          input_parameter + output_parameter,
      R"(void k(std::int64_t n, std::int32_t, const double* x, double* y) {
        for (std::int64_t i = 0; i < n; ++i) y[i] = x[i]; })",
      R"(void k(std::int64_t n, std::int32_t block, const double* x, double* y) {
        for (std::int64_t i = 0; i < n; ++i) y[i] = block == 6 ? x[i] : 99; })",
      backend_text);
  Bench bench(folder.kernel(),
              R"([{"name": "b", "kind": "argument", "values": [1, 3], "breaks": ["capacity"]}])",
              test_limits(), hundred);
  CHECK(bench.evaluate(bench.with("b", 3)).ok());
  CHECK(bench.evaluate(bench.with("b", 1)).outcome == Outcome::wrong_result);
}

TEST_CASE("memory knobs: huge pages, first touch, policy and offset leave the results alone") {
  const KernelFolder folder = kernel_with(
      std::string(length_parameter) + input_parameter + output_parameter, copy_source, R"(
void k(std::int64_t n, const double* x, double* y) {
  const bool apart = (reinterpret_cast<std::uintptr_t>(y) & 4095) == 24 &&
                     (reinterpret_cast<std::uintptr_t>(x) & 4095) == 0;
  for (std::int64_t i = 0; i < n; ++i) y[i] = apart ? x[i] : 99; })",
      backend_text);
  Bench bench(folder.kernel(), R"([
    {"name": "huge", "kind": "memory", "setting": "huge_pages", "values": [false, true], "breaks": ["huge_pages"]},
    {"name": "touch", "kind": "memory", "setting": "first_touch", "values": ["serial", "parallel"], "breaks": ["numa"]},
    {"name": "policy", "kind": "memory", "setting": "numa_policy", "values": ["local", "interleave"], "breaks": ["numa"]},
    {"name": "offset", "kind": "memory", "setting": "offset", "values": [0, 24], "breaks": ["conflict"]}])",
              test_limits(), {{"n", Value(1 << 20)}});
  for (std::uint64_t i = 0; i < bench.space().size(); ++i) {
    const Configuration configuration = bench.space().configuration(i);
    const Trial trial = bench.evaluate(configuration);
    INFO(configuration.key() << ": " << trial.detail);
    CHECK((trial.outcome == Outcome::ok) == (configuration.at("offset") == Value(24)));
  }
}

TEST_CASE("prepare is timed apart, finish only serves validation") {
  const KernelFolder folder = kernel_with(
      std::string(length_parameter) + input_parameter + output_parameter, copy_source, R"(
static double* own = nullptr;
static double factor = 0;
void k_prepare(std::int64_t, const double*, double* y) { own = y; factor = 2; }
void k(std::int64_t n, const double* x, double*) { for (std::int64_t i = 0; i < n; ++i) own[i] = factor * x[i]; }
void k_finish(std::int64_t n, const double*, double* y) { for (std::int64_t i = 0; i < n; ++i) y[i] /= 2; }
)",
      R"(, "backends": {"openmp": {"source": "openmp.cpp",
    "prepare": true, "finish": true}})");
  const Trial trial = checked(folder, "[]");
  CHECK(trial.detail == "");
  REQUIRE(trial.ok());
  CHECK(trial.measurement->prepare_seconds > 0);
}

TEST_CASE("update arrays start afresh for every validation") {
  const KernelFolder folder = kernel_with(
      std::string(length_parameter) +
          R"({"name": "y", "type": "float*", "count": "n", "access": "update",
        "fill": {"kind": "constant", "value": 3}})",
      "void k(std::int64_t n, float* y) { for (std::int64_t i = 0; i < n; ++i) y[i] = 0.5f * y[i] "
      "+ 1; }",
      "void k(std::int64_t n, float* y) { for (std::int64_t i = 0; i < n; ++i) y[i] = 0.5f * y[i] "
      "+ 1; }",
      backend_text);
  Bench bench(folder.kernel(), "[]", test_limits(), hundred);
  for (int i = 0; i < 3; ++i) CHECK(bench.evaluate(bench.space().baseline()).ok());
}

TEST_CASE("integer outputs must be equal, one wrong element is enough") {
  const std::string arguments =
      std::string(length_parameter) +
      R"({"name": "y", "type": "int64*", "count": "n", "access": "write"})";
  const std::string right =
      "void k(std::int64_t n, std::int64_t* y) { for (std::int64_t i = 0; i < n; ++i) y[i] = "
      "9007199254740993 + i; }";
  const std::string wrong =
      "void k(std::int64_t n, std::int64_t* y) { for (std::int64_t i = 0; i < n; ++i) y[i] = "
      "9007199254740993 + i - (i == 99); }";
  const std::string exact = std::string(backend_text) + R"(, "tolerance": {"relative": 0})";
  CHECK(checked(kernel_with(arguments, right, right, exact), "[]").ok());
  const Trial trial = checked(kernel_with(arguments, right, wrong, exact), "[]");
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK_THAT(trial.detail, StartsWith("array y: element 99 of 100: got 9007199254741091, expected "
                                      "9007199254741092"));
}

TEST_CASE("an element that a variant leaves unwritten is found") {
  const Trial trial = checked(
      kernel_with(std::string(length_parameter) + input_parameter + output_parameter, copy_source,
                  "void k(std::int64_t n, const double* x, double* y) { "
                  "for (std::int64_t i = 1; i < n; ++i) y[i] = x[i]; }",
                  backend_text),
      "[]");
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK_THAT(trial.detail, Contains("element 0 of 100: got nan"));
}

TEST_CASE("from cold caches every sample is one call") {
  const KernelFolder folder =
      kernel_with(std::string(length_parameter) + input_parameter + output_parameter, copy_source,
                  copy_source, std::string(backend_text) + R"(, "cache": "cold")");
  const Trial trial = checked(folder, "[]");
  REQUIRE(trial.ok());
  CHECK(trial.measurement->repeats == 1);
  CHECK(trial.measurement->samples.size() >= 3);
}

TEST_CASE("a hopeless variant is dropped after three clean samples at most and stays ok") {
  const KernelFolder folder = checking("true");
  Bench bench(folder.kernel(), "[]", test_limits(), hundred);
  const Trial trial = bench.evaluate(bench.space().baseline(), 1e-12);
  REQUIRE(trial.ok());
  // On a busy machine disturbed ones lie between, and its time may be over before the third.
  CHECK(std::ranges::count_if(trial.measurement->samples, &Sample::clean) <= 3);
}

TEST_CASE("a race gives every configuration one time per round") {
  const KernelFolder folder = kernel_with(
      std::string(length_parameter) + input_parameter + output_parameter, copy_source, R"(
void k(std::int64_t n, const double* x, double* y) {
  for (int round = 0; round < KNOB_WORK; ++round)
    for (std::int64_t i = 0; i < n; ++i) { y[i] = x[i]; asm volatile("" ::: "memory"); } })",
      backend_text);
  Bench bench(folder.kernel(), R"([
    {"name": "work", "kind": "compile", "values": [1, 50], "breaks": ["work"]},
    {"name": "binding", "kind": "environment", "setting": "OMP_PROC_BIND", "values": ["close", "false"], "breaks": ["tlp"]},
    {"name": "huge", "kind": "memory", "setting": "huge_pages", "values": [false, true], "breaks": ["huge_pages"]}])",
              test_limits(), {{"n", Value(10000)}});
  std::vector<Configuration> runners;
  for (std::uint64_t i = 0; i < bench.space().size(); ++i)
    runners.push_back(bench.space().configuration(i));
  const Rounds rounds = bench.evaluator().race(runners, {3, 1});
  CHECK(rounds.fault == "");
  REQUIRE(rounds.seconds.size() == 3);
  for (const auto& round : rounds.seconds) {
    REQUIRE(round.size() == runners.size());
    for (const double seconds : round) CHECK(seconds > 0);
  }
}

TEST_CASE("equal artefacts keep states of their own in a race") {
  const KernelFolder folder = kernel_with(
      std::string(length_parameter) + R"({"name": "s", "type": "int64", "value": "b"},)" +
          input_parameter + output_parameter,
      R"(void k(std::int64_t n, std::int64_t, const double* x, double* y) {
        for (std::int64_t i = 0; i < n; ++i) y[i] = x[i]; })",
      R"(static std::int64_t prepared = 0;
void k_prepare(std::int64_t, std::int64_t s, const double*, double*) { prepared = s; }
void k(std::int64_t n, std::int64_t s, const double* x, double* y) {
  if (prepared != s) __builtin_trap();
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i]; })",
      R"(, "backends": {"openmp": {"source": "openmp.cpp", "prepare": true}})");
  Bench bench(folder.kernel(),
              R"([{"name": "b", "kind": "argument", "values": [1, 2], "breaks": ["capacity"]}])",
              test_limits(), hundred);
  const Rounds rounds = bench.evaluator().race({bench.with("b", 1), bench.with("b", 2)}, {4, 9});
  CHECK(rounds.fault == "");
  CHECK(rounds.seconds.size() == 4);
}

TEST_CASE("a finalist that fails ends the race with its name, what came before stands") {
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), test_limits(), {{"n", Value(1000)}});
  const Rounds rounds =
      bench.evaluator().race({bench.space().baseline(), bench.with("mode", "segfault")}, {3, 1});
  CHECK_THAT(rounds.fault, Contains("mode=segfault") && Contains("crashed") && Contains("SIGSEGV"));
  CHECK(rounds.seconds.empty());
  CHECK(bench.evaluate(bench.space().baseline()).ok());
}

TEST_CASE("what is built ahead costs its trial the compiler's seconds and a share of the wait") {
  const KernelFolder folder =
      kernel_with(std::string(length_parameter) + input_parameter + output_parameter, copy_source,
                  R"(
#if KNOB_UNROLL == 3
#error not three
#endif
void k(std::int64_t n, const double* x, double* y) { for (std::int64_t i = 0; i < n; ++i) y[i] = x[i]; })",
                  backend_text);
  Bench bench(folder.kernel(),
              R"([{"name": "unroll", "kind": "compile", "values": [1, 2, 3, 4], "breaks": ["ilp"]},
                  {"name": "chunk", "kind": "openmp", "setting": "chunk", "values": [1, 2], "breaks": ["balance"]}])",
              test_limits(), hundred, 2, 2);
  std::vector<Configuration> all;
  for (const int unroll : {1, 2, 3, 4}) all.push_back(bench.with("unroll", unroll));
  all.push_back(bench.with("chunk", 2));  // the same artefact as the first
  const auto begin = std::chrono::steady_clock::now();
  bench.evaluator().build(all);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  double waiting = 0;
  int built = 0;
  for (const Configuration& configuration : all) {
    INFO(configuration.key());
    const Trial trial = bench.evaluate(configuration);
    CHECK(trial.outcome ==
          (configuration.at("unroll") == Value(3) ? Outcome::build_failed : Outcome::ok));
    CHECK(trial.cost.total >= trial.cost.waiting + trial.cost.validate + trial.cost.time);
    CHECK(trial.cost.waiting <= trial.cost.build * 1.001 + 0.1);
    built += trial.cost.build > 0 ? 1 : 0;
    waiting += trial.cost.waiting;
    // It was paid for.
    CHECK(bench.evaluate(configuration).cost.build == 0);
  }
  CHECK(built == 4);
  CHECK(waiting <= wall.count());
  CHECK(waiting > 0);
}
