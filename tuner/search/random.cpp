// The strategy "random": uniform over the configurations that were not tried.
#include "search/strategy.h"
#include "search/untried.h"

namespace rooftune {
namespace {

class Random : public Strategy {
 public:
  std::optional<Configuration> propose(const SearchSpace& space, const History& history,
                                       Rng& rng) const override {
    return random_untried(space, history, rng);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_random() { return std::make_unique<Random>(); }

}  // namespace rooftune
