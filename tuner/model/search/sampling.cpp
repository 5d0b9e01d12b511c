// The strategies without a model: "random" and "exhaustive".
#include "search/search_state.h"

namespace rooftune::search {
namespace {

/// Proposes nothing itself, so a uniform draw follows.
class Random : public SearchState {
 public:
  using SearchState::SearchState;
  std::optional<uint64_t> propose(Rng&) const override { return std::nullopt; }
};

/// Every configuration, in the search space's order.
class Exhaustive : public SearchState {
 public:
  using SearchState::SearchState;
  std::optional<uint64_t> propose(Rng&) const override {
    const uint64_t size = space.size(), begin = start();
    for (uint64_t step = 0; step < size; ++step)
      if (const uint64_t index = (begin + step) % size; !tried(index)) return index;
    return std::nullopt;
  }

 private:
  /// After the latest trial, so a proposal does not walk over all trials. The baseline comes first
  /// in a session and marks no place in the order.
  uint64_t start() const {
    if (all().empty()) return 0;
    const uint64_t latest = all().back().index;
    return latest == space.index(space.baseline()) ? 0 : latest + 1;
  }
};

}  // namespace

std::unique_ptr<SearchState> new_random(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Random>>(space);
}

std::unique_ptr<SearchState> new_exhaustive(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Exhaustive>>(space);
}

}  // namespace rooftune::search
