// The state of every strategy, for the table of strategies.
#pragma once
#include <memory>

#include "search/search_state.h"

namespace rooftune::search {

std::unique_ptr<SearchState> new_bayes_gp(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_exhaustive(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_genetic(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_local(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_random(const SearchSpace& space, const Knowledge& knowledge);
std::unique_ptr<SearchState> new_roofline(const SearchSpace& space, const Knowledge& knowledge);

}  // namespace rooftune::search
