// Moves: how a state comes from what it has seen to a configuration worth a trial.
#pragma once
#include <functional>
#include <set>

#include "search/search_state.h"

namespace rooftune::search {

/// Untried neighbours of a point, in the order of the space.
std::vector<std::uint64_t> open_neighbours(const SearchState& state, const Assignment& point);
/// The fastest distinct trials, at most n, fastest first.
std::vector<const Observation*> fastest(const SearchState& state, std::size_t n);

/// Which points a move takes besides that they are allowed and untried, and how many it looks at.
/// Constraints refuse most points that arithmetic makes; beyond the default a random one serves as
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
/// The first point taken that differs from the centre in two to four knobs.
std::optional<std::uint64_t> perturbation(const SearchState& state, const Assignment& centre,
                                          Rng& rng, const Acceptance& acceptance = {});
/// The value number nearest to a real one that the knob has.
std::uint32_t rounded(double x, std::size_t values);

/// The knob by which one point is a neighbour of another: it differs, and whatever else differs
/// depends on it through `active` and stands at its default.
class ChangedKnob {
 public:
  explicit ChangedKnob(const SearchSpace& space);
  std::optional<std::size_t> operator()(const Assignment& from, const Assignment& to) const;

 private:
  Assignment defaults_;
  std::vector<std::vector<bool>> depends_;  ///< [knob][other]: directly or through others
};

/// What is preferred and expected before any trial, besides values that were not tried.
struct Preference {
  /// Values at the ends of ordered knobs, as much as values that were not tried. What a knob does
  /// is mostly monotone, and two ends tell such an effect best.
  bool ends = false;
  /// Natural logarithm of how much slower than others a configuration is expected to be; empty
  /// where nothing is expected.
  std::function<double(const Assignment&)> expected;
  /// Knobs that `expected` judges: their ends are not preferred.
  std::set<std::size_t> judged;
  /// The share of the knobs in which a draw may differ from the best so far.
  double changed = 1;
  /// What was tried for another reason: it lies together and covers nothing of the space.
  std::set<std::uint64_t> apart;
};
/// The untried configuration, among a few dozen uniform draws, whose values were tried least: a
/// Latin hypercube built point by point, which constraints cannot break.
std::optional<std::uint64_t> covering_draw(const SearchState& state, Rng& rng,
                                           const Preference& preference = {});

}  // namespace rooftune::search
