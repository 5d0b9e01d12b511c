// Steps from one configuration to others, shared by the classic searches.
#pragma once
#include <functional>

#include "search/search_state.h"

namespace rooftune {

/// Untried neighbours of a point, in the order of the space.
std::vector<std::uint64_t> open_neighbours(const SearchState& seen, const Assignment& point);
/// Asks `make` for points until one is allowed and untried; nullopt after a bounded number.
std::optional<std::uint64_t> first_open(const SearchState& seen,
                                        const std::function<Assignment()>& make);
/// `point` with `changes` of its knobs at other values; it need not be allowed.
Assignment perturbed(const SearchSpace& space, Assignment point, std::uint64_t changes, Rng& rng);
/// The fastest distinct trials, at most n, fastest first.
std::vector<const Observation*> fastest(const SearchState& seen, std::size_t n);
/// The value number nearest to a real one that the knob has.
std::uint32_t rounded(double x, std::size_t values);

}  // namespace rooftune
