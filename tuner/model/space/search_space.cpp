// The search space as its users see it: configurations in, configurations out.
#include "space/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/list.h"
#include "space/search_index.h"

namespace rooftune::space {
namespace {

std::string quoted(const Constraint& constraint) {
  std::string text = fmt::format("\"{}\"", constraint.expression.text());
  if (!constraint.reason.empty()) text += " (" + constraint.reason + ")";
  return text;
}

[[noreturn]] void refuse_contradiction(const std::string& name, const Knobs& knobs,
                                       const Constraints& constraints, const Facts& facts,
                                       const Indices& conflict) {
  std::string message = "no configuration satisfies ";
  message += conflict.size() == 1 ? "this constraint:" : "these constraints together:";
  Texts texts;
  Constraints conflicting;
  for (const size_t c : conflict) {
    message += "\n  " + quoted(constraints[c]);
    texts.push_back(constraints[c].expression.text());
    conflicting.push_back(constraints[c]);
  }
  std::string hint = conflict.size() == 1 ? "no values of its knobs make it true"
                                          : "without any one of them there would be configurations";
  // A constraint without a result does not hold, which its text does not show.
  for (const std::string& cause : undefined_results(conflicting, knobs, facts))
    hint += "; " + cause;
  throw EmptySpace(Error(message, name, hint), knobs, texts);
}

Configuration configured(const Knobs& knobs, const Assignment& assignment) {
  Configuration configuration;
  for (const size_t k : indices(knobs))
    configuration.set(knobs[k].name, knobs[k].values[assignment[k]]);
  return configuration;
}

/// One configuration's single settings, or with `pairs` also its pairs of settings.
TextSet settings(const Configuration& configuration, bool pairs) {
  Texts single;
  for (const auto& [knob, value] : configuration.values())
    single.push_back(knob + "=" + to_text(value));
  TextSet result(single.begin(), single.end());
  if (pairs)
    for (const size_t i : indices(single))
      for (size_t j = 0; j < i; ++j) result.insert(single[j] + " " + single[i]);
  return result;
}

size_t fresh(const TextSet& candidate, const TextSet& seen) {
  return size_t(count_if(candidate, [&](const auto& s) { return !seen.count(s); }));
}

/// Adds the most novel configuration to `chosen` until `size` were added and no single setting is
/// new.
void add_covering(const Configurations& pool, size_t size, Configurations& chosen) {
  TextSet singles = settings(chosen.back(), false);
  TextSet all = settings(chosen.back(), true);
  const auto novelty = [&](const Configuration& one) {
    return std::pair(fresh(settings(one, false), singles), fresh(settings(one, true), all));
  };
  for (size_t added = 0; !pool.empty(); ++added) {
    const Configuration& best = *max_element(pool, {}, novelty);
    const auto [new_singles, new_all] = novelty(best);
    if (new_all == 0 || (new_singles == 0 && added >= size)) return;
    chosen.push_back(best);
    singles.merge(settings(best, false));
    all.merge(settings(best, true));
  }
}

/// Random configurations; with a knob, only those in which it has this value. Few or none where
/// draws hardly ever have it.
Configurations drawn(const SearchSpace& space, const Knob* knob, size_t value, uint64_t seed) {
  constexpr size_t wanted = 150;
  constexpr uint64_t most_draws = 100 * wanted;
  Configurations pool;
  for (uint64_t i = 0; i < most_draws && pool.size() < wanted; ++i) {
    Rng rng(seed, i);
    Configuration one = space.sample(rng);
    if (knob == nullptr || one.at(knob->name) == knob->values[value])
      pool.push_back(std::move(one));
  }
  return pool;
}

/// The configuration from `pool` (not empty) that shares most values with `target`.
const Configuration& nearest(const Configurations& pool, const Configuration& target) {
  const auto shared = [&](const Configuration& one) {
    return count_if(target.values(),
                    [&](const auto& entry) { return one.at(entry.first) == entry.second; });
  };
  return *max_element(pool, {}, shared);
}

}  // namespace

std::shared_ptr<SearchSpace::Index> SearchSpace::built(const std::string& name, Knobs knobs,
                                                       const Constraints& constraints,
                                                       Facts facts) {
  check_space(name, knobs, constraints, facts);
  const auto index = std::make_shared<Index>(std::move(knobs), constraints, std::move(facts));
  located(name, [&] { index->build(constraints); });
  if (index->allowed->size() == 0)
    refuse_contradiction(name, index->knobs, constraints, index->facts, index->conflict());
  return index;
}

SearchSpace::SearchSpace(std::string name, Knobs knobs, Constraints constraints, Facts facts)
    : name_(std::move(name)),
      constraints_(std::move(constraints)),
      index_(built(name_, std::move(knobs), constraints_, std::move(facts))) {
  const std::string why = why_not(baseline());
  if (!why.empty()) throw Error("the defaults are not allowed: " + why, name_);
}

SearchSpace SearchSpace::without_defaults(std::string name, Knobs knobs, Constraints constraints,
                                          Facts facts) {
  for (Knob& knob : knobs)
    if (!knob.values.empty()) knob.fallback = knob.values.front();
  const auto index = built(name, std::move(knobs), constraints, std::move(facts));
  if (!index->rules.empty()) throw Error("conditional knobs need defaults", name);
  index->defaults = index->allowed->assignment(0);
  for (const size_t k : indices(index->knobs))
    index->knobs[k].fallback = index->knobs[k].values[index->defaults[k]];
  return SearchSpace(std::move(name), std::move(constraints), index);
}

SearchSpace SearchSpace::of_configurations(std::string name, Knobs knobs,
                                           const Configurations& configurations) {
  if (configurations.empty()) throw Error("there are no configurations", name);
  Indices values;
  for (Knob& knob : knobs) {
    knob.active = {};
    knob.fallback = configurations.front().at(knob.name);
    values.push_back(knob.values.size());
  }
  check_space(name, knobs, {}, {});
  const auto index = std::make_shared<Index>(std::move(knobs), Constraints(), Facts());
  Assignments list;
  for (const Configuration& configuration : configurations)
    list.push_back(index->assignment(configuration, name));
  index->allowed.emplace(Diagram::of_assignments(std::move(values), std::move(list)));
  index->listed = true;
  return SearchSpace(std::move(name), {}, index);
}

const Knobs& SearchSpace::knobs() const { return index_->knobs; }

const Knob* SearchSpace::knob(const std::string& name) const {
  const auto* found = value_at(index_->knob_numbers, name);
  return found ? &knobs()[*found] : nullptr;
}

Configuration SearchSpace::baseline() const { return configured(knobs(), index_->defaults); }

double SearchSpace::cartesian_size() const { return space::cartesian_size(knobs()); }

uint64_t SearchSpace::size() const { return index_->allowed->size(); }

ValueCounts SearchSpace::value_counts() const { return index_->allowed->value_counts(); }

Configuration SearchSpace::configuration(uint64_t index) const {
  return configured(knobs(), assignment(index));
}

std::optional<uint64_t> SearchSpace::index(const Configuration& configuration) const {
  if (configuration.values().size() != index_->knobs.size()) return std::nullopt;
  Assignment assignment(index_->knobs.size());
  for (const auto& [name, value] : configuration.values()) {
    const auto* knob = value_at(index_->knob_numbers, name);
    if (!knob) return std::nullopt;
    const auto number = index_->value_number(*knob, value);
    if (!number) return std::nullopt;
    assignment[*knob] = *number;
  }
  return index(assignment);
}

Configuration SearchSpace::normalised(Configuration configuration) const {
  Assignment assignment = index_->assignment(configuration, name_);
  index_->normalise(assignment);
  return configured(knobs(), assignment);
}

Configurations SearchSpace::neighbours(const Configuration& configuration) const {
  Configurations found;
  for (const Assignment& neighbour : neighbours(index_->assignment(configuration, name_)))
    found.push_back(configured(knobs(), neighbour));
  return found;
}

Assignments SearchSpace::neighbours(const Assignment& centre) const {
  Assignments found;
  const auto try_value = [&](size_t k, uint32_t value) {
    Assignment candidate = centre;
    candidate[k] = value;
    index_->normalise(candidate);
    if (index_->allowed->index(candidate)) found.push_back(std::move(candidate));
  };
  std::vector<std::vector<uint32_t>> near(index_->knobs.size());
  std::vector<bool> active(index_->knobs.size());
  for (const size_t k : indices(index_->knobs)) {
    active[k] = index_->knobs[k].values.size() > 1 && index_->active(k, centre);
    if (active[k]) near[k] = index_->adjacent(k, centre[k]);
    for (const uint32_t value : near[k]) try_value(k, value);
  }
  for (const size_t k : indices(index_->knobs))
    for (uint32_t value = 0; active[k] && value < index_->knobs[k].values.size(); ++value)
      if (value != centre[k] && !contains(near[k], value)) try_value(k, value);
  return found;
}

Assignment SearchSpace::assignment(uint64_t index) const {
  if (index >= size())
    throw Error(fmt::format("configuration {} of a space of {}", index, size()), name_);
  return index_->allowed->assignment(index);
}

std::optional<uint64_t> SearchSpace::index(const Assignment& assignment) const {
  return index_->allowed->index(assignment);
}

Configuration SearchSpace::configuration(const Assignment& assignment) const {
  return configured(knobs(), assignment);
}

void SearchSpace::normalise(Assignment& assignment) const { index_->normalise(assignment); }

Expression::Lookup knobs_and_facts(const Configuration& configuration, const Facts& facts) {
  return [&](const std::string& name) -> std::optional<Value> {
    if (configuration.has(name)) return configuration.at(name);
    return copy_at(facts, name);
  };
}

std::shared_ptr<const void> SearchSpace::identity() const { return index_; }

std::string SearchSpace::why_not(const Configuration& configuration) const {
  for (const auto& [name, value] : configuration.values())
    if (!knob(name)) return fmt::format("there is no knob \"{}\"", name);
  Assignment assignment;
  try {
    assignment = index_->assignment(configuration, name_);
  } catch (const Error& error) {
    return error.message();
  }
  const Expression::Lookup lookup = knobs_and_facts(configuration, index_->facts);
  for (const size_t k : indices(index_->knobs))
    if (assignment[k] != index_->defaults[k] && !index_->active(k, assignment))
      return fmt::format("knob \"{}\" has no effect here (active: {}) and must be its default, {}",
                         index_->knobs[k].name, index_->knobs[k].active.text(),
                         to_text(index_->knobs[k].fallback));
  for (const Constraint& constraint : constraints_) {
    std::string fault;
    try {
      if (constraint.expression.evaluate(lookup).truth()) continue;
    } catch (const Error& error) {
      fault = "; " + error.message();
    }
    std::string values;
    for (const std::string& name : constraint.expression.names())
      join(values, name + "=" + to_text(*lookup(name)));
    return fmt::format("constraint {} does not hold{}{}{}", quoted(constraint),
                       values.empty() ? "" : ": ", values, fault);
  }
  if (index_->listed && !index_->allowed->index(assignment))
    return "it is none of the recorded configurations";
  return {};
}

Configurations covering_sample(const SearchSpace& space, const std::string& algorithm, size_t size,
                               uint64_t seed) {
  const Knob* knob = space.knob(algorithm);
  Configurations chosen;
  for (size_t v = 0; v < (knob ? knob->values.size() : 1); ++v) {
    const Configurations pool = drawn(space, knob, v, seed);
    Configuration plain = space.baseline();
    if (knob) plain.set(algorithm, knob->values[v]);
    plain = space.normalised(plain);
    if (!space.allowed(plain)) {
      // The constraints do not allow this value beside the others' defaults, or not at all.
      if (pool.empty()) continue;
      plain = nearest(pool, plain);
    }
    chosen.push_back(plain);
    add_covering(pool, size, chosen);
  }
  return chosen;
}

Configuration with_values(Configuration configuration, const SearchSpace& space,
                          const Facts& values, const std::string& where) {
  for (const auto& [name, value] : values) {
    const Knob* const knob = space.knob(name);
    if (!knob)
      throw Error("there is no knob " + excerpt(name), where,
                  did_you_mean(name, members(space.knobs(), &Knob::name)));
    const Texts known = texts_of(knob->values);

    const auto found = std::ranges::find(known, to_text(value));
    if (found == known.end())
      throw Error(fmt::format("knob {} has no value {}", name, excerpt(to_text(value))), where,
                  did_you_mean(to_text(value), known));
    configuration.set(name, knob->values[size_t(found - known.begin())]);
  }
  return configuration;
}

}  // namespace rooftune::space
