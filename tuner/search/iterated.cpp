// The strategy "iterated": local search that restarts near the best minimum.
#include "search/descent.h"
#include "search/states.h"

namespace rooftune {

std::unique_ptr<SearchState> new_iterated(const SearchSpace& space) {
  return std::make_unique<Descent>(space, Descent::Step::to_first, Descent::Restart::near_minimum);
}

std::unique_ptr<Strategy> make_iterated() { return std::make_unique<StateStrategy>(new_iterated); }

}  // namespace rooftune
