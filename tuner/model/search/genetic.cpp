// The strategy "genetic": a steady-state genetic algorithm; the population are the fastest trials.
#include <algorithm>

#include "search/moves.h"
#include "search/states.h"

namespace rooftune::search {
namespace {

constexpr std::size_t most_parents = 20, tournament = 3;

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

std::unique_ptr<SearchState> new_genetic(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Genetic>>(space);
}

}  // namespace rooftune::search
