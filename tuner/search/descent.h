// Local search: where it stands, which neighbours are left, when it begins again. The strategies
// greedy, first_improvement and iterated are this class.
#pragma once
#include "search/search_state.h"

namespace rooftune {

class Descent : public SearchState {
 public:
  enum class Step { to_best, to_first };  ///< after all neighbours, or at once
  enum class Restart {
    anywhere,
    near_minimum
  };  ///< near: a perturbation of the best local minimum
  Descent(const SearchSpace& the_space, Step step, Restart restart)
      : SearchState(the_space), step_(step), restart_(restart) {}
  void add(const Observation& observed) override;
  std::optional<std::uint64_t> propose(Rng& rng) const override;

 private:
  void stand(std::uint64_t index);
  void settle();
  Step step_;
  Restart restart_;
  std::optional<std::uint64_t> here_, better_, minimum_;
  std::vector<std::uint64_t> pending_;
};

}  // namespace rooftune
