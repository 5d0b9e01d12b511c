// The state of every strategy, for the table of strategies and for bandit.
#pragma once
#include <memory>

#include "search/search_state.h"

namespace rooftune::search {

std::unique_ptr<SearchState> new_annealing(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_bandit(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_bayes_forest(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_bayes_gp(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_differential(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_exhaustive(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_first_improvement(const SearchSpace& space,
                                                   const Knowledge& knowledge);
std::unique_ptr<SearchState> new_genetic(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_greedy(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_iterated(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_lhs(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_local(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_random(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_roofline(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_swarm(const SearchSpace& space, const Knowledge& knowledge);

}  // namespace rooftune::search
