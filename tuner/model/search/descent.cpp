// The strategies "greedy", "first_improvement" and "iterated": local search to a minimum, then a
// restart.
#include <algorithm>

#include "search/moves.h"
#include "search/states.h"

namespace rooftune::search {
namespace {

class Descent : public SearchState {
 public:
  enum class Step { to_best, to_first };          ///< after all neighbours, or at once
  enum class Restart { anywhere, near_minimum };  ///< near: a perturbation of the best minimum
  Descent(const SearchSpace& the_space, Step step, Restart restart)
      : SearchState(the_space), step_(step), restart_(restart) {}
  void add(const Observation& observed) override;
  std::optional<std::uint64_t> propose(Rng& rng) const override;

 private:
  void stand(std::uint64_t index);
  void settle();
  Step step_;
  Restart restart_;
  std::optional<std::uint64_t> here_, better_, minimum_;
  std::vector<std::uint64_t> pending_;  ///< untried neighbours of here_
};

void Descent::add(const Observation& observed) {
  SearchState::add(observed);
  const auto waiting = std::find(pending_.begin(), pending_.end(), observed.index);
  if (!here_ || waiting == pending_.end()) {
    // A start, or a trial proposed by another search: it counts when it is better.
    if (observed.ok && (!here_ || observed.seconds < find(*here_)->seconds)) stand(observed.index);
  } else {
    pending_.erase(waiting);
    const std::uint64_t goal = better_.value_or(*here_);
    if (observed.ok && observed.seconds < find(goal)->seconds) better_ = observed.index;
    if (better_ && (step_ == Step::to_first || pending_.empty())) stand(*better_);
  }
  if (here_ && pending_.empty()) settle();
}

void Descent::stand(std::uint64_t index) {
  here_ = index;
  better_.reset();
  pending_.clear();
  for (const Assignment& neighbour : space.neighbours(find(index)->point)) {
    const std::uint64_t other = space.index(neighbour).value();
    const Observation* known = find(other);
    if (!known)
      pending_.push_back(other);
    else if (known->ok && known->seconds < find(better_.value_or(index))->seconds)
      better_ = other;
  }
  // Every step goes to a faster one, so this ends.
  if (better_ && (step_ == Step::to_first || pending_.empty())) stand(*better_);
}

void Descent::settle() {
  if (!minimum_ || find(*here_)->seconds <= find(*minimum_)->seconds) minimum_ = here_;
  here_.reset();
}

std::optional<std::uint64_t> Descent::propose(Rng& rng) const {
  if (here_ && !pending_.empty()) return pending_[rng.below(pending_.size())];
  if (restart_ == Restart::anywhere || !minimum_) return random_untried(rng);

  return perturbation(*this, find(*minimum_)->point, rng);
}

}  // namespace

std::unique_ptr<SearchState> new_greedy(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Descent>>(space, Descent::Step::to_best,
                                           Descent::Restart::anywhere);
}

std::unique_ptr<SearchState> new_first_improvement(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Descent>>(space, Descent::Step::to_first,
                                           Descent::Restart::anywhere);
}

std::unique_ptr<SearchState> new_iterated(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Descent>>(space, Descent::Step::to_first,
                                           Descent::Restart::near_minimum);
}

}  // namespace rooftune::search
