// Where to begin: configurations that cover the values of all knobs.
#pragma once
#include <functional>
#include <set>

#include "search/search_state.h"

namespace rooftune {

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
};

/// The untried configuration, among a few dozen uniform draws, whose values were tried least: a
/// Latin hypercube built point by point, which constraints cannot break.
std::optional<std::uint64_t> covering_draw(const SearchState& seen, Rng& rng,
                                           const Preference& preference = {});

}  // namespace rooftune
