// The strategy "bayes_forest": Bayesian optimisation with a random forest and expected improvement;
// failures count as slow as the slowest.
#include <algorithm>
#include <cmath>

#include "search/expected_improvement.h"
#include "search/moves.h"
#include "search/random_forest.h"
#include "search/states.h"

namespace rooftune::search {
namespace {

constexpr std::size_t first = 10, trees = 24, drawn_candidates = 800, forest_centres = 5;
/// Most configurations taken from one forest before it is grown anew.
constexpr std::size_t most_kept = 12;

class BayesForest : public SearchState {
 public:
  using SearchState::SearchState;

  void add(const Observation& observed) override {
    SearchState::add(observed);
    if (all().size() < first || !best() || all().size() < next_growth_) return;
    rank(observed.entropy);
    const std::size_t served = std::clamp<std::size_t>(all().size() / 10, 1, most_kept);
    next_growth_ = all().size() + served;
  }

  /// The next of the ranking comes: one forest serves several anyway.
  void suppose(const Observation& pending) override { SearchState::add(pending); }

  std::optional<std::uint64_t> propose(Rng& rng) const override {
    for (const std::uint64_t index : promising_)
      if (!tried(index)) return index;
    return covering_draw(*this, rng);
  }

 private:
  void rank(std::uint64_t entropy) {
    double slowest = best()->log_seconds;
    for (const Observation& o : all())
      if (o.ok) slowest = std::max(slowest, o.log_seconds);
    std::vector<const Assignment*> xs;
    std::vector<double> ys;
    for (const Observation& o : all()) {
      xs.push_back(&o.point);
      ys.push_back(o.ok ? o.log_seconds : slowest);
    }
    Rng rng(entropy, all().size());
    const RandomForest forest(xs, ys, trees, rng);
    std::vector<std::pair<double, std::uint64_t>> ranked;
    for (const std::uint64_t index : candidates(rng))
      ranked.push_back({-improvement(forest.at(space.assignment(index))), index});
    const std::size_t kept = std::min(ranked.size(), most_kept);
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept),
                      ranked.end());
    promising_.clear();
    for (std::size_t i = 0; i < kept; ++i) promising_.push_back(ranked[i].second);
  }

  std::vector<std::uint64_t> candidates(Rng& rng) const {
    std::vector<std::uint64_t> chosen;
    for (const Observation* centre : fastest(*this, forest_centres))
      for (const std::uint64_t index : open_neighbours(*this, centre->point))
        chosen.push_back(index);
    for (std::size_t draw = 0; draw < drawn_candidates; ++draw)
      if (const std::uint64_t index = space.draw(rng); !tried(index)) chosen.push_back(index);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
  }

  double improvement(const RandomForest::Expectation& expected) const {
    const double gain = best()->log_seconds - expected.mean;
    return expected_improvement(gain, expected.deviation);
  }

  std::vector<std::uint64_t> promising_;
  std::size_t next_growth_ = 0;
};

}  // namespace

std::unique_ptr<SearchState> new_bayes_forest(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<BayesForest>>(space);
}

}  // namespace rooftune::search
