// The visible strategy table. To add one: write search/<name>.cpp with a class derived from
// SearchState and a function new_<name>(), declare the function in search_state.h and add a row
// here. tests/property/search/strategy_laws.cpp tests that every row keeps the laws (never a tried
// configuration, nullopt exactly when all were tried, the same proposal for the same space, history
// and seed).
#include "search/strategy.h"

#include "core/error.h"
#include "search/search_state.h"

namespace rooftune::search {

const std::vector<StrategyRow>& strategies() {
  static const std::vector<StrategyRow> table{
      {"bayes_gp", "Bayesian optimisation: Gaussian process, expected improvement", new_bayes_gp},
      {"exhaustive", "every configuration, in the order of the search space", new_exhaustive},
      {"random", "uniform over what was not tried yet", new_random},
      {"roofline", "model of the time; transfer, bounds and the binding ceiling come first",
       new_roofline},
  };
  return table;
}

const StrategyRow& strategy_row(const std::string& name) {
  Texts names;
  for (const StrategyRow& row : strategies()) {
    if (name == row.name) return row;
    names.emplace_back(row.name);
  }
  throw Error("unknown strategy \"" + excerpt(name) + "\"", "--strategy",
              did_you_mean(name, names));
}

std::unique_ptr<Strategy> make_strategy(const std::string& name, Knowledge knowledge) {
  return strategy_row(name).make(std::move(knowledge));
}

Strategy::Strategy(NewState* new_state, Knowledge knowledge)
    : new_state_(new_state), knowledge_(std::move(knowledge)) {}

Strategy::~Strategy() = default;

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

void Strategy::fill(Configurations& pending, size_t most, const SearchSpace& space,
                    const History& history, uint64_t seed) const {
  while (pending.size() < most) {
    Rng rng(seed, history.size() + pending.size());
    auto next = propose(space, history, rng, pending);
    if (!next) return;
    pending.push_back(std::move(*next));
  }
}

std::optional<Configuration> Strategy::propose(const SearchSpace& space, const History& history,
                                               Rng& rng, const Configurations& pending) const {
  const SearchState* state = &updated(space, history);
  // Suppositions must not stay in the kept state.
  std::unique_ptr<SearchState> supposed;
  if (!pending.empty()) {
    supposed = state->copy();
    Trial unknown;
    unknown.outcome = Outcome::pruned;
    uint64_t entropy = history.fingerprint(history.size());
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
