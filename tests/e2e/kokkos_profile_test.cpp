// The connector beside a real Kokkos application, and what `tune kokkos` makes of its profile.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

constexpr const char* application = R"(#include <Kokkos_Core.hpp>
#include <cstdio>
int main(int argc, char** argv) {
  Kokkos::initialize(argc, argv);
  {
    const int n = 1000;
    Kokkos::View<double*> x("x", n);
    for (int i = 0; i < 3; ++i)
      Kokkos::parallel_for("fill \"x\"", n, KOKKOS_LAMBDA(int k) { x(k) = k; });
    double sum = 0;
    Kokkos::parallel_reduce("sum", n, KOKKOS_LAMBDA(int k, double& s) { s += x(k); }, sum);
    std::printf("sum %g\n", sum);
  }
  Kokkos::finalize();
}
)";

}  // namespace

TEST_CASE("the connector tells which kernels an unmodified application spends its time in") {
  if (!std::filesystem::exists("/usr/include/trilinos/Kokkos_Core.hpp")) {
    WARN("skipped: there is no Kokkos (libtrilinos-kokkos-dev)");
    return;
  }
  const User user;
  user.write("app.cpp", application);
  Command build;
  build.directory = user.path("");
  build.argv = {"g++",     "-std=c++17", "-isystem", "/usr/include/trilinos",
                "app.cpp", "-o",         "app",      "-ltrilinos_kokkoscore",
                "-ldl"};
  const Finished built = execute(build);
  INFO(built.output);
  REQUIRE(built.status.ok());
  Command run;
  run.directory = user.path("");
  run.argv = {user.path("app").string()};
  // The name before Kokkos 3.7, and since.
  for (const char* variable : {"KOKKOS_PROFILE_LIBRARY", "KOKKOS_TOOLS_LIBS"})
    run.environment[variable] = ROOFTUNE_KOKKOS_CONNECTOR;
  const Finished ran = execute(run);
  INFO(ran.output);
  REQUIRE(ran.status.ok());
  CHECK(ran.output.find("sum 499500") != std::string::npos);
  const Json profile = read_json(user.path("rooftune-kokkos.json"));
  std::map<std::string, Json> kernels;
  for (const Json& kernel : profile.at("kernels")) kernels[kernel.at("name")] = kernel;
  CHECK(kernels.at("fill \"x\"").at("calls") == 3);
  CHECK(kernels.at("sum").at("pattern") == "reduce");

  const Ran table = user.tune({"kokkos", "rooftune-kokkos.json"});
  CHECK(table.code == 0);
  CHECK(table.says("fill \"x\""));
  CHECK(table.says("--work"));
}

TEST_CASE("work and traffic place kernels under the roofline, the farthest first") {
  const User user;
  user.write("profile.json", R"({"schema": "rooftune-kokkos-1", "kokkos": "4.6.1", "seconds": 10,
    "kernels": [
      {"name": "near", "pattern": "for", "device": "OpenMP", "calls": 1, "seconds": 5, "least": 5},
      {"name": "far", "pattern": "reduce", "device": "OpenMP", "calls": 2, "seconds": 4, "least": 2}
    ]})");
  // So much that `near` cannot be faster by much on any machine: its bound is above its time.
  user.write("work.json", R"({"schema": "rooftune-kokkos-work-1", "kernels": {
    "near": {"read": 1e18}, "far": {"flops": {"fp64": 1000}, "read": 8000, "write": 8000}}})");
  const Ran ran = user.tune({"kokkos", "profile.json", "--work", "work.json"});
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("most to gain: far"));

  user.write("work.json",
             R"({"schema": "rooftune-kokkos-work-1", "kernels": {"fat": {"read": 1}}})");
  const Ran wrong = user.tune({"kokkos", "profile.json", "--work", "work.json"});
  CHECK(wrong.code == 2);
  CHECK(wrong.says("did you mean \"far\""));
  user.write("profile.json", "{\"schema\": \"rooftune-kokkos-9\"}");
  CHECK(user.tune({"kokkos", "profile.json"}).says("rooftune-kokkos-1"));
  user.write("profile.json", R"({"schema": "rooftune-kokkos-1", "seconds": 1, "kernels": [
    {"name": "a", "pattern": "for", "calls": 0, "seconds": -1}]})");
  const Ran bad = user.tune({"kokkos", "profile.json"});
  CHECK(bad.code == 2);
  CHECK(bad.says("/kernels/0/calls"));
}
