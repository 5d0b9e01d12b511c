#include "roofline/applicable.h"

#include <catch2/catch.hpp>

#include "support/sample_machine.h"

using namespace rooftune;

namespace {

Work flops(double fp64) {
  Work work;
  work.least["fp64"] = Flops(fp64);
  return work;
}

Traffic moved(double read, double write, double footprint) {
  Traffic traffic;
  traffic.read = Bytes(read);
  traffic.write = Bytes(write);
  traffic.footprint = Bytes(footprint);
  return traffic;
}

std::string names(const std::vector<Applicable>& all) {
  std::string text;
  for (const Applicable& one : all) text += one.ceiling->name + ";";
  return text;
}

}  // namespace

TEST_CASE("the ceiling is that of the kernel's own mix, not the one that lies nearest") {
  const Machine m = sample::machine();
  // Two bytes read for each one written, from memory.
  const auto all = applicable_ceilings(flops(1e6), moved(2e9, 1e9, 3e9), m, {2, {}});
  REQUIRE_FALSE(all.empty());
  CHECK(all.front().ceiling->level == "DRAM");
  CHECK(all.front().ceiling->mix == "triad");
  CHECK(all.front().ceiling->threads == 2);
  const auto loads = applicable_ceilings(flops(1e6), moved(3e9, 0, 3e9), m, {1, {}});
  CHECK(loads.front().ceiling->name == "DRAM load huge 1t");
  CHECK(loads.front().because.size() == 4);
}

TEST_CASE("slowest first, one per level with traffic and precision with work") {
  const Machine m = sample::machine();
  const auto all = applicable_ceilings(flops(1e6), moved(2e9, 1e9, 3e9), m, {2, {}});
  CHECK(all.size() == 5);  // fp64, L1, L2, L3, DRAM
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i].time <= all[i - 1].time);
  const auto compute = applicable_ceilings(flops(1e12), moved(1e6, 0, 1e6), m, {2, {}});
  CHECK(compute.front().ceiling->precision == "fp64");
  // What the caches keep crosses no outer level.
  CHECK(names(compute).find("DRAM") == std::string::npos);
}

TEST_CASE("a counted share of fused multiply-adds chooses among the in-core ceilings") {
  const Machine m = sample::machine();
  const Traffic none;
  const auto unknown = applicable_ceilings(flops(1e9), none, m, {2, {}});
  REQUIRE(unknown.size() == 1);
  CHECK(unknown.front().ceiling->mix == "fma");
  const auto adds = applicable_ceilings(flops(1e9), none, m, {2, 0.0});
  CHECK(adds.front().ceiling->mix == "add");
  CHECK(adds.front().time > unknown.front().time);
  const auto fused = applicable_ceilings(flops(1e9), none, m, {2, 0.95});
  CHECK(fused.front().ceiling->mix == "fma");
}
