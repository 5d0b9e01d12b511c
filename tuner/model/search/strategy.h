// Search strategies: the next configuration to try, given the trials so far.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/rng.h"
#include "space/knob.h"
#include "space/search_space.h"
#include "trial/trial.h"

namespace rooftune::search {

class SearchState;

/// So many of another study's fastest come first. Where that study misleads, more would crowd out
/// the trials that cover the space (docs/strategies.md).
inline constexpr size_t most_of_a_study = 6;

/// Knowledge before a study's first trial, available only to a tuner with a roofline. It must stay
/// the same for the whole study, also when it is resumed.
struct Knowledge {
  /// Best configurations from elsewhere (another machine, size or night), best first.
  Configurations transferred;
  /// Times that a model of the card expects, before any trial.
  ModelledTimes modelled;
  /// Paradigms that the binding ceiling or wall lacks: knobs that can break any of them move first.
  Paradigms wanted;
  /// Knobs whose product is the thread count of a GPU's block; empty where there are none.
  Texts block_knobs;
  /// A time [s] no variant with this configuration can beat; nullopt where nothing is known.
  std::function<std::optional<double>(const Configuration&)> lower_bound;
  /// All knobs behind this time; empty where unknown.
  TextSet bound_knobs;
  /// Trials cost seconds, and a search may weigh them; else each trial counts the same.
  bool per_second = false;
};

/// What a configuration's time is expected to be, as a natural logarithm against others.
using Expected = std::function<double(const Assignment&)>;

/// Makes a strategy's state. Strategies use the knowledge where they can.
using NewState = std::unique_ptr<SearchState>(const SearchSpace&, const Knowledge&);

/// Has no hidden state: the proposal depends on the space, the history, the pending ones and
/// Rng{seed, history.size() + pending.size()}, so resume and replay are exact. The state derived
/// from the history is kept only to save time, for the same space and the same beginning of the
/// history. Not for use by two threads at once.
class Strategy {
 public:
  Strategy(NewState* new_state, Knowledge knowledge);
  ~Strategy();
  /// `pending`: not tried yet, but certain to be, in this order. Never proposes a tried or pending
  /// configuration; nullopt = space exhausted.
  std::optional<Configuration> propose(const SearchSpace& space, const History& history, Rng& rng,
                                       const Configurations& pending = {}) const;
  /// Adds proposals to `pending` until it has `most` or the space ends.
  void fill(Configurations& pending, size_t most, const SearchSpace& space, const History& history,
            uint64_t seed) const;

 private:
  const SearchState& updated(const SearchSpace& space, const History& history) const;
  struct Memo {
    std::unique_ptr<SearchSpace> space;
    std::unique_ptr<SearchState> state;
    size_t trials = 0;
    uint64_t fingerprint = 0;
  };
  NewState* new_state_;
  Knowledge knowledge_;
  mutable Memo memo_;
};

/// One row per strategy: the visible table is in strategy.cpp.
struct StrategyRow {
  const char* name;
  const char* summary;
  NewState* new_state;
  std::unique_ptr<Strategy> make(Knowledge knowledge = {}) const {
    return std::make_unique<Strategy>(new_state, std::move(knowledge));
  }
};
const std::vector<StrategyRow>& strategies();
/// Throws Error with the names there are.
const StrategyRow& strategy_row(const std::string& name);
std::unique_ptr<Strategy> make_strategy(const std::string& name, Knowledge knowledge = {});
inline constexpr const char* default_strategy = "roofline";

}  // namespace rooftune::search
