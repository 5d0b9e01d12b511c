// Which configuration to try next, given what happened.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/rng.h"
#include "space/search_space.h"
#include "trial/history.h"

namespace rooftune {

/// Has no hidden state: the proposal depends on the space, the history and Rng{seed,
/// history.size()}, so that resume and replay are exact. Never proposes what was tried; nullopt =
/// space exhausted.
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::optional<Configuration> propose(const SearchSpace& space, const History& history,
                                               Rng& rng) const = 0;
  /// An upper bound on the probability that some untried configuration is faster than the best by
  /// more than `share` (0.05: 5 %), in the model of the strategy; nullopt while it has none.
  virtual std::optional<double> chance_left(const SearchSpace&, const History&, double) const {
    return std::nullopt;
  }
};

/// One row per strategy: the visible table is in strategy_table.cpp.
struct StrategyRow {
  const char* name;
  const char* summary;
  std::unique_ptr<Strategy> (*make)();
};
const std::vector<StrategyRow>& strategies();
/// Throws Error with the names there are.
std::unique_ptr<Strategy> make_strategy(const std::string& name);
inline constexpr const char* default_strategy = "roofline";

}  // namespace rooftune
