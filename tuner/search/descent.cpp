#include "search/descent.h"

#include <algorithm>

#include "search/moves.h"
#include "search/states.h"

namespace rooftune {

void Descent::add(const Observation& observed) {
  SearchState::add(observed);
  const auto waiting = std::find(pending_.begin(), pending_.end(), observed.index);
  if (!here_ || waiting == pending_.end()) {
    // A start, or a trial that another search proposed: it counts when it is better.
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
  // Every step goes to a faster one, so that this ends.
  if (better_ && (step_ == Step::to_first || pending_.empty())) stand(*better_);
}

void Descent::settle() {
  if (!minimum_ || find(*here_)->seconds <= find(*minimum_)->seconds) minimum_ = here_;
  here_.reset();
}

std::optional<std::uint64_t> Descent::propose(Rng& rng) const {
  if (here_ && !pending_.empty()) return pending_[rng.below(pending_.size())];
  if (restart_ == Restart::anywhere || !minimum_) return random_untried(rng);
  const Assignment& centre = find(*minimum_)->point;
  return first_open(*this, [&] { return perturbed(space, centre, 2 + rng.below(3), rng); });
}

}  // namespace rooftune
