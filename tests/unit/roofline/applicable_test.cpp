#include "roofline/applicable.h"

#include <catch2/catch.hpp>

#include "support/sample_machine.h"

using namespace rooftune;

namespace {

Work fp64_work(double fp64) {
  Work work;
  work.least["fp64"] = Flops(fp64);
  return work;
}

Traffic traffic_of(double read, double write, double footprint) {
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
  Roofline variant{fp64_work(1e6), traffic_of(2e9, 1e9, 3e9), sample::machine(), 2};
  // Two bytes read for each one written, from memory.
  const auto all = applicable_ceilings(variant, std::nullopt);
  REQUIRE_FALSE(all.empty());
  CHECK(all.front().ceiling->level == "DRAM");
  CHECK(all.front().ceiling->mix == "triad");
  CHECK(all.front().ceiling->threads == 2);
  variant.traffic = traffic_of(3e9, 0, 3e9);
  variant.threads = 1;
  const auto loads = applicable_ceilings(variant, std::nullopt);
  CHECK(loads.front().ceiling->name == "DRAM load huge 1t");
  CHECK(loads.front().because.size() == 4);
}

TEST_CASE("slowest first, one per level with traffic and precision with work") {
  Roofline variant{fp64_work(1e6), traffic_of(2e9, 1e9, 3e9), sample::machine(), 2};
  const auto all = applicable_ceilings(variant, std::nullopt);
  CHECK(all.size() == 5);  // fp64, L1, L2, L3, DRAM
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i].time <= all[i - 1].time);
  variant.work = fp64_work(1e12);
  variant.traffic = traffic_of(1e6, 0, 1e6);
  const auto compute = applicable_ceilings(variant, std::nullopt);
  CHECK(compute.front().ceiling->precision == "fp64");
  // What the caches keep crosses no outer level.
  CHECK(names(compute).find("DRAM") == std::string::npos);
}

TEST_CASE("a counted share of fused multiply-adds chooses among the in-core ceilings") {
  const Roofline variant{fp64_work(1e9), Traffic{}, sample::machine(), 2};
  const auto unknown = applicable_ceilings(variant, std::nullopt);
  REQUIRE(unknown.size() == 1);
  CHECK(unknown.front().ceiling->mix == "fma");
  const auto adds = applicable_ceilings(variant, 0.0);
  CHECK(adds.front().ceiling->mix == "add");
  CHECK(adds.front().time > unknown.front().time);
  const auto fused = applicable_ceilings(variant, 0.95);
  CHECK(fused.front().ceiling->mix == "fma");
}
