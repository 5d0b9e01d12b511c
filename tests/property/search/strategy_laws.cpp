// Laws that every row of the strategy table keeps, on spaces and evaluators without a compiler.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <set>
#include <thread>

#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

constexpr std::uint64_t seeds = 12;

History straight(const Strategy& strategy, const SearchSpace& space, std::uint64_t seed) {
  History history;
  search_on(strategy, space, rugged(seed), seed, space.size() + 5, history);
  return history;
}

History first(const History& history, std::size_t n) {
  History result;
  for (std::size_t i = 0; i < n; ++i) result.append(history.trials()[i]);
  return result;
}

/// For every strategy, space and seed.
void for_all(const std::function<void(const Strategy&, const SearchSpace&, std::uint64_t)>& law) {
  for (const auto& row : strategies())
    for (const auto& space : small_spaces())
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        INFO(row.name << " in " << space.name() << ", seed " << seed);
        law(*row.make(), space, seed);
      }
}

}  // namespace

TEST_CASE("a strategy tries every configuration once, and says so by ending") {
  for_all([](const Strategy& strategy, const SearchSpace& space, std::uint64_t seed) {
    const History history = straight(strategy, space, seed);
    REQUIRE(history.size() == space.size());
    const auto all = keys(history);
    REQUIRE(std::set<std::string>(all.begin(), all.end()).size() == space.size());
    for (const auto& trial : history.trials()) REQUIRE(space.allowed(trial.configuration));
  });
}

TEST_CASE("a strategy never proposes what was tried, wherever the history comes from") {
  for_all([](const Strategy& strategy, const SearchSpace& space, std::uint64_t seed) {
    Rng choice(seed, 99);
    History history;
    for (std::uint64_t i = 0; i < space.size(); ++i)
      if (choice.below(3) != 0) history.append(rugged(seed)(space.configuration(i)));
    const std::size_t before = history.size();
    for (int draw = 0; draw < 20; ++draw) {
      Rng rng(seed + static_cast<std::uint64_t>(draw), history.size());
      const auto proposal = strategy.propose(space, history, rng);
      REQUIRE(proposal.has_value() == (before < space.size()));
      if (proposal) REQUIRE_FALSE(history.tried(*proposal));
    }
  });
}

TEST_CASE("the same seed and history give the same search, another seed mostly another") {
  for_all([](const Strategy& strategy, const SearchSpace& space, std::uint64_t seed) {
    REQUIRE(keys(straight(strategy, space, seed)) == keys(straight(strategy, space, seed)));
  });
  for (const char* name : {"random", "roofline"}) {
    std::set<std::vector<std::string>> searches;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      History history;
      search_on(*make_strategy(name), small_spaces()[2], rugged(1), seed, 100, history);
      searches.insert(keys(history));
    }
    CHECK(searches.size() == seeds);
  }
}

TEST_CASE("a search that is interrupted anywhere and resumed is the search that was not") {
  for_all([](const Strategy& strategy, const SearchSpace& space, std::uint64_t seed) {
    const History whole = straight(strategy, space, seed);
    for (const std::size_t cut :
         {std::size_t{0}, std::size_t{1}, whole.size() / 3, whole.size() - 1}) {
      History resumed = first(whole, cut);
      // A new process: a new strategy object.
      search_on(strategy, space, rugged(seed), seed, space.size() + 5, resumed);
      REQUIRE(keys(resumed) == keys(whole));
    }
  });
}

TEST_CASE("a batch holds nothing twice, ends with the space and leaves no trace") {
  for_all([](const Strategy& strategy, const SearchSpace& space, std::uint64_t seed) {
    const std::size_t cut = seed % 4 * space.size() / 5;
    const History history = first(straight(strategy, space, seed), cut);
    const auto batch = [&](const Strategy& of) {
      std::vector<Configuration> pending;
      for (;;) {
        Rng rng(seed, cut + pending.size());
        auto next = of.propose(space, history, rng, pending);
        if (!next) return pending;
        pending.push_back(*std::move(next));
        REQUIRE(pending.size() + cut <= space.size());
      }
    };
    const auto whole = batch(strategy);
    REQUIRE(whole.size() + cut == space.size());
    std::set<std::string> seen;
    for (const Configuration& one : whole) {
      REQUIRE(space.allowed(one));
      REQUIRE_FALSE(history.tried(one));
      REQUIRE(seen.insert(one.key()).second);
    }
    REQUIRE(batch(strategy) == whole);
    if (whole.empty()) return;
    Rng rng(seed, cut);
    REQUIRE(strategy.propose(space, history, rng) == whole.front());
    History other = history;
    search_on(strategy, space, rugged(seed), seed, space.size(), other);
    REQUIRE(keys(other) == keys(straight(strategy, space, seed)));
  });
}

TEST_CASE("one strategy object may serve many searches at once: it keeps nothing") {
  const auto spaces = small_spaces();
  for (const auto& row : strategies()) {
    INFO(row.name);
    const auto strategy = row.make();
    History a, b;
    for (int i = 0; i < 10; ++i) {
      search_on(*strategy, spaces[2], rugged(3), 3, 1, a);
      search_on(*strategy, spaces[3], rugged(4), 4, 1, b);
    }
    History alone;
    search_on(*row.make(), spaces[2], rugged(3), 3, 10, alone);
    CHECK(keys(a) == keys(alone));
  }
}

TEST_CASE("the wall clock and what trials cost change nothing") {
  for (const auto& row : strategies()) {
    INFO(row.name);
    const auto slow = [](const Configuration& configuration) {
      Trial trial = rugged(5)(configuration);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      trial.cost = {1, 2, 3, 4};
      trial.started = "2026-11-21T09:30:00Z";
      return trial;
    };
    History quick_history, slow_history;
    search_on(*row.make(), small_spaces()[2], rugged(5), 5, 20, quick_history);
    search_on(*row.make(), small_spaces()[2], slow, 5, 20, slow_history);
    CHECK(keys(quick_history) == keys(slow_history));
  }
}

TEST_CASE("trials of another space in the history are borne") {
  const auto spaces = small_spaces();
  for (const auto& row : strategies()) {
    INFO(row.name);
    History history;
    search_on(*row.make(), spaces[3], rugged(1), 1, 4, history);
    search_on(*row.make(), spaces[2], rugged(1), 1, 1000, history);
    CHECK(history.size() == 4 + spaces[2].size());
  }
}

TEST_CASE("a space in which everything fails is exhausted all the same") {
  const auto never = [](const Configuration& configuration) {
    return failed(configuration, Outcome::build_failed);
  };
  for (const auto& row : strategies())
    for (const auto& space : small_spaces()) {
      INFO(row.name << " in " << space.name());
      History history;
      search_on(*row.make(), space, never, 1, space.size() + 5, history);
      CHECK(history.size() == space.size());
    }
}

TEST_CASE("random draws are uniform over what is left") {
  const SearchSpace space = small_spaces()[1];  // 7 configurations
  const auto strategy = make_strategy("random");
  // Few left, so that both the draws and the counting are used.
  for (const std::uint64_t left : {7u, 4u, 2u}) {
    INFO(left << " left");
    History history;
    for (std::uint64_t i = left; i < space.size(); ++i)
      history.append(rugged(1)(space.configuration(i)));
    std::map<std::string, int> counts;
    constexpr int draws = 4000;
    for (std::uint64_t seed = 0; seed < draws; ++seed) {
      Rng rng(seed, 1);
      ++counts[strategy->propose(space, history, rng)->key()];
    }
    CHECK(counts.size() == left);
    const double expected = draws / static_cast<double>(left);
    for (const auto& [key, count] : counts)
      CHECK(std::abs(count - expected) < 5 * std::sqrt(expected));
  }
}
