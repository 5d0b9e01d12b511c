// The strategies without a model: "random", "exhaustive" and "genetic".
#include <algorithm>

#include "search/moves.h"

namespace rooftune::search {
namespace {

/// Has no proposal of its own, so a uniform draw comes.
class Random : public SearchState {
 public:
  using SearchState::SearchState;
  std::optional<std::uint64_t> propose(Rng&) const override { return std::nullopt; }
};

/// Every configuration, in the order of the search space.
class Exhaustive : public SearchState {
 public:
  using SearchState::SearchState;
  std::optional<std::uint64_t> propose(Rng&) const override {
    const std::uint64_t size = space.size(), begin = start();
    for (std::uint64_t step = 0; step < size; ++step)
      if (const std::uint64_t index = (begin + step) % size; !tried(index)) return index;
    return std::nullopt;
  }

 private:
  /// After the latest trial, so a proposal does not walk over all trials. The baseline, first in a
  /// session, is no place in the order.
  std::uint64_t start() const {
    if (all().empty()) return 0;
    const std::uint64_t latest = all().back().index;
    return latest == space.index(space.baseline()) ? 0 : latest + 1;
  }
};

constexpr std::size_t most_parents = 20, tournament = 3;

/// A steady-state genetic algorithm; the population are the fastest trials.
class Genetic : public SearchState {
 public:
  using SearchState::SearchState;

  std::optional<std::uint64_t> propose(Rng& rng) const override {
    if (all().size() < most_parents) return covering_draw(*this, rng);
    const auto parents = fastest(*this, most_parents);
    if (parents.size() < 2) return std::nullopt;
    return first_open(*this, [&] {
      Assignment child = chosen(parents, rng)->point;
      const Assignment& other = chosen(parents, rng)->point;
      for (std::size_t k = 0; k < child.size(); ++k)
        if (rng.below(2) == 0) child[k] = other[k];
      mutate(child, rng);
      return child;
    });
  }

 private:
  static const Observation* chosen(const std::vector<const Observation*>& parents, Rng& rng) {
    std::size_t rank = parents.size();
    for (std::size_t i = 0; i < tournament; ++i)
      rank = std::min<std::size_t>(rank, rng.below(parents.size()));
    return parents[rank];
  }
  /// One knob on average takes any value.
  void mutate(Assignment& child, Rng& rng) const {
    for (std::size_t k = 0; k < child.size(); ++k)
      if (rng.below(child.size()) == 0)
        child[k] = static_cast<std::uint32_t>(rng.below(space.knobs()[k].values.size()));
  }
};

}  // namespace

std::unique_ptr<SearchState> new_random(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Random>>(space);
}

std::unique_ptr<SearchState> new_exhaustive(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Exhaustive>>(space);
}

std::unique_ptr<SearchState> new_genetic(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Genetic>>(space);
}

}  // namespace rooftune::search
