// The strategy "bandit": chooses among cheap searches by lately improved trials (area under the
// curve credit, Ansel et al. 2014); all of them see every trial.
#include <algorithm>
#include <cmath>
#include <deque>

#include "search/states.h"

namespace rooftune::search {
namespace {

constexpr std::size_t window = 60;
constexpr double curiosity = 0.15;

class Bandit : public SearchState {
 public:
  explicit Bandit(const SearchSpace& the_space) : SearchState(the_space) {
    for (const auto make : {new_first_improvement, new_genetic, new_annealing, new_differential})
      arms_.push_back(make(the_space, {}));
  }
  Bandit(const Bandit& other) : SearchState(other), uses_(other.uses_), chosen_(other.chosen_) {
    for (const auto& arm : other.arms_) arms_.push_back(arm->copy());
  }

  void add(const Observation& observed) override {
    const bool better = observed.ok && (!best() || observed.seconds < best()->seconds);
    SearchState::add(observed);
    for (const auto& arm : arms_) arm->add(observed);
    uses_.push_back({chosen_, better});
    if (uses_.size() > window) uses_.pop_front();
    choose();
  }

  std::optional<std::uint64_t> propose(Rng& rng) const override {
    return arms_[chosen_]->propose(rng);
  }

 private:
  struct Use {
    std::size_t arm;
    bool better;
  };

  /// Recent improvements weigh more; seldom used arms get their chance.
  void choose() {
    double most = -1;
    for (std::size_t a = 0; a < arms_.size(); ++a) {
      double area = 0, uses = 0;
      for (const Use& use : uses_)
        if (use.arm == a) {
          uses += 1;
          if (use.better) area += uses;
        }
      const double credit = uses > 0 ? 2 * area / (uses * (uses + 1)) : 1;
      const auto total = static_cast<double>(uses_.size());
      const double value =
          credit + curiosity * std::sqrt(2 * std::log(1 + total) / std::max(uses, 0.5));
      if (value <= most) continue;
      most = value;
      chosen_ = a;
    }
  }

  std::vector<std::unique_ptr<SearchState>> arms_;
  std::deque<Use> uses_;
  std::size_t chosen_ = 0;
};

}  // namespace

std::unique_ptr<SearchState> new_bandit(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Bandit>>(space);
}

}  // namespace rooftune::search
