// The strategy "annealing": simulated annealing on neighbours, cooling by trials, reheated when it
// is frozen.
#include <cmath>

#include "search/moves.h"
#include "search/states.h"

namespace rooftune::search {
namespace {

/// A neighbour half as slow again is accepted with probability exp(-0.4 / 0.4) at first.
constexpr double hot = 0.4, cold = 0.005;
/// Trials from hot to cold; then it begins again from where it is best.
constexpr std::size_t cycle = 150;

class Annealing : public SearchState {
 public:
  using SearchState::SearchState;

  void add(const Observation& observed) override {
    SearchState::add(observed);
    if (!observed.ok) return;
    if (all().size() % cycle == 0) here_ = best()->index;
    const double more = here_ ? observed.log_seconds - find(*here_)->log_seconds : -1;
    const double luck = Rng(observed.entropy, all().size()).unit();
    if (more <= 0 || luck < std::exp(-more / temperature())) here_ = observed.index;
  }

  std::optional<std::uint64_t> propose(Rng& rng) const override {
    if (!here_) return std::nullopt;
    const auto open = open_neighbours(*this, find(*here_)->point);
    if (!open.empty()) return open[rng.below(open.size())];
    return perturbation(*this, best()->point, rng);
  }

 private:
  double temperature() const {
    const double done = static_cast<double>(all().size() % cycle) / static_cast<double>(cycle);
    return hot * std::pow(cold / hot, done);
  }
  std::optional<std::uint64_t> here_;
};

}  // namespace

std::unique_ptr<SearchState> new_annealing(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Annealing>>(space);
}

}  // namespace rooftune::search
