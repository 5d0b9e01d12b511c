// Laws of the ledger on random machines, paths and walls.
#include <catch2/catch.hpp>
#include <set>

#include "roofline/roofline.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;
using State = LedgerEntry::State;

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

TEST_CASE("broken means that the baseline was above and the best is below, beyond both intervals") {
  for (std::uint64_t seed = 0; seed < ledger_cases; ++seed) {
    INFO("seed " << seed);
    const Story s = story(seed);
    const Estimate first = s.path.front().seconds, last = s.path.back().seconds;
    for (const auto& entry : s.roofline.ledger(s.path)) {
      INFO(entry.ceiling << entry.wall);
      const double time = entry.time.value();
      if (entry.state == State::broken) {
        REQUIRE(last.high < time);
        REQUIRE(first.low > time);
      } else {
        REQUIRE(entry.knobs.empty());
      }
      if (entry.state == State::above) REQUIRE(last.low > time);
      if (first.overlaps(last)) REQUIRE(entry.state != State::broken);
    }
  }
}

TEST_CASE("only knobs that name the lacking paradigm are credited") {
  for (std::uint64_t seed = 0; seed < ledger_cases; ++seed) {
    INFO("seed " << seed);
    const Story s = story(seed);
    for (const auto& entry : s.roofline.ledger(s.path)) {
      if (entry.state != State::broken) continue;
      const bool about_fma = entry.lacks.contains(Paradigm::fma);
      REQUIRE(entry.knobs.size() == (about_fma ? 1 : 0));
      if (about_fma) REQUIRE(entry.knobs.front().knob == "knob");
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

TEST_CASE("a knob is credited on the ground of its set-back, for what it can bring, or nobody is") {
  for (std::uint64_t seed = 0; seed < ledger_cases; ++seed) {
    INFO("seed " << seed);
    const Story s = story(seed);
    Rng rng(seed, 5);
    const Estimate best = s.path.back().seconds;
    Attribution known;
    for (const char* name : {"a", "b", "c"}) {
      const Estimate factor = noisy(0.8 + 8 * rng.unit() * rng.unit(), rng);
      known.set_back.push_back(
          {{name, "0", "1", {rng.below(2) == 0 ? Paradigm::fma : Paradigm::capacity}},
           {best.value * factor.value, best.low * factor.low, best.high * factor.high}});
    }
    for (const auto& entry : s.roofline.ledger(s.path, known)) {
      INFO(entry.ceiling << entry.wall);
      REQUIRE(entry.evidence != LedgerEntry::Evidence::search);
      REQUIRE(entry.knobs.empty() == (entry.evidence == LedgerEntry::Evidence::none));
      if (!entry.knobs.empty()) REQUIRE(entry.state == State::broken);
      for (const Step::Change& change : entry.knobs) REQUIRE(can_add(change, entry.lacks));
      REQUIRE(entry.knobs.size() == entry.set_back.size());
      for (const Estimate& back : entry.set_back)
        if (entry.evidence == LedgerEntry::Evidence::ablation)
          REQUIRE(back.low > entry.time.value());
    }
  }
}

TEST_CASE("no limit of code without something is passed by code that had it, or ahead of it") {
  const Paradigms all{Paradigm::fma, Paradigm::ilp, Paradigm::simd, Paradigm::tlp};
  for (std::uint64_t seed = 0; seed < ledger_cases; ++seed) {
    INFO("seed " << seed);
    const Story s = story(seed);
    Rng rng(seed, 7);
    Attribution known;
    for (const Paradigm one : all) {
      if (rng.below(2) == 0) known.baseline_has.insert(one);
      if (rng.below(2) == 0) known.best_has.insert(one);
    }
    for (const auto& entry : s.roofline.ledger(s.path, known)) {
      INFO(entry.ceiling << entry.wall);
      const bool ahead = entry.state == State::above || entry.state == State::touching;
      for (const Paradigm one : entry.lacks)
        REQUIRE_FALSE((ahead ? known.best_has : known.baseline_has).contains(one));
    }
  }
}
