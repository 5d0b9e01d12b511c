// Kernels with a problem.cpp, and what its author, the reference's author or the user can do wrong.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "support/kernel_folder.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// y = x, x and its length from the problem; the sources can be replaced.
KernelFolder problem_kernel(const std::string& problem, const std::string& more = {}) {
  KernelFolder folder;
  folder.write("kernel.json", R"({"schema": "rooftune-kernel-1", "name": "k", "title": "k",
  "parameters": [{"name": "start", "type": "real", "default": 1, "doc": "first value"},
                 {"name": "word", "type": "text", "default": "yes", "doc": "a word"}],
  "facts": ["n"],
  "arguments": [
    {"name": "n", "type": "int64", "value": "n"},
    {"name": "x", "type": "double*", "from": "problem", "access": "read"},
    {"name": "y", "type": "double*", "count": "n", "access": "write"}],
  "work": {"least": {"fp64": "n"}, "nominal": "n", "items": "n", "item": "element"},
  "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
  "problem": "problem.cpp", "reference": "reference.cpp",
  "backends": {"openmp": {"source": "openmp.cpp"}})" +
                                  more + "}");
  folder.write("problem.cpp",
               "#include <rooftune/problem.h>\n#include <stdexcept>\n#include <unistd.h>\n"
               "void problem(rooftune::Problem& p) {\n" +
                   problem + "\n}\n");
  const std::string copy =
      "void k(std::int64_t n, const double* x, double* y) { for (std::int64_t i = 0; i < n; ++i) "
      "y[i] = x[i]; }";
  folder.write("reference.cpp", copy);
  folder.write("openmp.cpp", copy);
  return folder;
}

const Facts given_parameters = {{"start", Value(4.5)}, {"word", Value("no")}};
constexpr const char* good_text = R"(
  p.set("n", std::int64_t{10});
  double* x = p.float64("x", 10);
  for (int i = 0; i < 10; ++i) x[i] = p.real("start") + i + (p.text("word")[0] == 'n' ? 100 : 0);)";

/// Nearer ends where the expected error is an end of time.
RunLimits limits_for(const std::string& error) {
  return error.starts_with("does not return") ? hanging_limits() : test_limits();
}

/// The Error that a study of this folder throws, as text; empty when there is none.
std::string error_of(const KernelFolder& folder, const RunLimits& limits = test_limits()) {
  try {
    Bench bench(folder.kernel(), "[]", limits, given_parameters);
    const Trial trial = bench.evaluate(bench.space().baseline());
    return trial.ok() ? "" : "no error, but " + trial.detail;
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a problem gives facts and arrays") {
  const KernelFolder folder = problem_kernel(good_text);
  folder.write("openmp.cpp", R"(
void k(std::int64_t n, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] == 104.5 + i && n == 10 ? x[i] : -1; })");
  Bench bench(folder.kernel(), "[]", test_limits(), given_parameters);
  CHECK(bench.facts().at("n") == Value(10));
  const Trial trial = bench.evaluate(bench.space().baseline());
  CHECK(trial.detail == "");
  CHECK(trial.ok());
}

TEST_CASE("fail() comes back as an error with message, place and cure") {
  try {
    const KernelFolder folder =
        problem_kernel(R"(p.fail("row 7 is beyond the matrix", "a.mtx:12", "check the header");)");
    Bench bench(folder.kernel(), "[]", test_limits(), given_parameters);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.message() == "row 7 is beyond the matrix");
    CHECK(error.where() == "a.mtx:12");
    CHECK(error.hint() == "check the header");
  }
}

TEST_CASE("faults of a problem name problem.cpp") {
  const auto [problem, words] = GENERATE(table<std::string, std::string>({
      {"*reinterpret_cast<volatile int*>(8) = 1;", "SIGSEGV"},
      {"for (;;) sleep(1);", "does not return within 5 s"},
      {"throw std::runtime_error(\"no such thing\");", "no such thing"},
      {"struct Own : std::exception { const char* what() const noexcept override { return \"my "
       "own\"; } }; throw Own();",
       "my own"},
      {"p.float64(\"x\", 10);", "does not set fact \"n\""},
      {"p.set(\"n\", std::int64_t{10});", "makes no array \"x\""},
      {"p.set(\"n\", std::int64_t{10}); p.float32(\"x\", 10);",
       "makes array x of float, kernel.json says double"},
      {"p.set(\"n\", std::int64_t{10}); p.float64(\"x\", 10)[10] = 1;", "array x: written"},
      {"p.set(\"n\", std::int64_t{10}); p.float64(\"x\", -1);", "negative count"},
      {"p.set(\"n\", std::int64_t{10}); p.float64(\"../x\", 10);", "names an array"},
      {"p.set(\"n\", std::int64_t{10}); p.set(\"m\", 1.0); p.float64(\"x\", 10);",
       "sets fact \"m\""},
      {"p.set(\"n\", 0.0 / 0.0);", "not finite"},
      {"p.real(\"strat\");", "asks for parameter \"strat\""},
      {"this is no C++", "does not compile"},
  }));
  const std::string text = error_of(problem_kernel(problem), limits_for(words));
  INFO(text);
  CHECK_THAT(text, Contains(words));
  CHECK_THAT(text, Contains("problem.cpp"));
}

TEST_CASE("faults of a reference name reference.cpp") {
  const auto [reference, words] = GENERATE(table<std::string, std::string>({
      {"void k(std::int64_t, const double*, double*) { *reinterpret_cast<volatile int*>(8) = 1; }",
       "SIGSEGV"},
      {"#include <unistd.h>\nvoid k(std::int64_t, const double*, double*) { for (;;) sleep(1); }",
       "does not return within 5 s"},
      {"void k(std::int64_t, const double*, double*) {}", "writes nothing to array y"},
      {"void k(std::int64_t n, const double*, double* y) { for (std::int64_t i = 0; i <= n; ++i) "
       "y[i] = 1; }",
       "array y: written"},
      {"void k(std::int64_t n, const double* x, double* y) { const_cast<double*>(x)[3] = 1; for "
       "(std::int64_t i = 0; i < n; ++i) y[i] = 1; }",
       "array x is read only"},
      {"void k(std::int64_t, double*, double*) {}", "does not compile"},
      {"void other() {}", "does not compile"},
  }));
  const KernelFolder folder = problem_kernel(good_text);
  folder.write("reference.cpp", reference);
  const std::string text = error_of(folder, limits_for(words));
  INFO(text);
  CHECK_THAT(text, Contains(words));
  CHECK_THAT(text, Contains("reference.cpp"));
}

TEST_CASE("a tolerance can be scaled by an array of the problem") {
  const std::string scaled = R"(, "tolerance": {"relative": 0.5, "scale": "unit"})";
  const std::string good =
      std::string(good_text) +
      "double* unit = p.float64(\"unit\", 10); for (int i = 0; i < 10; ++i) unit[i] = i;";
  const KernelFolder folder = problem_kernel(good, scaled);
  folder.write("openmp.cpp", R"(
void k(std::int64_t n, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] + 0.49 * i; })");
  CHECK(error_of(folder) == "");
  folder.write("openmp.cpp", R"(
void k(std::int64_t n, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] + 0.51 * i; })");
  CHECK_THAT(error_of(folder), Contains("element 1 of 10") && Contains("9 elements are wrong"));
  const KernelFolder missing = problem_kernel(good_text, scaled);
  CHECK_THAT(error_of(missing), Contains("unit"));
}
