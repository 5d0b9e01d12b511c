// The strategy "bayes_gp": Bayesian optimisation with a Gaussian process and expected improvement.
#include "search/model_search.h"
#include "search/states.h"

namespace rooftune {

std::unique_ptr<SearchState> new_bayes_gp(const SearchSpace& space) {
  return std::make_unique<ModelSearch>(space, ModelPolicy{});
}

std::unique_ptr<Strategy> make_bayes_gp() { return std::make_unique<StateStrategy>(new_bayes_gp); }

}  // namespace rooftune
