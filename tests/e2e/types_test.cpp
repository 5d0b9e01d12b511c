// Kernels of other fields: images, signals and particles are no arrays of double.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "support/nvrtc.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

constexpr const char* knob_space = R"({
  "schema": "rooftune-space-1", "kernel": ")";
constexpr const char* knob_space_end = R"(", "backend": "openmp",
  "knobs": [{"name": "parts", "kind": "compile", "values": [1, 4], "default": 1, "breaks": ["ilp"]}]})";

/// A kernel of one function, whose variant counts in parts.
void write_kernel(const User& user, const std::string& name, const std::string& manifest,
                  const std::string& source) {
  user.write(name + "/kernel.json", R"({"schema": "rooftune-kernel-1", "name": ")" + name +
                                        R"(", "reference": "reference.cpp",
    "parameters": [{"name": "n", "type": "integer", "default": 1000}],
    "backends": {"openmp": {"source": "openmp.cpp"}},)" +
                                        manifest + "}");
  user.write(name + "/reference.cpp", "constexpr int parts = 1;\n" + source);
  user.write(name + "/openmp.cpp", "constexpr int parts = KNOB_PARTS;\n" + source);
  user.write(name + "/" + name + ".openmp.json", knob_space + name + knob_space_end);
}

void check_and_tune(const User& user, const std::string& name) {
  const Ran checked = user.tune({"check", "./" + name});
  INFO(checked.output);
  REQUIRE(checked.code == 0);
  const Json result = user.tuned({"--kernel", "./" + name, "--budget", "2", "--no-staircase",
                                  "--counters", "none", "--strategy", "exhaustive"});
  CHECK(result.at("trials").at("ok") == 2);
}

constexpr const char* signal_program = R"(#include <complex.h>
#include <stdio.h>
#include "tuned_signal.h"
struct sample { float size; int32_t at; };
int main(void) {
  enum { n = 5000 };
  static float complex x[n], y[n];
  static uint16_t w[n], h[n];
  static struct sample s[n];
  const float complex alpha = 2 * I;
  for (int i = 0; i < n; ++i) {
    x[i] = i;
    w[i] = 0x3c00;
  }
  tuned_signal* const problem = tuned_signal_prepare(0, n, &alpha, 0.5f, x, w, y, h, s);
  if (tuned_signal_run(problem, n, &alpha, 0.5f, x, w, y, h, s) ||
      tuned_signal_finish(problem, n, &alpha, 0.5f, x, w, y, h, s))
    puts(tuned_signal_error());
  printf("%g %x %g %d\n", cimagf(y[100]), h[100], s[100].size, s[100].at);
  tuned_signal_free(problem);
  return 0;
}
)";

}  // namespace

TEST_CASE("an image of bytes becomes a histogram and a mask") {
  const User user;
  write_kernel(user, "histogram", R"(
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
      {"name": "levels", "type": "uint16", "value": 256},
      {"name": "image", "type": "uint8*", "count": "n", "access": "read",
       "fill": {"kind": "uniform", "low": 0, "high": 256}},
      {"name": "counts", "type": "int32*", "count": 256, "access": "write"},
      {"name": "mask", "type": "bool*", "count": "n", "access": "write"}],
    "work": {"least": {}}, "traffic": {"read": "n", "write": "n + 1024", "footprint": "2*n + 1024"})",
               R"(#include <cstdint>
void histogram(std::int64_t n, std::uint16_t levels, const std::uint8_t* image, std::int32_t* counts,
               bool* mask) {
  std::int32_t part[parts][256] = {};
  for (std::int64_t i = 0; i < n; ++i) {
    ++part[i % parts][image[i]];
    mask[i] = image[i] > 127;
  }
  for (int level = 0; level < levels; ++level) {
    counts[level] = 0;
    for (int p = 0; p < parts; ++p) counts[level] += part[p][level];
  }
}
)");
  check_and_tune(user, "histogram");
  CHECK(user.tune({"check", "./histogram"})
            .says("constants in an exported library: levels = 256 (a parameter in kernel.json"));
}

TEST_CASE("complex numbers, halves and structures go through a library, and real literals stay") {
  const User user;
  write_kernel(user, "signal", R"(
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
      {"name": "alpha", "type": "complex<float>", "value": 0.25},
      {"name": "scale", "type": "half", "value": 0.5},
      {"name": "x", "type": "complex<float>*", "count": "n", "access": "read",
       "fill": {"kind": "uniform", "low": -1, "high": 1}},
      {"name": "w", "type": "half*", "count": "n", "access": "read", "fill": {"kind": "uniform"}},
      {"name": "y", "type": "complex<float>*", "count": "n", "access": "write", "check": {"ulp": 4}},
      {"name": "h", "type": "half*", "count": "n", "access": "write"},
      {"name": "s", "type": "bytes:8*", "count": "n", "access": "write"}],
    "work": {"least": {"fp32": "6*n"}},
    "traffic": {"read": "10*n", "write": "18*n", "footprint": "28*n"})",
               R"(#include <complex>
#include <cstdint>
struct Sample { float size; std::int32_t at; };
void signal(std::int64_t n, std::complex<float> alpha, _Float16 scale, const std::complex<float>* x,
            const _Float16* w, std::complex<float>* y, _Float16* h, Sample* s) {
  for (int p = 0; p < parts; ++p)
    for (std::int64_t i = p; i < n; i += parts) {
      y[i] = alpha * x[i];
      h[i] = scale * w[i];
      s[i] = {x[i].real(), std::int32_t(i)};
    }
}
)");
  check_and_tune(user, "signal");
  const Ran exported = user.tune(
      {"export", "--kernel", "./signal", "--format", "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  build_project(user, "lib", "lib.build");
  output_of(user, {"ctest", "--test-dir", "lib.build"});
  user.write("app.c", signal_program);
  output_of(user, {"sh", "-c",
                   "gcc -std=c99 -Wall -Wextra -Werror -Ilib/include app.c -o app $(find lib.build "
                   "-name '*.a') -lstdc++ -lm -fopenmp"});
  CHECK(output_of(user, {user.path("app").string()}) == "200 3800 100 100\n");
}

TEST_CASE("a card's kernels have halves, bytes and pairs") {
  const User user;
  user.write(
      "mixed/kernel.json",
      R"({"schema": "rooftune-kernel-1", "name": "mixed", "title": "halves, bytes and pairs on a card",
 "parameters": [{"name": "n", "type": "integer", "default": 1000}],
 "arguments": [
  {"name": "n", "type": "int64", "value": "n"},
  {"name": "s", "type": "float", "value": 1.5},
  {"name": "x", "type": "half*", "count": "n", "access": "read", "fill": {"kind": "uniform"}},
  {"name": "image", "type": "uint8*", "count": "n", "access": "read", "fill": {"kind": "uniform", "low": 0, "high": 256}},
  {"name": "z", "type": "complex<float>*", "count": "n", "access": "read", "fill": {"kind": "uniform"}},
  {"name": "y", "type": "bfloat16*", "count": "n", "access": "write"},
  {"name": "mask", "type": "bool*", "count": "n", "access": "write"},
  {"name": "w", "type": "complex<double>*", "count": "n", "access": "write"}],
 "work": {"least": {}}, "traffic": {"read": "11*n", "write": "19*n", "footprint": "30*n"},
 "reference": "reference.cpp",
 "backends": {"cuda": {"source": "cuda.cu", "prepare": true, "finish": true}}})");
  user.write("mixed/reference.cpp", R"(#include <complex>
#include <cstdint>
#include "rooftune/elements.h"
void mixed(std::int64_t n, float s, const rooftune::Half* x, const std::uint8_t* image,
           const std::complex<float>* z, rooftune::BFloat16* y, bool* mask,
           std::complex<double>* w) {
  for (std::int64_t i = 0; i < n; ++i) {
    y[i] = rooftune::BFloat16(s * double(x[i]));
    mask[i] = image[i] > 127;
    w[i] = std::conj(std::complex<double>(z[i]));
  }
}
)");
  user.write("mixed/cuda.cu", R"(#include "rooftune/gpu_half.h"

ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, 2)
    mixed_items(rooftune::Int64 n, float s, const rooftune::Half* x, const unsigned char* image,
                const float2* z, rooftune::BFloat16* y, bool* mask, double2* w) {
  const rooftune::Int64 i = rooftune::Int64{blockIdx.x} * KNOB_BLOCK + threadIdx.x;
  if (i >= n) return;
  y[i] = rooftune::BFloat16(s * float(x[i]));
  mask[i] = image[i] > 127;
  w[i] = make_double2(z[i].x, -double(z[i].y));
}

#if ROOFTUNE_HOST

static rooftune::DeviceBuffer<rooftune::Half> x_on_card;
static rooftune::DeviceBuffer<unsigned char> image_on_card;
static rooftune::DeviceBuffer<float2> z_on_card;
static rooftune::DeviceBuffer<rooftune::BFloat16> y_on_card;
static rooftune::DeviceBuffer<bool> mask_on_card;
static rooftune::DeviceBuffer<double2> w_on_card;

void mixed_prepare(std::int64_t n, float, const rooftune::Half* x, const unsigned char* image,
                   const float2* z, rooftune::BFloat16*, bool*, double2*) {
  x_on_card.copy_in(x, n);
  image_on_card.copy_in(image, n);
  z_on_card.copy_in(z, n);
  y_on_card.reserve(n);
  mask_on_card.reserve(n);
  w_on_card.reserve(n);
}

void mixed(std::int64_t n, float s, const rooftune::Half*, const unsigned char*, const float2*,
           rooftune::BFloat16*, bool*, double2*) {
  ROOFTUNE_LAUNCH(mixed_items, rooftune::blocks_for(n, KNOB_BLOCK), KNOB_BLOCK, 0, n, s,
                  x_on_card.data(), image_on_card.data(), z_on_card.data(), y_on_card.data(),
                  mask_on_card.data(), w_on_card.data());
}

void mixed_finish(std::int64_t n, float, const rooftune::Half*, const unsigned char*, const float2*,
                  rooftune::BFloat16* y, bool* mask, double2* w) {
  y_on_card.copy_out(y, n);
  mask_on_card.copy_out(mask, n);
  w_on_card.copy_out(w, n);
}

#endif
)");
  user.write("mixed/mixed.cuda.json",
             R"({"schema": "rooftune-space-1", "kernel": "mixed", "backend": "cuda",
 "knobs": [{"name": "block", "kind": "compile", "values": [64, 128], "default": 64, "breaks": ["tlp"]}]})");
  const Ran emulated = user.tune({"check", "./mixed", "--backend", "cuda", "--sample", "2"});
  INFO(emulated.output);
  CHECK(emulated.code == 0);
  if (!test::nvrtc_for(80)) return;
  const Ran compiled =
      user.tune({"check", "./mixed", "--backend", "cuda", "--machine", "a100", "--compile-only"});
  INFO(compiled.output);
  CHECK(compiled.code == 0);
}
