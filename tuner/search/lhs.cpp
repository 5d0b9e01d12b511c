// The strategy "lhs": a Latin hypercube, built point by point, over the allowed configurations.
#include "search/sampling.h"

namespace rooftune {
namespace {

class Hypercube : public SearchState {
 public:
  using SearchState::SearchState;
  std::optional<std::uint64_t> propose(Rng& rng) const override {
    return covering_draw(*this, rng);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_lhs() { return std::make_unique<DerivedFrom<Hypercube>>(); }

}  // namespace rooftune
