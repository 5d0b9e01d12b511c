// Tests that loops faster than their bounds are found in a machine that was measured too slowly,
// and that what they show repairs it; and that the loops run and count as they claim.
#include "probe/verification.h"

#include <catch2/catch.hpp>
#include <random>

#include "probe/probe.h"
#include "support/sample_machine.h"

using namespace rooftune;
using Catch::Contains;

namespace {

LoopTime timed(const std::string& loop, double flops, double read, double written, double footprint,
               double seconds, int threads = 1) {
  LoopTime result;
  result.loop = loop;
  result.threads = threads;
  if (flops > 0) result.work.least["fp64"] = Flops(flops);
  result.traffic = {Bytes(read), Bytes(written), Bytes(footprint), true, {}};
  result.seconds = seconds;
  result.third = 1.01 * seconds;
  return result;
}

/// L1 holds 2 x 48 KiB, L2 2 x 1.5 MiB, L3 32 MiB; loads of one thread 446, 180 and 31 GB/s.
std::vector<LoopTime> recorded() {
  return {timed("sum", 64e3, 512e3, 0, 512e3, 512e3 / 231e9),
          timed("scale", 8e3, 64e3, 64e3, 64e3, 128e3 / 370e9),
          timed("copy", 0, 64e6, 64e6, 128e6, 128e6 / 10e9, 2),
          timed("fma_and_add", 1e9, 16e3, 0, 16e3, 1e9 / 178.6e9)};
}

}  // namespace

TEST_CASE("Loops that beat a machine measured too slowly are found, and it is repaired") {
  Machine machine = sample::machine();
  const std::size_t before = machine.ceilings.size();
  const Verification first = verify(machine, recorded());
  REQUIRE(first.loops.size() == 4);
  CHECK(first.beating == 2);
  CHECK(first.left == 0);
  CHECK(first.loops[0].ratio < first.loops[1].ratio);
  CHECK(first.loops[0].time.loop == "fma_and_add");
  CHECK(first.loops[1].time.loop == "sum");
  CHECK(first.loops[1].beats);
  CHECK_FALSE(first.loops[2].beats);
  CHECK(first.repaired ==
        std::vector<std::string>{"verify fma_and_add fp64 1t", "verify sum L2 1t"});
  REQUIRE(machine.ceilings.size() == before + 2);
  const Ceiling& sum = machine.ceilings.back();
  CHECK(sum.level == "L2");
  CHECK(sum.reads == 1);
  CHECK_THAT(sum.source.text, Contains("the plain loop sum over 500 KiB"));
  CHECK_THAT(machine.notes.back(), Contains("4 plain loops at several sizes, 2 beat their bounds"));

  // it bounds from then on, from the file as well, and nothing is left to find
  Machine again = machine_from_json(to_json(machine), "again");
  const Verification second = verify(again, recorded());
  CHECK(second.beating == 0);
  CHECK(second.repaired.empty());
  CHECK(again.ceilings.size() == machine.ceilings.size());
  CHECK(again.notes.size() == machine.notes.size());
  // no anchor, since no kernel repeats it
  for (const std::string& anchor : anchors(machine))
    CHECK(anchor.find("verify") == std::string::npos);
  CHECK(first.loops.size() == 4);
  CHECK(first.loops[0].ratio < 1);
}

TEST_CASE("Sizes that mix loads and stores differently at a level have ceilings of their own") {
  Machine machine = sample::machine();
  std::vector<LoopTime> times;
  for (const double n : {2e5, 4e5, 8e5})
    times.push_back(timed("axpy", 2 * n, 16 * n, 8 * n, 16 * n, 24 * n / 900e9));
  const Verification result = verify(machine, times);
  CHECK(result.beating == 3);
  CHECK(result.left == 0);
  CHECK(verify(machine, times).beating == 0);
}

TEST_CASE("Whatever the loops' times were, none beats its bound after the repair") {
  std::mt19937_64 random(25);
  std::uniform_real_distribution<double> speed(1, 60);
  for (int round = 0; round < 300; ++round) {
    Machine machine = sample::machine();
    // A short probe measures one thread only.
    if (round % 2 == 1)
      std::erase_if(machine.ceilings, [](const Ceiling& ceiling) { return ceiling.threads > 1; });
    std::vector<LoopTime> times;
    for (const int threads : {1, 2})
      for (const double n : {1e3, 1e5, 16e6}) {
        const auto add = [&](const std::string& loop, double flops, double read, double written,
                             double footprint) {
          times.push_back(timed(loop, flops * n, read * n, written * n, footprint * n,
                                n / (speed(random) * 1e9), threads));
        };
        add("sum", 1, 8, 0, 8);
        add("axpy", 2, 16, 8, 16);
        add("copy", 0, 8, 8, 16);
        add("fill", 0, 0, 8, 8);
        add("scale", 1, 8, 8, 8);
        add("gather", 3, 24, 8, 32);
      }
    CAPTURE(round);
    const Verification first = verify(machine, times);
    CHECK(first.left == 0);
    const Verification second = verify(machine, times);
    CHECK(second.beating == 0);
    // None has lost its bound either.
    CHECK(second.loops.size() == first.loops.size());
  }
}

TEST_CASE("A loop without a ceiling for it is left out") {
  Machine machine = sample::machine();
  std::erase_if(machine.ceilings, [](const Ceiling& c) { return c.level == "L1"; });
  const Verification result = verify(machine, {timed("copy", 0, 8e3, 8e3, 16e3, 1e-7)});
  CHECK(result.loops.empty());
  CHECK(result.repaired.empty());
}

TEST_CASE("A faster time raises what an earlier loop showed") {
  Machine machine = sample::machine();
  verify(machine, {timed("sum", 64e3, 512e3, 0, 512e3, 512e3 / 231e9)});
  const double before = machine.ceilings.back().rate.value;
  const Verification faster = verify(machine, {timed("sum", 64e3, 512e3, 0, 512e3, 512e3 / 260e9)});
  CHECK(faster.repaired == std::vector<std::string>{"verify sum L2 1t"});
  CHECK(machine.ceilings.back().rate.value > 1.1 * before);
}

TEST_CASE("Plain loops are timed within the levels and beyond, each with its least work") {
  Machine machine = sample::machine();
  ProbeOptions options;
  options.seconds = 2;
  const std::vector<LoopTime> times = plain_loop_times(machine, options);
  REQUIRE_FALSE(times.empty());
  for (const LoopTime& time : times) {
    CAPTURE(time.loop, time.level, time.threads);
    CHECK(time.seconds > 0);
    CHECK(time.third >= time.seconds);
    const double footprint = time.traffic.footprint.value();
    CHECK(footprint > 0);
    CHECK(footprint <= time.traffic.read.value() + time.traffic.write.value());
    REQUIRE(machine.level(time.level));
    if (time.level != "DRAM")
      CHECK(footprint <=
            Machine::most_held(*machine.level(time.level)) * machine.level(time.level)->instances);
    CHECK(time.traffic.in_place() == (time.loop == "axpy" || time.loop == "scale"));
  }
}
