// Search spaces and evaluators without a compiler, for tests of strategies and sessions.
// An evaluator is a pure function of the configuration (and a seed), so that studies can be
// repeated.
#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace rooftune::test {

inline Knob knob(std::string name, std::vector<Value> values, Value fallback,
                 const std::string& active = {}) {
  Knob k;
  k.name = std::move(name);
  k.values = std::move(values);
  k.fallback = std::move(fallback);
  k.breaks = {Paradigm::ilp};
  if (!active.empty()) k.active = Expression::parse(active);
  return k;
}

inline SearchSpace space_with(std::string name, std::vector<Knob> knobs,
                              const std::vector<std::string>& constraints = {}) {
  std::vector<Constraint> all;
  for (const auto& text : constraints) all.push_back({Expression::parse(text), "test"});
  return SearchSpace(std::move(name), std::move(knobs), std::move(all), {});
}

/// Spaces small enough to exhaust; each has a trait that strategies might stumble over.
inline std::vector<SearchSpace> small_spaces() {
  const std::vector<Value> powers{1, 2, 4, 8};
  std::vector<SearchSpace> all;
  all.push_back(space_with("single", {knob("only", {3}, 3)}));
  all.push_back(space_with("line", {knob("x", {1, 2, 3, 4, 5, 6, 7}, 4)}));
  all.push_back(space_with(
      "grid", {knob("x", powers, 1), knob("y", powers, 2), knob("kind", {"a", "b", "c"}, "b")}));
  all.push_back(space_with(
      "conditional",
      {knob("format", {"csr", "bcsr", "sell"}, "csr"),
       knob("rows", {1, 2, 3}, 1, "format == 'bcsr'"), knob("chunk", powers, 4, "format == 'sell'"),
       knob("sorted", {false, true}, false, "format == 'sell' and chunk > 2")}));
  // No single change leads from one island to the other.
  all.push_back(space_with("islands", {knob("x", {0, 1, 2, 3}, 0), knob("y", {0, 1, 2, 3}, 0)},
                           {"(x < 2) == (y < 2)"}));
  all.push_back(space_with(
      "diagonal", {knob("x", {0, 1, 2, 3, 4}, 2), knob("y", {0, 1, 2, 3, 4}, 2)}, {"x == y"}));
  return all;
}

/// 16 x 16 places of each of four kinds.
inline SearchSpace wide() {
  std::vector<Value> values;
  for (int i = 0; i < 16; ++i) values.emplace_back(i);
  return space_with("wide", {knob("x", values, 0), knob("y", values, 0),
                             knob("kind", {"a", "b", "c", "d"}, "a")});
}

using Evaluate = std::function<Trial(const Configuration&)>;

inline Trial timed(const Configuration& configuration, double seconds) {
  Trial trial;
  trial.configuration = configuration;
  trial.measurement = Measurement{};
  trial.measurement->seconds = {seconds, seconds * 0.995, seconds * 1.005};
  trial.measurement->samples = {{seconds, 1, 0}};
  return trial;
}

inline Trial failed(const Configuration& configuration, Outcome outcome) {
  Trial trial;
  trial.configuration = configuration;
  trial.outcome = outcome;
  trial.detail = "synthetic";
  return trial;
}

/// A number in [0, 1) that depends on the configuration and the seed only.
inline double noise(const Configuration& configuration, std::uint64_t seed) {
  std::uint64_t position = 1469598103934665603u;
  for (const char c : configuration.key())
    position = (position ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return Rng(seed, position).unit();
}

/// Rugged times, with about a fifth of all configurations failing in every way there is.
inline Evaluate rugged(std::uint64_t seed) {
  return [seed](const Configuration& configuration) {
    const double luck = noise(configuration, seed + 1);
    if (luck < 0.2) {
      const auto outcomes = enumerators<Outcome>();
      return failed(configuration, outcomes[1 + static_cast<std::size_t>(luck / 0.2 * 6.999)]);
    }
    return timed(configuration, 1 + noise(configuration, seed));
  };
}

/// Proposes and evaluates `count` times after what `history` holds already; stops when nothing is
/// left.
inline void search_on(const Strategy& strategy, const SearchSpace& space, const Evaluate& evaluate,
                      std::uint64_t seed, std::size_t count, History& history) {
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng(seed, history.size());
    const auto proposal = strategy.propose(space, history, rng);
    if (!proposal) return;
    Trial trial = evaluate(*proposal);
    trial.index = history.size();
    history.append(std::move(trial));
  }
}

inline std::vector<std::string> keys(const History& history) {
  std::vector<std::string> result;
  for (const auto& trial : history.trials()) result.push_back(trial.configuration.key());
  return result;
}

}  // namespace rooftune::test
