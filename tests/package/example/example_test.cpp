// The kernel of the tutorial is right with every combination of its compile-time knobs that this
// CPU runs, and its files fit each other.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernel/kernel.h"
#include "space/space_reader.h"

namespace reference {
#include "../../../docs/examples/mykernel/reference.cpp"
}
#define KNOB_SIMD_WIDTH 1
#define KNOB_UNROLL 1
namespace plain {
#include "../../../docs/examples/mykernel/openmp.cpp"
}
#undef KNOB_SIMD_WIDTH
#undef KNOB_UNROLL
#define KNOB_SIMD_WIDTH 2
#define KNOB_UNROLL 4
namespace wide {
#include "../../../docs/examples/mykernel/openmp.cpp"
}
#undef KNOB_SIMD_WIDTH
#undef KNOB_UNROLL
#define KNOB_SIMD_WIDTH 8
#define KNOB_UNROLL 8
namespace widest {
#include "../../../docs/examples/mykernel/openmp.cpp"
}

using namespace rooftune;

namespace {

const std::filesystem::path docs = std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "docs";
const std::filesystem::path example = docs / "examples/mykernel";

using Function = void (*)(std::int64_t, std::int32_t, const double*, const double*, double*);

}  // namespace

TEST_CASE("the reference is Horner's rule: the geometric series is its exact answer") {
  const std::vector<double> ones(11, 1.0), x = {0, 1, 2, -1, 0.5};
  std::vector<double> y(x.size());
  reference::horner(5, 10, ones.data(), x.data(), y.data());
  CHECK(y == std::vector<double>{1, 11, 2047, 1, 2 - std::pow(2.0, -10)});
}

TEST_CASE("every variant agrees with the reference, also where blocks do not divide the points") {
  for (const std::int64_t n : {1, 7, 64, 1000, 1023})
    for (const std::int32_t degree : {1, 2, 32}) {
      std::vector<double> c, x, expected(static_cast<std::size_t>(n)), y(expected.size());
      for (std::int32_t k = 0; k <= degree; ++k) c.push_back(std::sin(k + 1.0));
      for (std::int64_t i = 0; i < n; ++i) x.push_back(std::cos(static_cast<double>(i)));
      reference::horner(n, degree, c.data(), x.data(), expected.data());
      for (const Function variant : {&plain::horner, &wide::horner, &widest::horner}) {
        std::fill(y.begin(), y.end(), NAN);
        variant(n, degree, c.data(), x.data(), y.data());
        INFO(n << " points of degree " << degree);
        for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(y[i] - expected[i]) < 1e-12);
      }
    }
}

TEST_CASE("manifest and search space of the example read and fit") {
  const Kernel kernel = find_kernel(example.string(), "/nowhere");
  Facts facts = problem_parameters(kernel, {{"n", "1e4"}});
  facts["machine_threads"] = Value(2);
  facts["machine_simd_bits"] = Value(256);
  facts["machine_huge_pages"] = Value(true);
  const SearchSpace space = read_space(find_space(kernel, "openmp", "/nowhere"), facts);
  CHECK(unknown_names(kernel, space).empty());
  // 3 widths fit 256 bits; 4 unrolls; one thread, or two with static or (dynamic, guided) x 3
  // chunks; pages.
  CHECK(space.size() == 3 * 4 * (1 + 1 + 2 * 3) * 2);
  CHECK(work(kernel, facts).least.at("fp64") == Flops(2 * 32 * 1e4));
  CHECK(traffic(kernel, facts).footprint == Bytes(16e4 + 8 * 33));
}
