// Construction of a search space's index, and walks over value numbers.
#include "space/search_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"

namespace rooftune::space {
namespace {

/// Bounds construction: 256 MB, to keep the program below 500 MB, and some seconds.
constexpr DiagramLimit size_limit{std::size_t{256} << 20, 200'000'000};
/// A search for a conflict builds many diagrams; one beyond this counts as satisfiable.
constexpr DiagramLimit conflict_limit{std::size_t{64} << 20, 50'000'000};

std::vector<const Expression*> expressions_of(const std::vector<Knob>& knobs,
                                              const std::vector<Constraint>& constraints) {
  std::vector<const Expression*> all;
  for (const Knob& knob : knobs) all.push_back(&knob.active);
  for (const Constraint& constraint : constraints) all.push_back(&constraint.expression);
  return all;
}

}  // namespace

std::uint64_t AssignmentNames::number(const Assignment& assignment) {
  std::uint64_t number = 0;
  for (const std::uint32_t value : assignment) number = Rng(number, value).next();
  const std::lock_guard lock(mutex_);
  while (known_.try_emplace(number, assignment).first->second != assignment) ++number;
  return number;
}

std::optional<Assignment> AssignmentNames::assignment(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(number);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

SearchSpace::Index::Index(std::vector<Knob> the_knobs, const std::vector<Constraint>& constraints,
                          Facts the_facts)
    : knobs(std::move(the_knobs)),
      facts(std::move(the_facts)),
      rule_of(knobs.size()),
      graph_(knobs, facts, expressions_of(knobs, constraints)) {
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    knob_numbers[knobs[k].name] = k;
    defaults.push_back(static_cast<std::uint32_t>(knobs[k].index_of(knobs[k].fallback)));
    const std::vector<Value>& values = knobs[k].values;
    numeric_.push_back(std::all_of(values.begin(), values.end(),
                                   [](const Value& value) { return value.is_number(); }));
    auto& numbers = numbers_.emplace_back();
    for (const Value& value : values)
      numbers.emplace_hint(numbers.end(), value, static_cast<std::uint32_t>(numbers.size()));
  }
  for (const Constraint& constraint : constraints)
    conditions_.push_back(graph_.conditions(constraint.expression));
  for (const std::size_t k : active_order(knobs).knobs) {
    const ExpressionGraph::NodeId active = graph_.activity(knobs[k].active);
    rule_conditions_.push_back(graph_.default_unless(active, k));
    rule_of[k] = rules.size();
    rules.push_back({k, active, graph_.below({active}), graph_.knobs_below(active)});
  }
  registers_ = graph_.registers();
}

void SearchSpace::Index::build(const std::vector<Constraint>& constraints) {
  try {
    allowed.emplace(graph_, knobs.size(), conditions(std::vector<bool>(constraints.size(), true)),
                    size_limit);
  } catch (const DiagramTooLarge&) {
    throw Error(
        "the constraints tie the knobs together so closely that the configurations cannot "
        "be counted in 256 MB and some seconds",
        {}, "fewer values for knobs that share a constraint, or simpler constraints");
  } catch (const TooManyAssignments&) {
    throw Error("the space has more than 1e308 configurations", {},
                "fewer knobs or values, or a constraint");
  } catch (const WrongTypes&) {
    for (const Expression* expression : expressions_of(knobs, constraints)) {
      const std::string fault = type_fault(*expression, knobs, facts);
      if (!fault.empty()) throw Error(fault);
    }
    throw Error("a constraint computes or compares with values of the wrong type");
  }
}

std::vector<ExpressionGraph::NodeId> SearchSpace::Index::conditions(
    const std::vector<bool>& kept) const {
  std::vector<ExpressionGraph::NodeId> all = rule_conditions_;
  for (std::size_t c = 0; c < kept.size(); ++c)
    if (kept[c]) all.insert(all.end(), conditions_[c].begin(), conditions_[c].end());
  return all;
}

bool SearchSpace::Index::satisfiable(const std::vector<bool>& kept) const {
  try {
    return !Diagram(graph_, knobs.size(), conditions(kept), conflict_limit,
                    WrongTypePolicy::refusal)
                .empty();
  } catch (const DiagramTooLarge&) {
    return true;
  } catch (const TooManyAssignments&) {
    return true;
  }
}

// A minimal set of contradictory constraints, by the deletion filter (Chinneck, Dravnieks, ORSA
// Journal on Computing 3(2), 1991): one after the other is left out, for good where the rest still
// contradicts itself. Minimal is enough for the reader; the smallest such set would take
// exponentially many diagrams.
std::vector<std::size_t> SearchSpace::Index::conflict() const {
  std::vector<bool> kept(conditions_.size(), true);
  for (std::size_t c = 0; c < kept.size(); ++c) {
    kept[c] = false;
    if (satisfiable(kept)) kept[c] = true;
  }
  std::vector<std::size_t> all;
  for (std::size_t c = 0; c < kept.size(); ++c)
    if (kept[c]) all.push_back(c);
  return all;
}

bool SearchSpace::Index::holds(const ActiveRule& rule, const Assignment& assignment,
                               std::vector<Scalar>& registers) const {
  for (const std::size_t k : rule.inputs)
    registers[*graph_.knob_node(k)] = graph_.values(k)[assignment[k]];
  for (const ExpressionGraph::NodeId node : rule.program)
    registers[node] = graph_.result(node, registers);
  const Scalar& result = registers[rule.active];
  return !result.is_undefined() && result.truth();
}

void SearchSpace::Index::normalise(Assignment& assignment) const {
  if (rules.empty()) return;
  std::vector<Scalar> registers = registers_;
  for (const ActiveRule& rule : rules)
    if (!holds(rule, assignment, registers)) assignment[rule.knob] = defaults[rule.knob];
}

bool SearchSpace::Index::active(std::size_t knob, const Assignment& assignment) const {
  if (!rule_of[knob]) return true;
  std::vector<Scalar> registers = registers_;
  return holds(rules[*rule_of[knob]], assignment, registers);
}

Assignment SearchSpace::Index::assignment(const Configuration& configuration,
                                          const std::string& space) const {
  Assignment numbers;
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    if (!configuration.has(knobs[k].name))
      throw Error(fmt::format("the configuration lacks knob \"{}\"", knobs[k].name), space);
    const Value& value = configuration.at(knobs[k].name);
    const auto number = value_number(k, value);
    if (!number)
      throw Error(
          fmt::format("{} is no value of knob \"{}\"", excerpt(to_text(value)), knobs[k].name),
          space, "one of " + excerpt(to_text(Value(knobs[k].values)), 200));
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::uint32_t> SearchSpace::Index::value_number(std::size_t knob,
                                                              const Value& value) const {
  const auto found = numbers_[knob].find(value);
  return found == numbers_[knob].end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::uint32_t> SearchSpace::Index::adjacent(std::size_t knob,
                                                        std::uint32_t value) const {
  std::vector<std::uint32_t> near;
  if (!numeric_[knob]) return near;
  const auto& numbers = numbers_[knob];
  const auto at = numbers.find(knobs[knob].values[value]);
  if (at != numbers.begin()) near.push_back(std::prev(at)->second);
  if (std::next(at) != numbers.end()) near.push_back(std::next(at)->second);
  return near;
}

}  // namespace rooftune::space
