// The strategy "greedy": local search that takes the best of all neighbours, then restarts
// anywhere.
#include "search/descent.h"
#include "search/states.h"

namespace rooftune {

std::unique_ptr<SearchState> new_greedy(const SearchSpace& space) {
  return std::make_unique<Descent>(space, Descent::Step::to_best, Descent::Restart::anywhere);
}

std::unique_ptr<Strategy> make_greedy() { return std::make_unique<StateStrategy>(new_greedy); }

}  // namespace rooftune
