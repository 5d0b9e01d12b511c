#include "search/search_state.h"

#include <algorithm>
#include <cmath>

namespace rooftune::search {
namespace {

/// Draws before the untried are counted one by one; enough while 5 % of the space are left.
constexpr int most_draws = 60;
/// Of them turned down as not wanted.
constexpr int most_refusals = 30;

}  // namespace

std::optional<Observation> observation_of(const SearchSpace& space, const Trial& trial) {
  const auto index = space.index(trial.configuration);
  if (!index) return std::nullopt;
  Observation result;
  result.index = *index;
  result.point = space.assignment(*index);
  result.ok = trial.ok();
  result.build_seconds = trial.cost.build;
  result.run_seconds = trial.cost.validate + trial.cost.time;
  result.failed =
      !trial.ok() && trial.outcome != Outcome::pruned && trial.outcome != Outcome::unstable;
  if (result.ok) {
    const Estimate& seconds = trial.measurement->seconds;
    result.seconds = seconds.value;
    result.seconds_high = seconds.high;
    result.log_seconds = std::log(result.seconds);
    if (trial.measurement->disturbed) {
      const double deviation = std::log(seconds.high / seconds.low) / 2;
      result.variance = deviation * deviation;
    }
  }
  return result;
}

void SearchState::add(const Observation& observed) {
  by_index_[observed.index] = all_.size();
  all_.push_back(observed);
  if (observed.ok && (!best_ || observed.seconds < all_[*best_].seconds)) best_ = all_.size() - 1;
}

const Observation* SearchState::find(std::uint64_t index) const {
  const auto found = by_index_.find(index);
  return found == by_index_.end() ? nullptr : &all_[found->second];
}

std::optional<std::uint64_t> SearchState::random_untried(Rng& rng, const Wanted& wanted) const {
  if (exhausted()) return std::nullopt;
  int refusals = wanted ? most_refusals : 0;
  for (int draw = 0; draw < most_draws; ++draw) {
    const std::uint64_t index = space.draw(rng);
    if (tried(index)) continue;
    if (refusals == 0 || wanted(space.assignment(index))) return index;
    --refusals;
  }
  // In a space without a count, so many draws of tried ones are the only evidence.
  if (!space.counted()) return std::nullopt;
  std::vector<std::uint64_t> taken;
  for (const auto& [index, trial] : by_index_) taken.push_back(index);
  std::sort(taken.begin(), taken.end());
  std::uint64_t index = rng.below(space.size() - taken.size());
  for (const std::uint64_t other : taken) {
    if (other > index) break;
    ++index;
  }
  return index;
}

std::optional<std::uint64_t> SearchState::open(const Assignment& point) const {
  const auto index = space.index(point);
  return index && !tried(*index) ? index : std::nullopt;
}

Strategy::Strategy(NewState* new_state, Knowledge knowledge)
    : new_state_(new_state), knowledge_(std::move(knowledge)) {}

Strategy::~Strategy() = default;

std::optional<double> Strategy::chance_left(const SearchSpace& space, const History& history,
                                            double share) const {
  return updated(space, history).chance_left(share);
}

const SearchState& Strategy::updated(const SearchSpace& space, const History& history) const {
  const bool continues = memo_.state && memo_.space->identity() == space.identity() &&
                         memo_.trials <= history.size() &&
                         memo_.fingerprint == history.fingerprint(memo_.trials);
  if (!continues) {
    memo_ = {};
    memo_.space = std::make_unique<SearchSpace>(space);
    memo_.state = new_state_(*memo_.space, knowledge_);
  }
  for (; memo_.trials < history.size(); ++memo_.trials) {
    auto next = observation_of(space, history.trials()[memo_.trials]);
    if (!next) continue;
    next->entropy = history.fingerprint(memo_.trials + 1);
    memo_.state->add(*next);
  }
  memo_.fingerprint = history.fingerprint(memo_.trials);
  return *memo_.state;
}

std::optional<Configuration> Strategy::propose(const SearchSpace& space, const History& history,
                                               Rng& rng,
                                               const std::vector<Configuration>& pending) const {
  const SearchState* state = &updated(space, history);
  // Suppositions must not stay in the kept state.
  std::unique_ptr<SearchState> supposed;
  if (!pending.empty()) {
    supposed = state->copy();
    Trial unknown;
    unknown.outcome = Outcome::pruned;
    std::uint64_t entropy = history.fingerprint(history.size());
    for (const Configuration& configuration : pending) {
      unknown.configuration = configuration;
      auto next = observation_of(space, unknown);
      if (!next) continue;
      next->entropy = entropy = Rng(entropy, next->index).next();
      supposed->suppose(*next);
    }
    state = supposed.get();
  }
  if (state->exhausted()) return std::nullopt;
  auto index = state->propose(rng);
  if (!index) index = state->random_untried(rng);
  return index ? std::optional(space.configuration(*index)) : std::nullopt;
}

}  // namespace rooftune::search
