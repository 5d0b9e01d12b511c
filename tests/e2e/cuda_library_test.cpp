// A library of CUDA kernels from a study to the application that links it, on the driver with no
// card behind it, which computes triad.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "support/nvrtc.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// What it prints: variant, how many elements are wrong, code and reason.
constexpr const char* card_application = R"(#include <stdio.h>
#include "tuned_triad_cuda.h"
int main(void) {
  enum { n = 5000 };
  static double b[n], c[n], a[n];
  tuned_triad_cuda *first, *second;
  int i, code, wrong = 0;
  for (i = 0; i < n; ++i) {
    b[i] = i;
    c[i] = 2 * i;
  }
  first = tuned_triad_cuda_prepare(0, NULL, n, 3, b, c, a);
  if (!first) {
    printf("none: %s\n", tuned_triad_cuda_error());
    return 0;
  }
  second = tuned_triad_cuda_prepare(0, NULL, n, 3, b, c, a);
  code = tuned_triad_cuda_run(first, NULL, n, 3, b, c, a);
  if (code == 0) code = tuned_triad_cuda_finish(first, NULL, n, 3, b, c, a);
  for (i = 0; i < n; ++i) wrong += a[i] != 7.0 * i;
  printf("%s%s: %d wrong, %d %s\n", tuned_triad_cuda_variant(first), second ? " twice" : "", wrong, code,
         tuned_triad_cuda_error());
  tuned_triad_cuda_free(first);
  for (i = 0; i < n; ++i) a[i] = 0;
  code = tuned_triad_cuda_call(NULL, n, 3, b, c, a);
  for (i = 0; i < n; ++i) wrong += code == 0 && a[i] != 7.0 * i;
  printf("call: %d wrong, %d\n", wrong, code);
  return 0;
}
)";

const std::map<std::string, std::string> on_fake_card{{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER}};

void tune_on_card(const User& user, const std::string& kernel) {
  const Ran ran = user.tune(
      {"--kernel", kernel, "--machine", "a100", "--problem", "n=20000", "--budget", "2", "--quiet",
       "--no-staircase", "--no-anchors", "--no-transfer", "--counters", "none"},
      on_fake_card);
  INFO(ran.output);
  REQUIRE(ran.code == 0);
}

}  // namespace

TEST_CASE("an application links the library of a CUDA study, without driver or toolkit") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  tune_on_card(user, "triad");
  const Ran elsewhere =
      user.tune({"export", "--kernel", "triad", "--format", "library", "-o", "lib"});
  CHECK(elsewhere.code == 2);
  CHECK(elsewhere.says("there are studies on a100"));
  const Ran exported = user.tune({"export", "--kernel", "triad", "--machine", "a100", "--format",
                                  "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  for (const auto& file : user.files("lib", ".cpp"))
    CHECK(read_text(file).find("KNOB_") == std::string::npos);
  build_project(user, "lib", "lib.build");
  const std::string tested =
      output_of(user, {"ctest", "--test-dir", "lib.build", "--output-on-failure"}, on_fake_card);
  CHECK(tested.find("100% tests passed") != std::string::npos);
  CHECK(tested.find("Skipped") == std::string::npos);

  user.write("one.c", card_application);
  output_of(user, {"cmake", "--install", "lib.build", "--prefix", user.path("prefix").string()});
  output_of(user, {"sh", "-c",
                   "gcc -std=c99 -Wall -Wextra -Werror one.c -o one $(PKG_CONFIG_PATH="
                   "prefix/lib/pkgconfig pkg-config --cflags --libs tuned_triad_cuda)"});
  const auto said = [&](const std::string& library, const std::string& fake) {
    return output_of(user, {user.path("one").string()},
                     {{"ROOFTUNE_LIBCUDA", library}, {"FAKE_CUDA", fake}});
  };
  const auto on_card = [&](const std::string& fake) { return said(ROOFTUNE_FAKE_DRIVER, fake); };
  CHECK_THAT(on_card(""), Catch::StartsWith(
                              "v1, timed at n = 20000: 0 wrong, 0 a problem is prepared already") &&
                              Catch::Contains("call: 0 wrong, 0\n"));
  // Of another card the untuned form; what the driver refuses is a number and a reason.
  CHECK_THAT(on_card("major=9"), Catch::StartsWith("baseline: 0 wrong, 0 "));
  CHECK_THAT(on_card("launch=701"),
             Catch::StartsWith("v1, timed at n = 20000: 4999 wrong, 701 launch of triad_items: "
                               "CUDA_ERROR_OF_THE_FAKE (701)"));
  CHECK_THAT(on_card("alloc=2"), Catch::StartsWith("none: 40000 bytes of device memory"));
  CHECK_THAT(said("/nowhere/libcuda.so.1", ""), Catch::StartsWith("none: no NVIDIA driver"));
  const std::string uncompiled =
      output_of(user, {user.path("one").string()},
                {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER}, {"ROOFTUNE_NVRTC", "/nowhere"}});
  CHECK_THAT(uncompiled, Catch::StartsWith("none: there is no NVRTC"));
}

TEST_CASE("the library of a kernel without a reference is tested against its untuned form") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  const std::filesystem::path source = ROOFTUNE_SOURCE_DIR;
  Json kernel = read_json(source / "kernels/triad/kernel.json");
  kernel["reference"] = "baseline";
  std::filesystem::copy(source / "kernels/triad", user.path("mine"),
                        std::filesystem::copy_options::recursive);
  user.write("mine/kernel.json", kernel.dump());
  user.write("mine/triad.cuda.json", read_text(source / "search_spaces/triad.cuda.json"));
  tune_on_card(user, user.path("mine").string());
  const Ran exported = user.tune({"export", "--kernel", "triad", "--machine", "a100", "--format",
                                  "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  build_project(user, "lib", "lib.build");
  const std::vector<std::string> test{"ctest", "--test-dir", "lib.build", "--output-on-failure"};
  const std::string tested = output_of(user, test, on_fake_card);
  CHECK(tested.find("100% tests passed") != std::string::npos);
  CHECK(tested.find("Skipped") == std::string::npos);
  // What the card cannot do is told by every variant's test.
  const std::map<std::string, std::string> failing{{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER},
                                                   {"FAKE_CUDA", "launch=701"}};
  const std::string said = output_of(
      user, {"sh", "-c", "ctest --test-dir lib.build --output-on-failure || true"}, failing);
  CHECK(said.find("baseline: launch of triad_items") != std::string::npos);
  CHECK(said.find("0% tests passed") != std::string::npos);
}

TEST_CASE("a launching half that reads arrays itself gets those that lie on the card") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  user.write("mine/kernel.json", R"({
    "schema": "rooftune-kernel-1", "name": "mine", "title": "y = 2 x",
    "parameters": [{"name": "n", "type": "integer", "default": 3000}],
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
                  {"name": "x", "type": "double*", "count": "n", "access": "read",
                   "fill": {"kind": "uniform", "low": 1, "high": 2, "seed": 1}},
                  {"name": "y", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "n"}, "items": "n", "item": "element"},
    "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
    "tolerance": {"relative": 1e-13, "scale": "max"},
    "reference": "reference.cpp",
    "backends": {"cuda": {"source": "cuda.cu", "prepare": true, "finish": true}}})");
  user.write("mine/mine.cuda.json", R"({
    "schema": "rooftune-space-1", "kernel": "mine", "backend": "cuda", "constraints": [],
    "knobs": [{"name": "block", "kind": "compile", "values": [128, 256], "default": 256,
               "breaks": ["occupancy"], "doc": "threads per block"}]})");
  user.write("mine/reference.cpp",
             "#include <cstdint>\nvoid mine(std::int64_t n, const double* x, double* y) {\n"
             "  for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];\n}\n");
  user.write("mine/cuda.cu", R"(#include "rooftune/gpu.h"
#if ROOFTUNE_HOST
#include <vector>
#endif
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, 1) idle(double* y) { if (y == nullptr) *y = 0; }
#if ROOFTUNE_HOST
static rooftune::DeviceBuffer<double> on_card;
void mine_prepare(std::int64_t n, const double* x, double*) {
  std::vector<double> doubled;
  for (std::int64_t i = 0; i < n; ++i) doubled.push_back(2 * x[i]);
  on_card.copy_in(doubled.data(), n);
}
void mine(std::int64_t n, const double*, double*) {
  ROOFTUNE_LAUNCH(idle, rooftune::blocks_for(n, KNOB_BLOCK), KNOB_BLOCK, 0, on_card.data());
}
void mine_finish(std::int64_t n, const double*, double* y) { on_card.copy_out(y, n); }
#endif
)");
  tune_on_card(user, "./mine");
  const Ran exported = user.tune({"export", "--kernel", "./mine", "--machine", "a100", "--format",
                                  "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  CHECK(read_text(user.path("lib/include/tuned_mine_cuda.h"))
            .find("prepare reads them on the host") != std::string::npos);
  build_project(user, "lib", "lib.build");
  const std::vector<std::string> test{"ctest", "--test-dir", "lib.build", "--output-on-failure"};
  CHECK(output_of(user, test, on_fake_card).find("100% tests passed") != std::string::npos);
  // Without a card they say so.
  const std::string skipped = output_of(user, test, {{"ROOFTUNE_LIBCUDA", "/nowhere"}});
  CHECK(skipped.find("Skipped") != std::string::npos);
}
