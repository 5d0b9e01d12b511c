// The strategies of one model (model_search.h): "bayes_gp", Bayesian optimisation with a Gaussian
// process and expected improvement, and "roofline": what was best elsewhere first, then a model of
// the time in which the knobs that can break the binding ceiling count for more, without what a
// lower bound rules out.
#include <algorithm>

#include "search/block_threads.h"
#include "search/model_search.h"
#include "search/states.h"

namespace rooftune::inline search {
namespace {

/// How much more a knob is expected to matter when it can break what binds.
constexpr double wanted_relevance = 4;
constexpr std::size_t exploit_every = 4;

ModelPolicy policy(const SearchSpace& space, const Knowledge& knowledge) {
  ModelPolicy result;
  result.before.ends = true;
  result.divisibility = true;
  result.exploit_every = exploit_every;
  for (const Knob& knob : space.knobs()) {
    result.relevance.push_back(breaks_one(knob.breaks, knowledge.wanted) ? wanted_relevance : 1);
  }
  for (const Configuration& configuration : knowledge.transferred)
    if (const auto index = space.index(configuration)) result.given.insert(*index);
  result.before.expected = expected_of_blocks(space, knowledge.block_knobs);
  for (std::size_t k = 0; result.before.expected && k < space.knobs().size(); ++k)
    if (std::count(knowledge.block_knobs.begin(), knowledge.block_knobs.end(),
                   space.knobs()[k].name) != 0)
      result.before.judged.insert(k);
  if (knowledge.lower_bound)
    result.lower_bound = [&space, bound = knowledge.lower_bound](std::uint64_t index) {
      return bound(space.configuration(index));
    };
  return result;
}

class Guided : public ModelSearch {
 public:
  Guided(const SearchSpace& the_space, const Knowledge& knowledge)
      : ModelSearch(the_space, policy(the_space, knowledge)) {
    for (const Configuration& configuration : knowledge.transferred)
      if (const auto index = the_space.index(configuration)) first_.push_back(*index);
  }
  std::optional<std::uint64_t> propose(Rng& rng) const override {
    for (const std::uint64_t index : first_)
      if (!tried(index)) return index;
    return ModelSearch::propose(rng);
  }

 private:
  std::vector<std::uint64_t> first_;
};

}  // namespace

std::unique_ptr<SearchState> new_roofline(const SearchSpace& space, const Knowledge& knowledge) {
  return std::make_unique<Guided>(space, knowledge);
}

std::unique_ptr<SearchState> new_bayes_gp(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<ModelSearch>(space, ModelPolicy{});
}

}  // namespace rooftune::inline search
