// The strategy "first_improvement": local search that takes the first better neighbour, then
// restarts anywhere.
#include "search/descent.h"
#include "search/states.h"

namespace rooftune {

std::unique_ptr<SearchState> new_first_improvement(const SearchSpace& space) {
  return std::make_unique<Descent>(space, Descent::Step::to_first, Descent::Restart::anywhere);
}

std::unique_ptr<Strategy> make_first_improvement() {
  return std::make_unique<StateStrategy>(new_first_improvement);
}

}  // namespace rooftune
