// Variants that are right where they expect to be looked at and cheaper where they do not: honest
// errors have the same shapes (a flag "already initialised", memoisation, an early exit).
#include <catch2/catch.hpp>

#include "core/file.h"
#include "run/process_state.h"
#include "support/kernel_folder.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// y[i] = polynomial of degree 32 in x[i]; "half" computes half of the elements.
constexpr const char* common = R"cpp(
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <time.h>
#include <vector>
  static double value(double x) {
    double y = 0.1;
    for (int k = 1; k <= 32; ++k) y = y * x + 0.01 * k;
    return y;
  }
  static void part(std::int64_t begin, std::int64_t end, const double* x, double* y) {
    for (std::int64_t i = begin; i < end; ++i) y[i] = value(x[i]);
  }
  static void all(std::int64_t n, const double* x, double* y) { part(0, n, x, y); }
  static void half(std::int64_t n, const double* x, double* y) { part(0, n / 2, x, y); }
)cpp";

constexpr const char* random_fill = R"({"kind": "uniform", "low": -1, "high": 1, "seed": 7})";

KernelFolder polynomial(const std::string& variant, const std::string& fill = random_fill) {
  KernelFolder folder;
  const auto has = [&](const char* name) {
    return variant.find(name) == std::string::npos ? "false" : "true";
  };
  folder.write("kernel.json",
               std::string(R"({"schema": "rooftune-kernel-1", "name": "k", "title": "k",
  "parameters": [{"name": "n", "type": "integer", "default": 4000, "doc": "length"}],
  "arguments": [
    {"name": "n", "type": "int64", "value": "n"},
    {"name": "x", "type": "double*", "count": "n", "access": "read",
     "fill": )" + fill + R"(},
    {"name": "y", "type": "double*", "count": "n", "access": "write"}],
  "work": {"least": {"fp64": "64*n"}, "nominal": "64*n", "items": "n", "item": "element"},
  "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
  "reference": "reference.cpp", "backends": {"openmp": {"source": "openmp.cpp", "prepare": )") +
                   has("k_prepare") + R"(, "finish": )" + has("k_finish") + "}}}");
  const std::string honest =
      std::string(common) +
      "void k(std::int64_t n, const double* x, double* y) { all(n, x, y); }\n";
  folder.write("reference.cpp", honest);
  folder.write("openmp.cpp", variant.empty() ? honest : common + variant);
  return folder;
}

Trial tried(const std::string& variant, const std::string& fill = random_fill) {
  RunLimits limits = test_limits();
  limits.trial_seconds = 1;
  limits.max_samples = 1000;
  const KernelFolder folder = polynomial(variant, fill);
  Bench bench(folder.kernel(), "[]", limits, {{"n", Value(4000)}}, 1);
  return bench.evaluate(bench.space().baseline());
}

constexpr const char* signature = "void k(std::int64_t n, const double* x, double* y) ";
/// Keeps x and the result of each element.
constexpr const char* each_element = R"({
  static std::vector<double> in(n, 2), out(n);
  for (std::int64_t i = 0; i < n; ++i) {
    if (in[i] != x[i]) out[i] = value(in[i] = x[i]);
    y[i] = out[i];
  }
})";

}  // namespace

TEST_CASE("results that are right only where they are looked at are found") {
  const auto [name, body] = GENERATE(table<std::string, std::string>({
      {"half where the output is there",
       "{ std::isnan(y[n - 1]) ? all(n, x, y) : half(n, x, y); }"},
      {"nothing where the output is there", "{ if (std::isnan(y[n / 2])) all(n, x, y); }"},
      {"where any output is poison", R"({
        for (std::int64_t i = 0; i < n; ++i)
          if (std::isnan(y[i])) return all(n, x, y);
      })"},
      {"result kept by two inputs", R"({
        static std::vector<double> out;
        static double hash = 0;
        if (hash != x[0] + 3 * x[n - 1]) {
          all(n, x, y);
          hash = x[0] + 3 * x[n - 1];
          out.assign(y, y + n);
        }
        std::memcpy(y, out.data(), 8 * n);
      })"},
      {"the same without a copy", R"({
        static double hash = 0;
        if (hash != x[0] + 3 * x[n - 1]) all(n, x, y);
        hash = x[0] + 3 * x[n - 1];
      })"},
      {"half in a quick loop", R"({
        static double last = 0;
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        const double begin = now.tv_sec + 1e-9 * now.tv_nsec;
        begin - last > 20e-6 ? all(n, x, y) : half(n, x, y);
        clock_gettime(CLOCK_MONOTONIC, &now);
        last = now.tv_sec + 1e-9 * now.tv_nsec;
      })"},
      {"half for the first input from the second call on", R"({
        static double first = 0;
        static int calls = 0;
        if (calls == 0) first = x[0];
        ++calls > 1 && x[0] == first ? half(n, x, y) : all(n, x, y);
      })"},
      {"every third call half",
       "{ static int calls = 0; ++calls % 3 ? all(n, x, y) : half(n, x, y); }"},
      {"already initialised",
       "{ static bool done = false; if (!done) all(n, x, y); done = true; }"},
  }));
  CAPTURE(name);
  const Trial trial = tried(signature + body);
  CAPTURE(trial.detail);
  CHECK(trial.outcome == Outcome::wrong_result);
}

TEST_CASE("results made in prepare or finish are found") {
  const std::string empty = std::string(signature) + "{}\n";
  const std::string halved = std::string(signature) + "{ half(n, x, y); }\n";
  const std::string prepare = "void k_prepare(std::int64_t n, const double* x, double* y) ";
  const std::string finish = "void k_finish(std::int64_t n, const double* x, double* y) ";
  const std::string rest = "{ part(n / 2, n, x, y); }";
  for (const std::string& variant :
       {empty + prepare + "{ all(n, x, y); }", halved + prepare + rest,
        empty + finish + "{ all(n, x, y); }", halved + finish + rest}) {
    CAPTURE(variant);
    const Trial trial = tried(variant);
    CAPTURE(trial.detail);
    CHECK(trial.outcome == Outcome::wrong_result);
  }
}

TEST_CASE("results kept from earlier inputs are told by the time on new ones") {
  const auto [name, body] = GENERATE(table<std::string, std::string>({
      {"of all inputs", std::string(signature) + R"({
        static std::vector<double> in, out;
        if (in.empty() || std::memcmp(in.data(), x, 8 * n) != 0) {
          all(n, x, y);
          in.assign(x, x + n);
          out.assign(y, y + n);
        }
        std::memcpy(y, out.data(), 8 * n);
      })"},
      {"of each element", std::string(signature) + each_element},
      {"of half of the elements", std::string(signature) + R"({
        static std::vector<double> in(n, 2), out(n);
        for (std::int64_t i = 0; i < n / 2; ++i) {
          if (in[i] != x[i]) out[i] = value(in[i] = x[i]);
          y[i] = out[i];
        }
        part(n / 2, n, x, y);
      })"},
      {"of each block of 32", std::string(signature) + R"({
        static std::vector<std::uint64_t> keys(n / 32);
        static std::vector<double> out(n);
        for (std::int64_t i = 0; i < n; i += 32) {
          std::uint64_t key = 1;
          for (std::int64_t k = i; k < i + 32; ++k) {
            std::uint64_t bits;
            std::memcpy(&bits, x + k, 8);
            key = key * 0x9e3779b97f4a7c15 + bits;
          }
          if (keys[i / 32] != key) part(i, i + 32, x, out.data());
          keys[i / 32] = key;
          std::memcpy(y + i, out.data() + i, 8 * 32);
        }
      })"},
      {"in a table of values", std::string(signature) + R"({
        static std::vector<std::pair<double, double>> table(1 << 16, {2, 0});
        for (std::int64_t i = 0; i < n; ++i) {
          std::uint64_t bits;
          std::memcpy(&bits, x + i, 8);
          auto& [key, kept] = table[bits * 0x9e3779b97f4a7c15 >> 48];
          if (key != x[i]) kept = value(key = x[i]);
          y[i] = kept;
        }
      })"},
      {"from the tenth call on an input", std::string(signature) + R"({
        static std::vector<double> in(n, 2);
        static int same = 0;
        static std::vector<double> out(n);
        same = std::memcmp(in.data(), x, 8 * n) == 0 ? same + 1 : 0;
        if (same < 10) all(n, x, out.data());
        in.assign(x, x + n);
        std::memcpy(y, out.data(), 8 * n);
      })"},
      {"by a thread between calls", std::string(R"(
#include <atomic>
#include <memory>
#include <thread>
#include <unistd.h>
struct Kept { std::atomic<double> in{2}, out{0}; };
static double of(Kept& kept, double x) {
  if (kept.in == x) return kept.out;
  const double y = value(x);
  kept.in = 2;
  kept.out = y;
  kept.in = x;
  return y;
}
)") + signature + R"({
        static auto* const all = new Kept[n];
        static std::thread* const helper = new std::thread([=] {
          for (;; ::usleep(20))
            for (std::int64_t i = 0; i < n; ++i) of(all[i], x[i]);
        });
        (void)helper;
        for (std::int64_t i = 0; i < n; ++i) y[i] = all[i].in == x[i] ? all[i].out.load() : value(x[i]);
      })"},
      {"behind prepare", std::string(R"(
void k_prepare(std::int64_t, const double*, double*) {}
)") + signature + R"({
        static double hash = 0;
        static std::vector<double> out(n);
        const double now = x[0] + 3 * x[n - 1] + 5 * x[n / 2];
        if (hash != now) all(n, x, out.data());
        hash = now;
        std::memcpy(y, out.data(), 8 * n);
      })"},
  }));
  CAPTURE(name);
  const Trial trial = tried(body);
  CAPTURE(trial.detail);
  if (!trial.ok()) {
    // Eight other elements, none of them hashed.
    CHECK(name == "behind prepare");
    return;
  }
  REQUIRE(trial.measurement->remembers);
  CAPTURE(trial.measurement->remembers->value);
  CHECK_THAT(trial.measurement->memory(),
             Contains("remembers its last input: ") && Contains("x slower on new data ["));
}

TEST_CASE("results kept of inputs that are not random are told by numbers a little smaller") {
  constexpr const char* sine = R"({"kind": "sine", "scale": 0.01})";
  const Trial kept = tried(std::string(signature) + each_element, sine);
  CAPTURE(kept.detail);
  REQUIRE(kept.ok());
  CHECK_THAT(kept.measurement->memory(), Contains("remembers its last input: "));
  const Trial honest = tried({}, sine);
  REQUIRE(honest.ok());
  REQUIRE(honest.measurement->remembers);
  CHECK(honest.measurement->memory() == "");
}

TEST_CASE("results kept of calls too long for a share of the trial are told") {
  const KernelFolder folder = polynomial(std::string(signature) + each_element);
  Bench bench(folder.kernel(), "[]", test_limits(), {{"n", Value(400000)}}, 1);
  const Trial trial = bench.evaluate(bench.space().baseline());
  CAPTURE(trial.detail);
  REQUIRE(trial.ok());
  const bool is_hidden = trial.measurement->disturbed && !trial.measurement->remembers;
  CHECK((is_hidden || !trial.measurement->memory(forbidden_memory).empty()));
}

TEST_CASE("a kernel that is called on the same inputs may keep results") {
  const KernelFolder folder = polynomial(std::string(signature) + each_element);
  std::string manifest = text_if_readable(folder.path() / "kernel.json");
  folder.write("kernel.json", manifest.replace(1, 0, R"("inputs": "kept", )"));
  Bench bench(folder.kernel(), "[]", test_limits(), {{"n", Value(4000)}}, 1);
  const Trial trial = bench.evaluate(bench.space().baseline());
  REQUIRE(trial.ok());
  CHECK(!trial.measurement->remembers);
  folder.write("kernel.json", manifest.replace(manifest.find("kept"), 4, "old"));
  CHECK_THROWS_WITH(folder.kernel(), Contains("unknown word \"old\""));
}

TEST_CASE("a table made in prepare is told by its time") {
  const Trial trial = tried(R"(
static std::vector<double> table;
void k_prepare(std::int64_t n, const double* x, double* y) { table.resize(n); all(n, x, table.data()); }
void k(std::int64_t n, const double*, double* y) { std::memcpy(y, table.data(), 8 * n); }
)");
  REQUIRE(trial.ok());
  // The answer's line of conversion.
  CHECK(trial.measurement->prepare_seconds > trial.measurement->seconds.value);
}

TEST_CASE("memory and open files that each call keeps are told") {
  const Trial memory = tried(std::string(signature) +
                             "{ all(n, x, y); static void* volatile kept; "
                             "kept = std::memset(std::malloc(1 << 14), 1, 1 << 14); }");
  REQUIRE(memory.ok());
  CHECK_THAT(memory.detail, Contains("each call keeps ") && Contains("KiB of memory"));
  CHECK(run::growth({5, 0}, {105, 1000}, 100) == "each call leaves 1 files open");
  CHECK(run::growth({5, 0}, {6, 1 << 19}, 100) == "");
  // Three long calls, and what the worker opens at its first sample.
  CHECK(run::growth({5, 0}, {7, 0}, 3) == "");
}

TEST_CASE("honest variants pass all looks") {
  for (const std::string& variant : {std::string(), std::string(R"(
static std::vector<double> own;
void k_prepare(std::int64_t n, const double*, double*) { own.resize(n); }
void k(std::int64_t n, const double* x, double*) { all(n, x, own.data()); }
void k_finish(std::int64_t n, const double*, double* y) { std::memcpy(y, own.data(), 8 * n); }
)")}) {
    const Trial trial = tried(variant);
    CAPTURE(variant, trial.detail);
    REQUIRE(trial.ok());
    CHECK(trial.detail == "");
    REQUIRE(trial.measurement->remembers);
    CHECK(trial.measurement->memory() == "");
  }
}

TEST_CASE("an output that the variant has unmapped is named as such") {
  const KernelFolder folder = misbehaving_kernel();
  folder.write("openmp.cpp", R"(
#include <sys/mman.h>
#include <cstdint>
void scale(std::int64_t n, double s, const double* x, double* y) {
  if (KNOB_MODE == 1) mprotect(reinterpret_cast<void*>(std::uintptr_t(y) & -4096), 1, PROT_NONE);
  for (std::int64_t i = 0; i < n; ++i) y[i] = s * x[i];
}
)");
  Bench bench(folder.kernel(),
              R"([{"name": "mode", "kind": "compile", "values": [0, 1], "breaks": ["work"]}])",
              test_limits(), {{"n", Value(1000)}});
  CHECK(bench.evaluate(bench.space().baseline()).ok());
  const Trial trial = bench.evaluate(bench.with("mode", Value(1)));
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK(trial.detail ==
        "array y: element 0 of 1000 was written after the variant had unmapped or locked it");
}
