#include "roofline/drift.h"

#include <catch2/catch.hpp>

#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;
using Verdict = Drift::Verdict;

namespace {

Machine small_machine() {
  Machine m = plain_machine();
  m.levels = {{"L1", 5.0, std::nullopt, 1},
              {"L2", 50.0, std::nullopt, 1},
              {"DRAM", std::nullopt, std::nullopt, 1}};
  m.ceilings = {core_ceiling("peak", 100), stream("L1 load", "L1", 1, 80),
                stream("L2 load", "L2", 1, 40), stream("DRAM load", "DRAM", 1, 10),
                stream("DRAM store", "DRAM", 0, 5)};
  for (Ceiling& ceiling : m.ceilings) ceiling.rate = around(ceiling.rate.value, 0.005);
  return m;
}

std::vector<Ceiling> reading(double peak, double dram, double noise = 0.002) {
  std::vector<Ceiling> all{core_ceiling("peak", 100 * peak),
                           stream("DRAM load", "DRAM", 1, 10 * dram)};
  for (Ceiling& ceiling : all) ceiling.rate = around(ceiling.rate.value, noise);
  return all;
}

std::vector<Verdict> verdicts(const std::vector<Drift>& drifts) {
  std::vector<Verdict> all;
  for (const Drift& one : drifts) all.push_back(one.verdict);
  return all;
}

}  // namespace

TEST_CASE("anchors within the limit are steady, beyond it they rescale what they stand for") {
  const Machine m = small_machine();
  const auto drifts = drift(m, {reading(1.01, 0.9), reading(0.99, 0.905)});
  CHECK(verdicts(drifts) == std::vector<Verdict>{Verdict::steady, Verdict::rescaled});
  CHECK(drifts[1].factor == Approx(0.9025));
  CHECK(drifts[1].sentence.find("DRAM load: 10.0 B/s in the machine file") == 0);
  const Machine now = rescaled(m, drifts);
  CHECK(now.ceilings[0].rate == m.ceilings[0].rate);
  CHECK(now.ceilings[2].rate == m.ceilings[2].rate);
  CHECK(now.ceilings[3].rate.value == Approx(9.025));
  CHECK(now.ceilings[4].rate.high == Approx(5 * 1.005 * 0.9025));
  CHECK(now.ceilings[4].source.text.find("rescaled by 0.90") != std::string::npos);
}

TEST_CASE("the in-core anchor stands for computing and the innermost level") {
  const Machine m = small_machine();
  const Machine now = rescaled(m, drift(m, {reading(1.1, 1), reading(1.1, 1)}));
  CHECK(now.ceilings[0].rate.value == Approx(110));
  CHECK(now.ceilings[1].rate.value == Approx(88));
  CHECK(now.ceilings[2].rate.value == Approx(40));
  CHECK(now.ceilings[3].rate.value == Approx(10));
}

TEST_CASE("a move during the run is no drift that could be corrected") {
  const auto drifts = drift(small_machine(), {reading(1, 1), reading(1, 0.8)});
  CHECK(verdicts(drifts) == std::vector<Verdict>{Verdict::steady, Verdict::changed});
  CHECK(drifts[1].factor == 1);
}

TEST_CASE("a move within the noise is none") {
  const auto drifts = drift(small_machine(), {reading(1, 0.95, 0.1), reading(1, 0.95, 0.1)});
  CHECK(verdicts(drifts) == std::vector<Verdict>{Verdict::steady, Verdict::steady});
}

TEST_CASE("what was not reproduced, or is missing at the end, is unknown") {
  AnchorReadings readings{reading(1, 1), reading(1, 1)};
  readings.start[0].stable = false;
  readings.end.pop_back();
  const auto drifts = drift(small_machine(), readings);
  CHECK(verdicts(drifts) == std::vector<Verdict>{Verdict::unknown, Verdict::unknown});
  CHECK(drifts[0].sentence.find("too busy") != std::string::npos);
  CHECK(drift(small_machine(), {}).empty());
  // A machine file that was replaced since has no such ceiling.
  AnchorReadings foreign;
  foreign.start = {core_ceiling("another", 3)};
  CHECK(drift(small_machine(), foreign).empty());
}
