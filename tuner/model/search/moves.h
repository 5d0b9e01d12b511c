// Moves: from the seen trials to a configuration worth a trial.
#pragma once
#include <functional>
#include <set>

#include "search/search_state.h"

namespace rooftune::search {

/// Untried neighbours of a point, in the order of the space.
std::vector<std::uint64_t> open_neighbours(const SearchState& state, const Assignment& point);
/// The fastest distinct trials, at most n, fastest first.
std::vector<const Observation*> fastest(const SearchState& state, std::size_t n);

/// Further conditions on a move's points, besides allowed and untried, and the number of attempts.
/// Constraints refuse most points made by arithmetic; beyond the default a random one serves as
/// well.
struct Acceptance {
  int attempts = 50;
  Wanted wanted = {};
};
/// Asks `make` for points until one is taken.
std::optional<std::uint64_t> first_open(const SearchState& state,
                                        const std::function<Assignment()>& make,
                                        const Acceptance& acceptance = {});
/// `point` with `changes` of its knobs at other values; it need not be allowed.
Assignment perturbed(const SearchSpace& space, Assignment point, std::uint64_t changes, Rng& rng);
/// The knob by which one point is a neighbour of another: it differs, and any other difference
/// depends on it through `active` and stands at its default.
class ChangedKnob {
 public:
  explicit ChangedKnob(const SearchSpace& space);
  std::optional<std::size_t> operator()(const Assignment& from, const Assignment& to) const;

 private:
  Assignment defaults_;
  std::vector<std::vector<bool>> depends_;  ///< [knob][other]: directly or through others
};

/// Preferences and expectations before any trial, besides untried values.
struct Preference {
  /// Values at the ends of ordered knobs, as much as untried values. The effect of a knob is mostly
  /// monotone, and best seen at its two ends.
  bool ends = false;
  /// Natural logarithm of how much slower than others a configuration is expected to be; empty
  /// where nothing is expected.
  std::function<double(const Assignment&)> expected;
  /// Knobs in `expected`: their ends are not preferred.
  std::set<std::size_t> judged;
  /// The share of the knobs in which a draw may differ from the best so far.
  double changed = 1;
  /// Trials with another reason: they lie together and cover nothing of the space.
  std::set<std::uint64_t> apart;
};
/// The untried configuration, among a few dozen uniform draws, with the least tried values: a Latin
/// hypercube built point by point, safe from constraints.
std::optional<std::uint64_t> covering_draw(const SearchState& state, Rng& rng,
                                           const Preference& preference = {});

}  // namespace rooftune::search
