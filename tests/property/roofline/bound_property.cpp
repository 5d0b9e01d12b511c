// Laws of the bound on random machines and problems; seeds are fixed, each failure names its own.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "roofline/rates.h"
#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

constexpr int cases = 400;
constexpr double rounding = 1 + 1e-8;

Roofline problem(std::uint64_t seed, bool complete = false) {
  Rng rng(seed, 7);
  Roofline p;
  p.machine = random_machine(rng, complete);
  p.work.least["fp64"] = Flops(1 + 1e5 * rng.unit());
  if (rng.below(2)) p.work.least["fp32"] = Flops(1e5 * rng.unit());
  p.traffic = moved(3e4 * rng.unit(), 3e4 * rng.unit(), rng.below(2) == 0);
  p.threads = 1 + static_cast<int>(rng.below(2));
  if (rng.below(2)) p.traffic.footprint = Bytes(0);  // in place, however it is changed below
  return p;
}

double time(const Roofline& p) { return p.bound().time.value(); }

}  // namespace

TEST_CASE("the bound grows with the work") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    Roofline p = problem(seed);
    const double before = time(p);
    for (auto& [precision, count] : p.work.least) count = count * 1.7;
    REQUIRE(time(p) >= before);
  }
}

TEST_CASE("the bound grows with reads and with writes, apart and together") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    Roofline p = problem(seed);
    Rng rng(seed, 11);
    for (int step = 0; step < 6; ++step) {
      const double before = time(p);
      if (rng.below(3) != 0) p.traffic.read = p.traffic.read * (1 + rng.unit());
      if (rng.below(3) != 0) p.traffic.write = p.traffic.write * (1 + rng.unit());
      if (p.traffic.footprint > Bytes(0)) p.traffic.footprint = p.traffic.read + p.traffic.write;
      REQUIRE(time(p) * rounding >= before);
    }
  }
}

TEST_CASE("no ceiling that becomes faster makes the bound longer") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    Roofline p = problem(seed);
    Rng rng(seed, 13);
    const double before = time(p);
    Ceiling& ceiling = p.machine.ceilings[rng.below(p.machine.ceilings.size())];
    const double factor = 1 + 3 * rng.unit();
    ceiling.rate = {ceiling.rate.value * factor, ceiling.rate.low * factor,
                    ceiling.rate.high * factor};
    REQUIRE(time(p) <= before * rounding);
  }
}

TEST_CASE("more threads never make the bound longer") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    // Complete, for a mix that only two threads measured is a limit that one thread did not know.
    Roofline p = problem(seed, true);
    p.traffic.warm = false;  // a second core brings its cache
    p.threads = 1;
    const double one = time(p);
    p.threads = 2;
    REQUIRE(time(p) <= one * rounding);
  }
}

TEST_CASE("cold data scales: twice the work and traffic takes twice the time") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    Roofline p = problem(seed);
    p.traffic.warm = false;
    const double before = time(p);
    for (auto& [precision, count] : p.work.least) count = count * 2;
    p.traffic.read = p.traffic.read * 2;
    p.traffic.write = p.traffic.write * 2;
    p.traffic.footprint = p.traffic.footprint * 2;
    REQUIRE(time(p) == Approx(2 * before).epsilon(1e-12));
  }
}

TEST_CASE("rates scale: a machine twice as fast takes half the time") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    Roofline p = problem(seed);
    const double before = time(p);
    for (auto& ceiling : p.machine.ceilings)
      ceiling.rate = {ceiling.rate.value * 2, ceiling.rate.low * 2, ceiling.rate.high * 2};
    REQUIRE(time(p) == Approx(before / 2).epsilon(1e-12));
  }
}

TEST_CASE("warm data never takes longer than cold, and a larger cache never takes longer") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    Roofline p = problem(seed);
    p.traffic.warm = false;
    const double cold = time(p);
    p.traffic.warm = true;
    const double warm = time(p);
    REQUIRE(warm <= cold * rounding);
    *p.machine.levels[1].capacity *= 2;
    REQUIRE(time(p) <= warm * rounding);
  }
}

TEST_CASE("least traffic falls outwards and never exceeds what the kernel moves") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    const Roofline p = problem(seed);
    double outside = p.traffic.read.value() + p.traffic.write.value();
    for (const auto& level : p.machine.levels) {
      const double here = p.least_traffic(level.name).total().value();
      REQUIRE(here <= outside);
      REQUIRE(here >= 0);
      outside = here;
    }
  }
}

TEST_CASE("the bound is its longest part, inside its interval") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    const Roofline p = problem(seed);
    const Bound b = p.bound();
    double longest = 0;
    for (const auto& part : b.parts) longest = std::max(longest, part.time.value());
    REQUIRE(b.time.value() == longest);
    REQUIRE(b.low <= b.time);
    REQUIRE(b.time <= b.high);
  }
}

TEST_CASE("work x traffic x rate is the gap") {
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    const Roofline p = problem(seed);
    Rng rng(seed, 17);
    const Bound b = p.bound();
    Counts counted;
    counted.provider = "test";
    const double more = 1 + rng.unit();
    for (const auto& [precision, count] : p.work.least)
      counted.operations[precision]["flop"] = Estimate::exact(count.value() * more);
    for (const auto& level : p.machine.levels) {
      const LevelTraffic moved_least = p.least_traffic(level.name);
      counted.traffic[level.name] = {
          Estimate::exact(moved_least.read.value() * (1 + rng.unit())),
          Estimate::exact(moved_least.write.value() * (1 + 2 * rng.unit())),
          {}};
    }
    const double seconds = b.time.value() * (1 + 9 * rng.unit());
    const Gap g = p.gap(Estimate::exact(seconds), &counted, "");
    REQUIRE(g.work);
    REQUIRE(g.traffic);
    REQUIRE(g.rate);
    REQUIRE(*g.work * *g.traffic * *g.rate == Approx(g.total.value).epsilon(1e-13));
    REQUIRE(g.total.value == Approx(seconds / b.time.value()).epsilon(1e-13));
    REQUIRE(*g.work >= 1);
    REQUIRE(*g.traffic * rounding >= 1);
    REQUIRE(g.unknown_because.empty());
  }
}
