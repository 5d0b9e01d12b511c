// From an application to a kernel folder: a captured call, a function of a source, and both.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// The application's call is in capture/heat.
void run_captured(const User& user) {
  std::filesystem::copy(example("captured"), user.path("app"));
  output_of(
      user,
      {"g++", "-std=c++17", "-O1", "-fopenmp", "-Wall", "-Wextra", "-Werror", "-DCAPTURE", "-I",
       std::string(ROOFTUNE_SOURCE_DIR) + "/tuner/extensions/applications/runtime/include",
       "app/heat.cpp", "-o", "heat_app"});
  output_of(user, {user.path("heat_app").string()});
}

Ran right(const User& user, const std::vector<std::string>& words) {
  Ran ran = user.tune(words);
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  return ran;
}

}  // namespace

TEST_CASE("a call that an application captured is a kernel to tune, checked by its results") {
  const User user;
  run_captured(user);
  const Ran made = right(user, {"new", "heat", "--from", "capture", "--from", "app/heat.cpp:heat"});
  CHECK(made.says("n            int32: 120"));
  CHECK(made.says("n * m elements, update, captured"));
  CHECK(right(user, {"check", "./heat"}).says("agrees with the reference"));
  const Json best = user.tuned({"--kernel", "./heat", "--budget", "2", "--counters", "none"});
  CHECK(best.at("best").at("configuration").contains("simd"));
  CHECK(right(user, {"export", "--kernel", "./heat", "--format", "library", "-o", "tuned_heat",
                     "--as-recorded"})
            .says("wrote tuned_heat"));
  build_project(user, "tuned_heat", "built");
  output_of(user, {"ctest", "--test-dir", "built", "--output-on-failure"});
  // Other data, and results of another problem, are told before anything is built.
  CHECK(user.tune({"check", "./heat", "--problem", "m=81"}).says("those of m = 80"));
  std::filesystem::resize_file(user.path("heat/data/u.npy"), 1000);
  const Ran torn = user.tune({"check", "./heat"});
  CHECK(torn.code == 2);
  CHECK(torn.says("the file is torn"));
}

TEST_CASE("a captured call without its source says what to fill in") {
  const User user;
  run_captured(user);
  std::filesystem::remove_all(user.path("app"));
  CHECK(right(user, {"new", "heat", "--from", "capture/heat"}).says("fill in: the body"));
  const Ran open = user.tune({"check", "./heat"});
  CHECK(open.code == 1);
  CHECK(open.says("put the body of heat() here"));
}

TEST_CASE("a function of a source becomes a kernel that is right at once") {
  const User user;
  user.write("solver.cpp", R"(#include <cmath>
namespace model {
constexpr double half = 0.5;
// Returns the sum of what it adds.
double smooth(int n, const double* x, double* y, int& calls) {
  double sum = 0;
#pragma omp parallel for simd
  for (int i = 1; i < n; ++i) y[i] = half * (x[i - 1] + std::sqrt(x[i]));
  for (int i = 1; i < n; ++i) sum += y[i];
  ++calls;
  return sum;
}
}
int main() { return 0; }
)");
  const Ran made = right(user, {"new", "smooth", "--from", "solver.cpp:smooth", "--problem",
                                "n=500,elements_of_x=n,elements_of_y=n"});
  CHECK(made.says("n            int32: 500\n"));
  CHECK(made.says("x            double*: n elements, read"));
  CHECK(made.says("loop at line 7: your omp pragma with knobs"));
  CHECK(made.says("loop at line 9: unroll"));
  CHECK(right(user, {"check", "./smooth", "--sample", "3"}).says("agrees with the reference"));
  user.tuned({"--kernel", "./smooth", "--budget", "2", "--counters", "none"});
}

TEST_CASE("what no kernel folder can be made of is told with the cure, and nothing is written") {
  const User user;
  user.write("a.cpp", "#include <string>\nvoid f(std::string& u) {}\nvoid g(int n) {}\n");
  user.write("empty/x", "");
  user.write("torn/capture.json", "{\"schema\": \"rooftune-capture-1\"}");
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"k", "--from", "a.cpp:f"}, "a.cpp:2: parameter \"u\""},
      {{"k", "--from", "a.cpp:h"}, "no function \"h\""},
      {{"k", "--from", "a.cpp"}, "names no function"},
      {{"k", "--from", "b.cpp:f"}, "no such file"},
      {{"k", "--from", "empty"}, "ROOFTUNE_CAPTURE"},
      {{"k", "--from", "torn"}, "torn/capture.json: /function"},
      {{"k", "--from", "a.cpp:g", "--from", "a.cpp:f"}, "a second one"},
      {{"k", "--from", "a.cpp:g", "--problem", "m=1"}, "\"m\" is no scalar argument"},
      {{"k", "--from", "a.cpp:g", "--problem", "n=x"}, "n"},
      {{"../k", "--from", "a.cpp:g"}, "is no name"},
      {{"empty", "--from", "a.cpp:g"}, "is there already"},
      {{"k"}, "--from"}};
  for (const auto& [words, what] : cases) {
    std::vector<std::string> all{"new"};
    all.insert(all.end(), words.begin(), words.end());
    const Ran ran = user.tune(all);
    INFO(what << ran.output);
    CHECK(ran.code == 2);
    CHECK(ran.says(what));
    CHECK_FALSE(std::filesystem::exists(user.path("k")));
  }
}
