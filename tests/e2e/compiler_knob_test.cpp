// A knob that chooses the compiler: both are tried, and all that is made of the winner names its
// own.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "core/list.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// A second compiler, newer than any that is installed: g++ that says it is clang++.
std::map<std::string, std::string> second_compiler(const User& user) {
  return installed(user, "clang++-40",
                   "#!/bin/sh\n[ \"$1\" != --version ] || { echo 'clang version 40.0.1'; exit; }\n"
                   "exec g++ -DBY_CLANG \"$@\"\n");
}

/// The tutorial's kernel, whose code is twenty times faster by the second compiler.
void copy_kernel(const User& user) {
  const auto example = std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "docs/examples/mykernel";
  for (const char* name : {"kernel.json", "reference.cpp"})
    user.write(std::string("mykernel/") + name, read_text(example / name));
  user.write("mykernel/mykernel.openmp.json",
             R"({"schema": "rooftune-space-1", "kernel": "mykernel",
  "backend": "openmp", "knobs": [
    {"name": "compiler", "kind": "compiler", "breaks": ["issue"], "doc": "who makes the code"}]})");
  user.write("mykernel/openmp.cpp", R"(#include <cstdint>
#ifdef BY_CLANG
constexpr int times = 1;
#else
constexpr int times = 20;
#endif
void horner(std::int64_t n, std::int32_t degree, const double* c, const double* x, double* y) {
  for (int t = 0; t < times; ++t) {
#pragma omp parallel for
    for (std::int64_t i = 0; i < n; ++i) {
      double value = c[degree];
      for (std::int32_t k = degree - 1; k >= 0; --k) value = value * x[i] + c[k];
      y[i] = value;
    }
    asm volatile("" ::: "memory");
  }
}
)");
}

}  // namespace

TEST_CASE("the faster compiler is found, and exports name it") {
  const User user;
  copy_kernel(user);
  const auto both = second_compiler(user);
  const Ran tuned = user.tune({"--kernel", "./mykernel", "--problem", "n=100000", "--threads", "1",
                               "--budget", "2", "--counters", "none", "--json", "result.json"},
                              both);
  INFO(tuned.output);
  REQUIRE(tuned.code == 0);
  const Json result = read_json(user.path("result.json"));
  CHECK(result.at("best").at("configuration").at("compiler") == "clang++");
  CHECK(result.at("baseline").at("configuration").at("compiler") == "g++");
  CHECK(contains(result.at("study").at("compiler").get<std::string>(), "clang version 40.0.1"));

  const Ran exported = user.tune(
      {"export", "--kernel", "mykernel", "--format", "library", "-o", "lib", "--as-recorded"},
      both);
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  CHECK(contains(read_text(user.path("lib/README.md")), "-DCMAKE_CXX_COMPILER=clang++"));
  CHECK(contains(read_text(user.path("lib/CMakeLists.txt")), "was timed as code of clang++"));
  // The untuned form is code of any compiler.
  CHECK_FALSE(contains(read_text(user.path("lib/README.md")), "code of g++"));
}

TEST_CASE("a named compiler is the only one") {
  const User user;
  copy_kernel(user);
  auto named = second_compiler(user);
  named["ROOFTUNE_CXX"] = "g++";
  const Ran dry = user.tune({"--kernel", "./mykernel", "--dry-run"}, named);
  INFO(dry.output);
  CHECK(dry.code == 0);
  CHECK(dry.says("no second compiler builds variants here"));
  CHECK_FALSE(dry.says("clang++"));
}
