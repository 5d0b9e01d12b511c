// Kernels whose arrays change roles between calls: two steps are validated, and calls are timed as
// a loop in time makes them.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "core/pattern.h"
#include "support/kernel_folder.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// un = average of u and its neighbours, ends as they are.
constexpr const char* plain_step = R"(
void k(std::int64_t n, const double* u, double* un) {
  un[0] = u[0];
  un[n - 1] = u[n - 1];
  for (std::int64_t i = 1; i < n - 1; ++i) un[i] = (u[i - 1] + u[i] + u[i + 1]) / 3;
})";

/// The same in a layout of its own, step_of_own by an element.
constexpr const char* step_of_own = R"(
#include <map>
#include <vector>
static std::map<const void*, std::vector<double>> own;
void k_prepare(std::int64_t n, const double* u, double* un) {
  own.clear();
  own[un].resize(n + 1);
  own[u].assign(n + 1, 0);
  for (std::int64_t i = 0; i < n; ++i) own[u][i + 1] = u[i];
}
void k(std::int64_t n, const double* u_, double* un_) {
  const double* const u = own[OLD].data() + 1;
  double* const un = own[NEW].data() + 1;
  un[0] = u[0];
  un[n - 1] = u[n - 1];
  for (std::int64_t i = 1; i < n - 1; ++i) un[i] = (u[i - 1] + u[i] + u[i + 1]) / 3;
}
void k_finish(std::int64_t n, const double* u_, double* un_) {
  for (std::int64_t i = 0; i < n; ++i) un_[i] = own[NEW][i + 1];
})";

KernelFolder loop_kernel(const std::string& variant, const std::string& reference = plain_step) {
  KernelFolder folder;
  const std::string prepares = variant.find("k_prepare") == std::string::npos ? "false" : "true";
  folder.write("kernel.json", R"({"schema": "rooftune-kernel-1", "name": "k", "title": "k",
  "parameters": [{"name": "n", "type": "integer", "default": 3000, "doc": "length"}],
  "arguments": [
    {"name": "n", "type": "int64", "value": "n"},
    {"name": "u", "type": "double*", "count": "n", "access": "read",
     "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 7}},
    {"name": "un", "type": "double*", "count": "n", "access": "write"}],
  "swap": [["u", "un"]],
  "work": {"least": {"fp64": "3*n"}, "nominal": "3*n", "items": "n", "item": "element"},
  "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
  "tolerance": {"relative": 1e-12, "scale": "max"},
  "reference": "reference.cpp", "backends": {"openmp": {"source": "openmp.cpp", "prepare": )" +
                                  prepares + R"(, "finish": )" + prepares + "}}}");
  folder.write("reference.cpp", reference);
  folder.write("openmp.cpp", variant);
  return folder;
}

Trial looped(const std::string& variant, const std::string& reference = plain_step) {
  const KernelFolder folder = loop_kernel(variant, reference);
  Bench bench(folder.kernel(), "[]", test_limits(), {{"n", Value(3000)}}, 1);
  return bench.evaluate(bench.space().baseline());
}

/// `old` and `fresh`: the arrays whose counterparts are read and written.
std::string with_own_layout(const std::string& old, const std::string& fresh) {
  return "#define OLD " + old + "\n#define NEW " + fresh + step_of_own;
}

}  // namespace

TEST_CASE("two steps of a time loop are right, also in a layout that follows the arrays") {
  for (const std::string& variant : {std::string(plain_step), with_own_layout("u_", "un_")}) {
    const Trial trial = looped(variant);
    CAPTURE(variant, trial.detail);
    CHECK(trial.ok());
  }
}

TEST_CASE("a time loop is of numbers of any type") {
  const auto of = [](const std::string& text, const std::string& type) {
    return Pattern("double").replaced(text, type);
  };
  const auto [word, type] = GENERATE(table<std::string, std::string>(
      {{"float", "float"}, {"int16", "std::int16_t"}, {"complex<float>", "std::complex<float>"}}));
  CAPTURE(word);
  const auto step = [&, &type = type](const char* divisor) {
    return "#include <complex>\n" + Pattern("/ 3").replaced(of(plain_step, type), divisor);
  };
  for (const char* divisor : {"/ 3.f", "/ 2.f"}) {
    const KernelFolder folder = loop_kernel(step(divisor), step("/ 3.f"));
    std::string manifest = of(read_text(folder.path() / "kernel.json"), word);
    manifest = Pattern("\"low\": -1, \"high\": 1").replaced(manifest, "\"low\": -9, \"high\": 9");
    folder.write("kernel.json", Pattern("1e-12").replaced(manifest, "1e-6"));
    Bench bench(folder.kernel(), "[]", test_limits(), {{"n", Value(3000)}}, 1);
    const Trial trial = bench.evaluate(bench.space().baseline());
    CAPTURE(trial.detail);
    CHECK(trial.ok() == (divisor == std::string("/ 3.f")));
  }
}

TEST_CASE("a variant that is right in the first step and wrong in the second is caught") {
  const std::string loop =
      " for (std::int64_t i = 1; i < n - 1; ++i) un[i] = (u[i - 1] + u[i] + u[i + 1]) / 3; }";
  const std::string first = "void k(std::int64_t n, const double* u, double* un) { ";
  const auto [name, variant] = GENERATE_COPY(table<std::string, std::string>({
      {"it keeps what it has read in the first call",
       "#include <vector>\nstatic std::vector<double> kept;\n" + first +
           "if (kept.empty() || un[5] != un[5]) kept.assign(u, u + n); u = kept.data();"
           "un[0] = u[0]; un[n - 1] = u[n - 1];" +
           loop},
      {"it writes the ends of one array only",
       first +
           "static double* ends = un; if (un == ends) { un[0] = u[0]; un[n - 1] = u[n - 1]; }"
           "else { un[0] = 0; un[n - 1] = 0; }" +
           loop},
      {"its layout does not follow the arrays",
       "static const void* a; static const void* b;\n" + with_own_layout("a", "b")},
  }));
  CAPTURE(name);
  std::string source = variant;
  // The arrays of prepare, whatever a call has.
  if (name.starts_with("its layout"))
    source.replace(source.find("own.clear();"), 12, "own.clear(); a = u; b = un;");
  const Trial trial = looped(source);
  CAPTURE(trial.detail);
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK_THAT(trial.detail, Contains("array u: ") && Contains("in the second step"));
}

TEST_CASE("calls are timed with their arrays in turn") {
  // Ends the process in a third call with the same arrays in the same roles without the other
  // between.
  const Trial trial = looped(std::string(R"(
#include <cstdlib>
static const double* last = nullptr;
static int same = 0;
static void look(const double* u) {
  same = u == last ? same + 1 : 0;
  if (same > 1) std::abort();
  last = u;
}
#define k k_inner
static)") + plain_step +
                             "\n#undef k\nvoid k(std::int64_t n, const double* u, double* un) { "
                             "look(u); k_inner(n, u, un); }");
  CAPTURE(trial.detail);
  CHECK(trial.ok());
  REQUIRE(trial.measurement);
}

TEST_CASE("values of a time loop that grow beyond numbers are a wrong result") {
  const std::string grows =
      "void k(std::int64_t n, const double* u, double* un) {"
      " for (std::int64_t i = 0; i < n; ++i) un[i] = 1e100 * u[i]; }";
  const Trial trial = looped(grows, grows);
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK_THAT(trial.detail, Contains("after calls that go on from each other"));
}

TEST_CASE("a reference whose second step reads what the first did not write is refused") {
  const std::string inner =
      "void k(std::int64_t n, const double* u, double* un) {"
      " for (std::int64_t i = 1; i < n - 1; ++i)"
      " un[i] = (u[i - 1] + u[i] + u[i + 1]) / 3; }";
  CHECK_THROWS_WITH(looped(plain_step, inner),
                    Contains("array u: element 1 of 3000 is nan after the second step") &&
                        Contains("copy the border"));
}
