// A search's trials in value numbers, and its next proposal; every strategy is such a state. It
// depends only on the added trials, so deriving it anew gives the same state.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "search/strategy.h"

namespace rooftune::search {

/// One trial in the space at hand.
struct Observation {
  Assignment point;
  uint64_t index = 0;
  bool ok = false;
  bool failed = false;     ///< for a reason a value can cause
  double seconds = 0;      ///< when ok
  double log_seconds = 0;  ///< natural logarithm, when ok
  double variance = 0;     ///< its own, where neighbours disturbed the trial; else 0
  double build_seconds = 0, run_seconds = 0;  ///< the trial's: compiler; validating, timing
  /// For decisions that the search takes after this trial: a hash over the history.
  uint64_t entropy = 0;
};
using Observations = std::vector<Observation>;
using ObservationRefs = std::vector<const Observation*>;
/// nullopt for a trial from another space.
std::optional<Observation> observation_of(const SearchSpace& space, const Trial& trial);

class SearchState {
 public:
  explicit SearchState(const SearchSpace& the_space) : space(the_space) {}
  virtual ~SearchState() = default;
  SearchState& operator=(const SearchState&) = delete;
  /// The same again, independent from here on (Copied, below).
  virtual std::unique_ptr<SearchState> copy() const = 0;
  /// Called once for each trial, in order. Overriders call the overridden first.
  virtual void add(const Observation& observed);
  /// Called for pending configurations, after all trials: neither ok nor failed, but as good as
  /// tried. A model takes its own forecast for the time.
  virtual void suppose(const Observation& pending) { add(pending); }
  /// An untried configuration, or nullopt without a proposal (then a uniform draw follows).
  virtual std::optional<uint64_t> propose(Rng& rng) const = 0;

  bool tried(uint64_t index) const { return by_index_.contains(index); }
  /// nullptr when it was not tried.
  const Observation* find(uint64_t index) const;
  const Observations& all() const { return all_; }
  /// Fastest; nullptr while nothing ran.
  const Observation* best() const { return best_ ? &all_[*best_] : nullptr; }
  bool exhausted() const { return by_index_.size() >= space.size(); }
  /// Uniform over the untried; nullopt when nothing is left.
  std::optional<uint64_t> random_untried(Rng& rng) const;
  /// `point` when it is allowed and untried, else nullopt.
  std::optional<uint64_t> open(const Assignment& point) const;

  const SearchSpace& space;

 protected:
  SearchState(const SearchState&) = default;

 private:
  Observations all_;
  std::unordered_map<uint64_t, size_t> by_index_;
  std::optional<size_t> best_;
};

/// A state that can copy itself.
template <class State>
class Copied : public State {
 public:
  using State::State;
  std::unique_ptr<SearchState> copy() const override { return std::make_unique<Copied>(*this); }
};

NewState new_bayes_gp, new_exhaustive, new_random, new_roofline;

/// A point's untried neighbours, in the space's order.
std::vector<uint64_t> open_neighbours(const SearchState& state, const Assignment& point);
/// The fastest distinct trials, at most n, fastest first.
ObservationRefs fastest(const SearchState& state, size_t n);

/// `point` with `changes` knobs at other values; it need not be allowed.
Assignment perturbed(const SearchSpace& space, Assignment point, uint64_t changes, Rng& rng);
/// Preferences and expectations before any trial, besides untried values.
struct Preference {
  /// Prefer values at the ends of ordered knobs, as much as untried values. A knob's effect is
  /// mostly monotone, and best seen at its two ends.
  bool ends = false;
  /// Natural logarithm of how much slower than others a configuration is expected to be; empty
  /// where nothing is expected.
  Expected expected;
  /// Knobs in `expected`: their ends are not preferred.
  std::set<size_t> judged;
  /// By knob: which share of the draws may differ in it from the best so far; empty = all.
  Numbers changed;
  /// Trials made for another reason: they lie together and cover nothing.
  std::set<uint64_t> apart;
};
/// The untried configuration, among a few dozen uniform draws, with the least tried values: a Latin
/// hypercube built point by point, safe from constraints.
std::optional<uint64_t> covering_draw(const SearchState& state, Rng& rng,
                                      const Preference& preference = {});

}  // namespace rooftune::search
