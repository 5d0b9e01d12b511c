// Pairwise testing by a greedy choice among random configurations: first those with new values,
// then those with most new pairs of values. An exact covering array would need a solver, and
// constraints make it harder still.
#include <algorithm>
#include <set>

#include "space/search_space.h"

namespace rooftune::space {
namespace {

/// Single settings, and pairs of settings, of one configuration.
std::set<std::string> settings(const Configuration& configuration, bool pairs) {
  std::vector<std::string> single;
  for (const auto& [knob, value] : configuration.values())
    single.push_back(knob + "=" + to_text(value));
  std::set<std::string> result(single.begin(), single.end());
  if (pairs)
    for (std::size_t i = 0; i < single.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) result.insert(single[j] + " " + single[i]);
  return result;
}

std::size_t fresh(const std::set<std::string>& candidate, const std::set<std::string>& seen) {
  return static_cast<std::size_t>(std::count_if(candidate.begin(), candidate.end(),
                                                [&](const auto& s) { return !seen.count(s); }));
}

/// Adds the most novel one to `chosen` until `size` were added and no single setting is new.
void add_covering(const std::vector<Configuration>& pool, std::size_t size,
                  std::vector<Configuration>& chosen) {
  std::set<std::string> singles = settings(chosen.back(), false);
  std::set<std::string> all = settings(chosen.back(), true);
  for (std::size_t added = 0;; ++added) {
    std::size_t best = pool.size(), best_singles = 0, best_all = 0;
    for (std::size_t i = 0; i < pool.size(); ++i) {
      const std::size_t s = fresh(settings(pool[i], false), singles);
      const std::size_t a = fresh(settings(pool[i], true), all);
      if (best == pool.size() || s > best_singles || (s == best_singles && a > best_all)) {
        best = i;
        best_singles = s;
        best_all = a;
      }
    }
    if (best_all == 0 || (best_singles == 0 && added >= size)) return;
    chosen.push_back(pool[best]);
    singles.merge(settings(pool[best], false));
    all.merge(settings(pool[best], true));
  }
}

/// Random configurations; with a knob, those with this value of it. Few or none where draws hardly
/// ever have it.
std::vector<Configuration> drawn(const SearchSpace& space, const Knob* knob, std::size_t value,
                                 std::uint64_t seed) {
  constexpr std::size_t wanted = 150;
  constexpr std::uint64_t most_draws = 100 * wanted;
  std::vector<Configuration> pool;
  for (std::uint64_t i = 0; i < most_draws && pool.size() < wanted; ++i) {
    Rng rng(seed, i);
    Configuration one = space.sample(rng);
    if (knob == nullptr || one.at(knob->name) == knob->values[value])
      pool.push_back(std::move(one));
  }
  return pool;
}

/// The one of `pool` (not empty) with most values in common with `target`.
const Configuration& nearest(const std::vector<Configuration>& pool, const Configuration& target) {
  const auto shared = [&](const Configuration& one) {
    return std::count_if(target.values().begin(), target.values().end(),
                         [&](const auto& entry) { return one.at(entry.first) == entry.second; });
  };
  return *std::max_element(
      pool.begin(), pool.end(),
      [&](const Configuration& a, const Configuration& b) { return shared(a) < shared(b); });
}

}  // namespace

std::vector<Configuration> covering_sample(const SearchSpace& space, const std::string& algorithm,
                                           std::size_t size, std::uint64_t seed) {
  const Knob* knob = space.knob(algorithm);
  std::vector<Configuration> chosen;
  for (std::size_t v = 0; v < (knob ? knob->values.size() : 1); ++v) {
    const std::vector<Configuration> pool = drawn(space, knob, v, seed);
    Configuration plain = space.baseline();
    if (knob) plain.set(algorithm, knob->values[v]);
    plain = space.normalised(plain);
    if (!space.allowed(plain)) {
      // The constraints do not allow this value with the defaults of the others, or not at all.
      if (pool.empty()) continue;
      plain = nearest(pool, plain);
    }
    chosen.push_back(plain);
    add_covering(pool, size, chosen);
  }
  return chosen;
}

}  // namespace rooftune::space
