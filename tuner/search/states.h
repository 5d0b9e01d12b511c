// The states of the searches that others combine: each as it is on its own. Each sees every trial,
// in order, also those that another state proposed.
#pragma once
#include "search/search_state.h"

namespace rooftune {

std::unique_ptr<SearchState> new_annealing(const SearchSpace& space);
std::unique_ptr<SearchState> new_differential(const SearchSpace& space);
std::unique_ptr<SearchState> new_first_improvement(const SearchSpace& space);
std::unique_ptr<SearchState> new_genetic(const SearchSpace& space);

/// A search whose state `make` makes.
class StateStrategy : public IncrementalStrategy {
 public:
  using Make = std::unique_ptr<SearchState> (*)(const SearchSpace&);
  explicit StateStrategy(Make make) : make_(make) {}

 private:
  std::unique_ptr<SearchState> fresh(const SearchSpace& space) const override {
    return make_(space);
  }
  Make make_;
};

}  // namespace rooftune
