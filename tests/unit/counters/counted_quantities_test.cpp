// Hardware quantities as the roofline's counts: nothing lost, nothing guessed.
#include <catch2/catch.hpp>

#include "counters/hardware_count.h"

using namespace rooftune;

namespace {

HardwareCounts hardware(const std::map<std::string, double>& values) {
  HardwareCounts counts;
  for (const auto& [name, value] : values) counts.quantities[name] = Estimate::exact(value);
  return counts;
}

}  // namespace

TEST_CASE("flops keep their precision, kinds replace their sum") {
  const Counts counts = counts_of(hardware({{"flops.fp64", 40},
                                            {"flops.fp64.add", 10},
                                            {"flops.fp64.mul", 10},
                                            {"flops.fp64.fma", 20},
                                            {"flops.fp32", 7},
                                            {"flops.any", 3}}),
                                  "cupti", "a chip");
  CHECK(counts.operations.at("fp64").at("fma") == Estimate::exact(10));
  CHECK(counts.operations.at("fp64").count("flop") == 0);
  CHECK(flops(counts, "fp64") == Estimate::exact(40));
  CHECK(flops(counts, "fp32") == Estimate::exact(7));
  CHECK(flops(counts, "fp") == Estimate::exact(3));
  CHECK(counts.operations_source.kind == Source::Kind::counted);
  CHECK(counts.operations_source.text == "a chip");
}

TEST_CASE("levels need both directions, or their sum") {
  const Counts counts = counts_of(
      hardware({{"L2.read", 64}, {"L2.write", 32}, {"L3.read", 128}, {"DRAM.total", 256}}), "perf",
      "events");
  CHECK(counts.traffic.at("L2").read == Estimate::exact(64));
  CHECK(counts.traffic.at("L2").write == Estimate::exact(32));
  CHECK(counts.traffic.at("DRAM").read == Estimate::exact(256));
  CHECK(counts.traffic.count("L3") == 0);
  CHECK(counts.details.at("bytes read at L3") == Estimate::exact(128));
  CHECK(counts.notes.size() == 2);
}

TEST_CASE("what is missing or wrong is told") {
  HardwareCounts given = hardware({{"loads", 5}, {"instructions", 9}});
  given.missing["DRAM.read"] = "denied";
  given.flags = {"d8 overflowed"};
  const Counts counts = counts_of(given, "perf", "events");
  CHECK(counts.details.at("load instructions") == Estimate::exact(5));
  CHECK(counts.details.at("instructions") == Estimate::exact(9));
  CHECK_FALSE(counts.loads);
  CHECK(counts.operations.empty());
  REQUIRE(counts.notes.size() == 1);
  CHECK_THAT(counts.notes[0], Catch::Contains("DRAM.read") && Catch::Contains("denied"));
  CHECK(counts.flags == std::vector<std::string>{"d8 overflowed"});
}
