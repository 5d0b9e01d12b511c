// Tests that every in-core kernel executes exactly the operations it claims, and stays finite.
#include "probe/in_core_kernels.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "probe/clocks.h"

using namespace rooftune;
using namespace rooftune;

namespace {

template <class Real>
std::array<std::byte, 64> all_lanes(Real value) {
  std::array<Real, 64 / sizeof(Real)> lanes;
  lanes.fill(value);
  std::array<std::byte, 64> bytes;
  std::memcpy(bytes.data(), lanes.data(), bytes.size());
  return bytes;
}

template <class Real>
std::vector<Real> lanes_of(const InCoreKernel& kernel, const std::array<std::byte, 64>& bytes) {
  std::vector<Real> lanes(static_cast<std::size_t>(kernel.lanes));
  std::memcpy(lanes.data(), bytes.data(), lanes.size() * sizeof(Real));
  return lanes;
}

/// Result of every chain and lane from start value `x`; all must be equal, which is checked.
template <class Real>
double run(const InCoreKernel& kernel, std::int64_t iterations, Real c, Real d, Real x) {
  InCoreOperands operands;
  operands.c = all_lanes(c);
  operands.d = all_lanes(d);
  for (auto& chain : operands.x) chain = all_lanes(x);
  kernel.run(iterations, operands);
  const Real first = lanes_of<Real>(kernel, operands.x[0])[0];
  for (int i = 0; i < InCoreOperands::accumulators; ++i)
    for (const Real lane : lanes_of<Real>(kernel, operands.x[static_cast<std::size_t>(i)]))
      CHECK(lane == (i < kernel.ilp ? first : x));
  return static_cast<double>(first);
}

/// Instructions per chain.
double steps(const InCoreKernel& kernel, std::int64_t iterations) {
  return static_cast<double>(iterations) * kernel.instructions / kernel.ilp;
}

template <class Real>
void check_count(const InCoreKernel& kernel) {
  constexpr std::int64_t iterations = 3;
  const double count = steps(kernel, iterations);
  // a factor that grows visibly with every multiplication and overflows with none
  const Real factor = Real(1) + Real(0x1p-10);
  const auto grown = [&](double times) { return std::pow(static_cast<double>(factor), times); };
  const double other = count * (kernel.instructions - kernel.fused) / kernel.instructions;
  if (kernel.mix == "div") {
    CHECK(run<Real>(kernel, iterations, 2, 1, 1) == std::pow(0.5, count / 2));
    CHECK(run<Real>(kernel, iterations, 2, 2, 1) == std::pow(0.5, count));
  } else if (kernel.mix == "sqrt") {
    // 2^64 -> 2^32 -> ...
    CHECK(std::log2(run<Real>(kernel, iterations, 1, 1, Real(0x1p64))) ==
          Approx(64 * std::pow(0.5, count)));
  } else if (kernel.mix == "fma_add" || kernel.mix == "fma2_add") {
    CHECK(run<Real>(kernel, iterations, 1, 1, 0) == count);  // x = 1 x + 1, x = x + 1
    CHECK(run<Real>(kernel, iterations, 1, 0, 0) == other);
  } else if (kernel.mix == "fma_mul") {
    CHECK(run<Real>(kernel, iterations, 1, 1, 0) == count - other);
    const double factors = kernel.accumulates ? other : count;
    CHECK(run<Real>(kernel, iterations, factor, 0, 1) == Approx(grown(factors)).epsilon(1e-4));
  } else if (kernel.mix == "fma") {
    CHECK(run<Real>(kernel, iterations, 1, 1, 0) == count);  // x = 1 x + 1, x + 1 1
    const double factors = kernel.accumulates ? 0 : count;
    CHECK(run<Real>(kernel, iterations, factor, 0, 1) == Approx(grown(factors)).epsilon(1e-4));
  } else if (kernel.mix == "add") {
    CHECK(run<Real>(kernel, iterations, 1, 1, 0) == count);
    CHECK(run<Real>(kernel, iterations, 1, 0, 0) == count / 2);  // by turns with c and d
  } else if (kernel.mix == "mul") {
    CHECK(run<Real>(kernel, iterations, factor, factor, 1) == Approx(grown(count)).epsilon(1e-4));
    CHECK(run<Real>(kernel, iterations, factor, 1, 1) == Approx(grown(count / 2)).epsilon(1e-4));
  } else {
    CHECK(run<Real>(kernel, iterations, 1, 1, 0) == count / 2);  // additions
    CHECK(run<Real>(kernel, iterations, 0, factor, 1) == Approx(grown(count / 2)).epsilon(1e-4));
  }
}

std::string title(const InCoreKernel& kernel) {
  return kernel.precision + ' ' + kernel.mix + ' ' + std::to_string(kernel.simd_bits) + " ilp" +
         std::to_string(kernel.ilp);
}

}  // namespace

TEST_CASE("Every kernel executes as many operations as it claims") {
  for (const InCoreKernel& kernel : in_core_kernels(cpu_features())) {
    CAPTURE(title(kernel));
    REQUIRE(kernel.instructions % (2 * kernel.ilp) == 0);
    if (kernel.precision == "fp64")
      check_count<double>(kernel);
    else
      check_count<float>(kernel);
  }
}

TEST_CASE("Flops per iteration count lanes and both operations of an FMA") {
  for (const InCoreKernel& kernel : in_core_kernels(cpu_features())) {
    CAPTURE(title(kernel));
    const int element = kernel.precision == "fp64" ? 64 : 32;
    const int lanes = kernel.simd_bits == 64 ? 1 : kernel.simd_bits / element;
    static const std::map<std::string, double> flops{
        {"fma", 2}, {"fma_add", 1.5}, {"fma_mul", 1.5}, {"fma2_add", 5.0 / 3}};
    const double each = flops.count(kernel.mix) ? flops.at(kernel.mix) : 1;
    CHECK(kernel.flops_per_iteration() == Approx(kernel.instructions * lanes * each));
    CHECK(flops_per_instruction(kernel.mix) == Approx(each));
  }
}

TEST_CASE("Timing operands stay finite, normal and nontrivial") {
  flush_denormals();
  const auto check = [](const auto& lanes) {
    for (const auto lane : lanes) {
      CHECK(std::isnormal(lane));
      CHECK(std::abs(lane) > 1e-6);
      CHECK(std::abs(lane) < 1e3);
    }
  };
  for (const InCoreKernel& kernel : in_core_kernels(cpu_features())) {
    CAPTURE(title(kernel));
    InCoreOperands operands = timing_operands(kernel);
    kernel.run(20000, operands);
    for (int i = 0; i < kernel.ilp; ++i) {
      const auto& chain = operands.x[static_cast<std::size_t>(i)];
      if (kernel.precision == "fp64")
        check(lanes_of<double>(kernel, chain));
      else
        check(lanes_of<float>(kernel, chain));
    }
  }
}

#if defined(__x86_64__)
TEST_CASE("Masked features take away exactly the kernels that need them") {
  const auto widths = [](const CpuFeatures& features) {
    std::set<std::pair<int, bool>> result;  // width, fma
    for (const InCoreKernel& kernel : in_core_kernels(features))
      result.insert({kernel.simd_bits, kernel.mix.starts_with("fma")});
    return result;
  };
  CpuFeatures features;
  CHECK(widths(features) == std::set<std::pair<int, bool>>{{64, false}, {128, false}});
  features.fma = true;
  CHECK(widths(features) ==
        std::set<std::pair<int, bool>>{{64, false}, {64, true}, {128, false}, {128, true}});
  features.avx2 = true;
  CHECK(widths(features).count({256, true}) == 1);
  CHECK(widths(features).count({512, false}) == 0);
  features.fma = false;
  CHECK(widths(features).count({256, false}) == 1);
  CHECK(widths(features).count({256, true}) == 0);
  features.fma = features.avx512 = true;
  CHECK(widths(features).count({512, true}) == 1);
}

TEST_CASE("The ladder has every precision, mix and number of chains, long where registers allow") {
  CpuFeatures features;
  features.fma = features.avx2 = features.avx512 = true;
  std::set<std::string> titles;
  for (const InCoreKernel& kernel : in_core_kernels(features)) titles.insert(title(kernel));
  for (const char* precision : {"fp64", "fp32"})
    for (const char* mix : {"fma", "add", "mul", "add_mul"})
      for (const int bits : {64, 128, 256, 512})
        for (const int ilp : {1, 2, 4, 8, 12, 24}) {
          if (ilp == 24 && bits < 512) continue;
          InCoreKernel kernel;
          kernel.precision = precision;
          kernel.mix = mix;
          kernel.simd_bits = bits;
          kernel.ilp = ilp;
          CHECK(titles.count(title(kernel)) == 1);
        }
  for (const char* precision : {"fp64", "fp32"})
    for (const int bits : {64, 128, 256, 512})
      for (const char* mix : {"fma_add", "fma2_add", "fma_mul", "div", "sqrt"}) {
        InCoreKernel kernel;
        kernel.precision = precision;
        kernel.mix = mix;
        kernel.simd_bits = bits;
        kernel.ilp = kernel.mix.starts_with("fma") ? (bits == 512 ? 24 : 15) : 12;
        CHECK(titles.count(title(kernel)) == 1);
      }
  CHECK(titles.size() == in_core_kernels(features).size());
}
#elif defined(__aarch64__)
TEST_CASE("Arm has kernels of NEON, and of the SVE vectors that it has") {
  for (const int bits : {128, 256, 512}) {
    CpuFeatures features;
    features.fma = true;
    features.simd_bits = bits;
    std::set<std::pair<int, int>> rungs;
    for (const InCoreKernel& kernel : in_core_kernels(features)) {
      CHECK(kernel.accumulates == (kernel.simd_bits == 128 && kernel.fused > 0));
      if (kernel.mix == "fma") rungs.insert({kernel.simd_bits, kernel.ilp});
    }
    std::set<std::pair<int, int>> wanted;
    for (const int width : {64, 128, bits})
      for (const int ilp : {1, 2, 4, 8, 12, 24}) wanted.insert({width, ilp});
    CHECK(rungs == wanted);
  }
}
#endif

TEST_CASE("The clock is that of a core, not of the time-stamp counter's unit") {
  double best = 0;
  for (int i = 0; i < 20; ++i) best = std::max(best, core_clock(64));
  CHECK(best > 0.2e9);
  CHECK(best < 10e9);
}
