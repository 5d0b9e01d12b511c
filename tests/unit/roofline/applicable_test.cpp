#include <catch2/catch.hpp>

#include "roofline/rates.h"
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

}  // namespace

TEST_CASE("the ceiling is that of the kernel's own mix, not the one that lies nearest") {
  Roofline variant{fp64_work(1e6), traffic_of(2e9, 1e9, 3e9), sample::machine(), 2};
  // Two bytes read for each one written, from memory.
  const Ceiling* const triad = applicable_ceiling(variant);
  REQUIRE(triad);
  CHECK(triad->level == "DRAM");
  CHECK(triad->mix == "triad");
  CHECK(triad->threads == 2);
  variant.traffic = traffic_of(3e9, 0, 3e9);
  variant.threads = 1;
  CHECK(applicable_ceiling(variant)->name == "DRAM load huge 1t");
}

TEST_CASE("of a level or work without traffic none applies, and the slowest of the others does") {
  Roofline variant{fp64_work(1e12), traffic_of(1e6, 0, 1e6), sample::machine(), 2};
  // What the caches keep crosses no outer level.
  CHECK(applicable_ceiling(variant)->precision == "fp64");
  CHECK(applicable_ceiling(variant)->mix == "fma");
  variant.work = Work{};
  CHECK(applicable_ceiling(variant)->level != "DRAM");
  variant.traffic = Traffic{};
  CHECK_FALSE(applicable_ceiling(variant));
}
