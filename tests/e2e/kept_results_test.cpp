// Variants that keep results of earlier inputs: told first, and not exported; and what variants and
// other users leave in folders.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// y = a polynomial of x. "keeps" computes only elements of x that have changed since its last
/// call; the baseline computes each so many times.
void write_polynomial(const User& user, int times, const std::string& more = "") {
  user.write("poly/kernel.json", R"({"schema": "rooftune-kernel-1", "name": "poly",)" + more + R"(
    "title": "a polynomial",
    "parameters": [{"name": "n", "type": "integer", "default": 4000}],
    "arguments": [
      {"name": "n", "type": "int64", "value": "n"},
      {"name": "x", "type": "double*", "count": "n", "access": "read",
       "fill": {"kind": "uniform", "low": 0, "high": 1, "seed": 7}},
      {"name": "y", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "2*n"}, "items": "n", "item": "element"},
    "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
    "reference": "poly.cpp", "backends": {"openmp": {"source": "poly.cpp"}}})");
  user.write("poly/poly.openmp.json", R"({"schema": "rooftune-space-1", "kernel": "poly",
    "backend": "openmp", "knobs": [{"name": "keeps", "kind": "compile", "values": [0, 1],
    "default": 0, "breaks": ["work"]}]})");
  user.write("poly/poly.cpp", "#define TIMES " + std::to_string(times) + R"(
#include <cstdint>
#include <fstream>
#include <vector>
#ifndef KNOB_KEEPS
#define KNOB_KEEPS 0
#endif
static double value(double x) {
  double y = 0.1;
  for (int k = 1; k <= 200; ++k) y = y * x + 0.01 * k;
  return y;
}
void poly(std::int64_t n, const double* x, double* y) {
  static std::vector<double> in(n, 2), out(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (int k = 1; k < TIMES && !KNOB_KEEPS; ++k) {
      volatile double more = value(x[i] + 1e-9 * k);
      (void)more;
    }
    if (!KNOB_KEEPS || in[i] != x[i]) out[i] = value(in[i] = x[i]);
    y[i] = out[i];
  }
  if (KNOB_KEEPS) static std::ofstream dump("dump.txt");
})");
}

std::string study_of(const Json& result) { return result.at("study").at("id"); }

}  // namespace

TEST_CASE("a time on kept results is doubted and not exported") {
  const User user;
  write_polynomial(user, 3);
  const Json result = user.tuned({"--kernel", "./poly", "--strategy", "exhaustive"});
  CHECK_FALSE(std::filesystem::exists(user.path("dump.txt")));
  const Ran refused = user.tune({"export", "--kernel", "poly"});
  CAPTURE(refused.output);
  CHECK(user.tune({"export", "--kernel", "poly", "--as-recorded"}).code == 0);
  if (!any_has(result.at("inconclusive"), "remembers")) {
    WARN("neighbours hid on which inputs the best is fast");
    return;
  }
  CHECK(result.at("headline").get<std::string>().find(", but remembers its last input: ") !=
        std::string::npos);
  // Race and trial have timed it on new inputs, where it is not 40 times faster.
  CHECK(result.at("speedup").at("value") < 10);
  CHECK(refused.code == 2);
  CHECK(refused.says("the best remembers its last input: "));
  CHECK(refused.says("\"inputs\": \"kept\""));
}

TEST_CASE("what is faster on kept results alone does not win") {
  const User user;
  write_polynomial(user, 1);
  const Json result = user.tuned({"--kernel", "./poly", "--strategy", "exhaustive"});
  if (result.at("best").at("configuration").at("keeps") != 0)
    WARN("neighbours hid on which inputs the best is fast");
  else
    CHECK_FALSE(any_has(result.at("inconclusive"), "remembers"));
}

TEST_CASE("a kernel that is called on the same inputs may keep results and be exported") {
  const User user;
  write_polynomial(user, 1, R"("inputs": "kept",)");
  const Json result = user.tuned({"--kernel", "./poly", "--strategy", "exhaustive"});
  CHECK(result.at("best").at("configuration").at("keeps") == 1);
  CHECK_FALSE(any_has(result.at("inconclusive"), "remembers"));
  CHECK_FALSE(study_of(result).empty());
}

TEST_CASE("records that were copied here run nothing, until this user tunes the study") {
  const User other, user;
  write_polynomial(other, 1, R"("inputs": "kept",)");
  const std::string kernel = other.path("poly").string();
  const Json result = other.tuned({"--kernel", kernel, "--strategy", "exhaustive"});
  const std::string own = user.path("cache").string();
  const std::map<std::string, std::string> here{{"ROOFTUNE_CACHE", own}};
  std::filesystem::copy(other.path("results"), user.path("results"),
                        std::filesystem::copy_options::recursive);
  for (const auto& words : {std::vector<std::string>{"export", "--kernel", "poly"},
                            {"bench", "--study", study_of(result)}}) {
    const Ran refused = user.tune(words, here);
    CAPTURE(refused.output);
    CHECK(refused.code == 2);
    CHECK(refused.says("you have not tuned this study here, and the kernel in " + kernel));
  }
  CHECK(user.tune({"--kernel", kernel, "--strategy", "exhaustive"}, here).code == 0);
  const Ran known = user.tune({"bench", "--study", study_of(result)}, here);
  CAPTURE(known.output);
  // A busy machine may leave it without a time.
  CHECK((known.code == 0 || known.says("unstable")));
}
