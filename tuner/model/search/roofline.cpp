// The strategies with a model (model_search.h). "bayes_gp": Bayesian optimisation with a Gaussian
// process and expected improvement. "roofline": first the best from elsewhere, then a time model
// that puts more weight on knobs that can break the binding ceiling, leaves out configurations that
// a lower bound rules out, and takes this bound as its trend.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/list.h"
#include "search/block_knobs.h"
#include "search/forecast.h"
#include "search/model_search.h"
#include "search/strategy.h"
#include "search/usual_gain.h"

namespace rooftune::search {
namespace {

/// The weight for a knob that can break the binding ceiling, relative to others.
constexpr double wanted_relevance = 4;
constexpr size_t exploit_every = 4;
/// The best from elsewhere are tried until so many in a row are no faster than all trials before:
/// where they mislead, no more is lost.
constexpr size_t most_without_gain = 2;

/// A configuration's bound over the baseline's (natural logarithm): what a roofline knows about
/// fewer threads and more traffic before any trial. Empty where nothing is known.
Expected expected_of_bounds(const SearchSpace& space, const Knowledge& knowledge) {
  const Configuration baseline = space.baseline();
  const auto least = knowledge.lower_bound ? knowledge.lower_bound(baseline) : std::nullopt;
  if (!least || knowledge.bound_knobs.empty()) return {};
  Indices knobs;
  for (const size_t k : indices(space.knobs()))
    if (knowledge.bound_knobs.contains(space.knobs()[k].name)) knobs.push_back(k);
  return [&space, baseline, knobs, least = *least,
          bound = knowledge.lower_bound](const Assignment& point) {
    Configuration configuration = baseline;
    for (const size_t k : knobs)
      configuration.set(space.knobs()[k].name, space.knobs()[k].values[point[k]]);
    const auto seconds = bound(configuration);
    return seconds ? std::log(*seconds / least) : 0;
  };
}

/// Logarithm of a configuration's modelled time over the fastest; for a configuration without one,
/// what its values contribute to the others' times.
Expected expected_of_model(const SearchSpace& space, const ModelledTimes& modelled) {
  std::map<Assignment, double> known;
  for (const Modelled& one : modelled)
    if (const auto index = space.index(one.configuration))
      known[space.assignment(*index)] = one.seconds;
  if (known.size() < 2) return {};
  Figures figures;
  double fastest = HUGE_VAL;
  for (const auto& [point, seconds] : known) {
    figures.push_back({&point, seconds});
    fastest = std::min(fastest, std::log(seconds));
  }
  return [fastest, effects = value_effects(figures, space),
          known = std::move(known)](const Assignment& point) {
    const double* const own = value_at(known, point);
    return (own ? std::log(*own) : effects.logarithm(point)) - fastest;
  };
}

Expected sum_of(Expected a, Expected b) {
  if (!a || !b) return a ? a : b;
  return
      [a = std::move(a), b = std::move(b)](const Assignment& point) { return a(point) + b(point); };
}

ModelPolicy policy(const SearchSpace& space, const Knowledge& knowledge) {
  ModelPolicy result;
  result.before.ends = true;
  result.divisibility = true;
  result.exploit_every = space.size() < vast ? exploit_every : exploit_every / 2;
  result.per_second = knowledge.per_second;
  for (const Knob& knob : space.knobs()) {
    result.relevance.push_back(breaks_one(knob.breaks, knowledge.wanted) ? wanted_relevance : 1);
  }
  for (const Configuration& configuration : knowledge.transferred)
    if (const auto index = space.index(configuration)) result.before.apart.insert(*index);
  const Expected blocks = expected_of_blocks(space, knowledge.block_knobs);
  const Expected bounds = expected_of_bounds(space, knowledge);
  const Expected model = expected_of_model(space, knowledge.modelled);
  for (const size_t k : indices(space.knobs())) {
    const std::string& name = space.knobs()[k].name;
    if (model || (blocks && std::ranges::count(knowledge.block_knobs, name)) ||
        (bounds && knowledge.bound_knobs.contains(name)))
      result.before.judged.insert(k);
  }
  result.declared = expected_of_declarations(space);
  result.before.expected = sum_of(sum_of(blocks, bounds), model ? model : result.declared);
  if (knowledge.lower_bound)
    result.lower_bound = [&space, bound = knowledge.lower_bound](uint64_t index) {
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
  std::optional<uint64_t> propose(Rng& rng) const override {
    const auto next = find_if(first_, [this](uint64_t index) { return !tried(index); });
    if (next != first_.end() && tries_without_gain() < most_without_gain) return *next;
    return ModelSearch::propose(rng);
  }

 private:
  /// Pending configurations count until known to be faster, so no batch holds more.
  size_t tries_without_gain() const {
    size_t count = 0;
    double best = HUGE_VAL;
    for (const Observation& observed : all()) {
      const bool faster = observed.ok && observed.seconds < best;
      if (faster) best = observed.seconds;
      if (!contains(first_, observed.index)) continue;
      count = faster ? 0 : count + 1;
    }
    return count;
  }

  std::vector<uint64_t> first_;
};

}  // namespace

std::unique_ptr<SearchState> new_roofline(const SearchSpace& space, const Knowledge& knowledge) {
  return std::make_unique<Copied<Guided>>(space, knowledge);
}

std::unique_ptr<SearchState> new_bayes_gp(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<ModelSearch>>(space, ModelPolicy{});
}

}  // namespace rooftune::search
