// Laws of the ledger on random machines, paths and walls.
#include <catch2/catch.hpp>
#include <set>

#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

constexpr int ledger_cases = 400;

struct Story {
  Roofline roofline;
  std::vector<Step> path;
  Bound least;
};

Estimate noisy(double seconds, Rng& rng) {
  return {seconds, seconds * (1 - 0.2 * rng.unit()), seconds * (1 + 0.2 * rng.unit())};
}

Story story(std::uint64_t seed) {
  Rng rng(seed, 3);
  Story s;
  s.roofline.threads = 2;
  s.roofline.machine = random_machine(rng);
  s.roofline.work = flops(1 + 1e5 * rng.unit());
  s.roofline.traffic = moved(3e4 * rng.unit(), 3e4 * rng.unit(), rng.below(2) == 0);
  s.roofline.traffic.walls = {{"wall", Paradigm::capacity, "",
                               s.roofline.traffic.read * (1 + 3 * rng.unit()),
                               s.roofline.traffic.write}};
  s.least = s.roofline.bound();
  double seconds = s.least.time.value() * (1 + 20 * rng.unit());
  s.path.push_back({noisy(seconds, rng), {}});
  while (seconds > s.least.time.value() && rng.below(6) != 0) {
    seconds *= 0.5 + 0.5 * rng.unit();
    s.path.push_back(
        {noisy(seconds, rng),
         {{"knob", "a", "b", {Paradigm::fma}}, {"other", "c", "d", {Paradigm::tensor}}}});
  }
  return s;
}

}  // namespace

TEST_CASE("ledger entries come slowest first, each once") {
  for (std::uint64_t seed = 0; seed < ledger_cases; ++seed) {
    INFO("seed " << seed);
    const Story s = story(seed);
    const auto entries = s.roofline.ledger(s.path);
    std::set<std::tuple<std::string, Paradigms, std::string>> seen;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) REQUIRE(entries[i - 1].time >= entries[i].time);
      REQUIRE(seen.insert({entries[i].ceiling, entries[i].lacks, entries[i].wall}).second);
    }
  }
}

TEST_CASE("passed means that the baseline was above and every later stair is below") {
  int passed = 0;
  for (std::uint64_t seed = 0; seed < ledger_cases; ++seed) {
    INFO("seed " << seed);
    const Story s = story(seed);
    for (const auto& entry : s.roofline.ledger(s.path)) {
      INFO(entry.ceiling << entry.wall);
      if (!entry.passed_by) {
        REQUIRE_FALSE(entry.broken_by);
        continue;
      }
      ++passed;
      const double time = entry.time.value();
      REQUIRE(s.path.front().seconds.low > time);
      REQUIRE(*entry.passed_by > 0);
      for (std::size_t i = *entry.passed_by; i < s.path.size(); ++i)
        REQUIRE(s.path[i].seconds.high < time);
    }
  }
  REQUIRE(passed > ledger_cases / 10);
}

TEST_CASE("only a stair that can bring what is lacking broke a limit, none after the passing") {
  for (std::uint64_t seed = 0; seed < ledger_cases; ++seed) {
    INFO("seed " << seed);
    const Story s = story(seed);
    for (const auto& entry : s.roofline.ledger(s.path)) {
      if (!entry.passed_by) continue;
      const bool about_fma = entry.lacks.contains(Paradigm::fma);
      REQUIRE(entry.broken_by.has_value() == about_fma);
      if (about_fma) REQUIRE(*entry.broken_by <= *entry.passed_by);
    }
  }
}

TEST_CASE(
    "a limit slower than the bound is a limit: nothing listed is out of every variant's reach") {
  for (std::uint64_t seed = 0; seed < ledger_cases; ++seed) {
    INFO("seed " << seed);
    const Story s = story(seed);
    for (const auto& entry : s.roofline.ledger(s.path))
      // Intervals reach 10 % to either side.
      REQUIRE(entry.time.value() >= s.least.time.value() * 0.9 / 1.1 * 0.999);
  }
}

TEST_CASE("no limit of code without something is passed by code that had it, or ahead of it") {
  const Paradigms all{Paradigm::fma, Paradigm::ilp, Paradigm::simd, Paradigm::tlp};
  for (std::uint64_t seed = 0; seed < ledger_cases; ++seed) {
    INFO("seed " << seed);
    const Story s = story(seed);
    Rng rng(seed, 7);
    StairEvidence evidence;
    evidence.has.resize(s.path.size());
    for (const Paradigm one : all) {
      if (rng.below(2) == 0) evidence.has.front().insert(one);
      if (rng.below(2) == 0) evidence.has.back().insert(one);
    }
    for (const auto& entry : s.roofline.ledger(s.path, evidence)) {
      INFO(entry.ceiling << entry.wall);
      const Paradigms& has = entry.passed_by ? evidence.has.front() : evidence.has.back();
      for (const Paradigm one : entry.lacks) REQUIRE_FALSE(has.contains(one));
    }
  }
}
