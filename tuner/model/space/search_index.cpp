// A search space's index: conditions on knobs and constraints before it is built, its construction,
// and walks over value numbers.
#include "space/search_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "core/error.h"
#include "core/list.h"

namespace rooftune::space {
namespace {

constexpr size_t longest_name = 1000, longest_text = 10'000;
constexpr size_t most_knobs = 500, most_values_checked = 100'000, most_constraints = 2000;

/// Knobs with an `active` expression, each after the knobs named in it. A cycle ends the list
/// early: `cycle` names the knobs on it.
struct ActiveOrder {
  Indices knobs;
  Texts cycle;
};
ActiveOrder active_order(const Knobs& knobs) {
  ActiveOrder order;
  std::vector<bool> done(knobs.size());

  for (const size_t k : indices(knobs)) done[k] = knobs[k].active.empty();
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t k = 0; k < knobs.size(); ++k) {
      bool ready = !done[k];
      for (size_t other = 0; ready && other < knobs.size(); ++other)
        ready = done[other] || !contains(knobs[k].active.names(), knobs[other].name);
      if (!ready) continue;
      order.knobs.push_back(k);
      done[k] = progress = true;
    }
  }
  for (const size_t k : indices(knobs))
    if (!done[k]) order.cycle.push_back("\"" + knobs[k].name + "\"");
  return order;
}

/// Collects faults, placed at "space: knob "name"".
class SpaceCheck {
 public:
  SpaceCheck(const std::string& space, const Knobs& knobs, const Facts& facts)
      : space_(space), knobs_(knobs), facts_(facts), names_(members(knobs, &Knob::name)) {
    append(names_, keys_of(facts));
  }

  void knob(const Knob& knob) {
    const Where where = [&] {
      return fmt::format("{}: knob \"{}\"", space_, excerpt(knob.name, longest_name));
    };
    if (knob.name.empty()) faults_.add(where(), "has no name");
    if (knob.name.size() > longest_name)
      faults_.add(where(), fmt::format("has a name of {} bytes; at most {} are allowed",
                                       knob.name.size(), longest_name));
    if (std::ranges::count(knobs_, knob.name, &Knob::name) > 1 && seen_.insert(knob.name).second)
      faults_.add(where(), "appears twice");
    if (facts_.contains(knob.name))
      faults_.add(where(), "has the name of a problem parameter or fact", "rename the knob");
    values(knob, where);
    if (knob.kind == Knob::Kind::flag && knob.flags.size() != knob.values.size())
      faults_.add(where(), fmt::format("has {} values but flags for {}", knob.values.size(),
                                       knob.flags.size()));
    names(knob.active, [&] { return where() + ": active"; });
  }
  void constraint(const Constraint& constraint) {
    if (constraint.expression.empty())
      faults_.add(space_, "a constraint is empty");
    else
      names(constraint.expression, [&] {
        return fmt::format("{}: constraint \"{}\"", space_, constraint.expression.text());
      });
  }
  void cycle() {
    const ActiveOrder order = active_order(knobs_);
    if (!order.cycle.empty())
      faults_.add(space_,
                  fmt::format("the active expressions of {} depend on each other in a circle",
                              joined(order.cycle)));
  }
  void raise() const { faults_.raise(); }

 private:
  /// A fault's place, made only for a fault: most spaces have none.
  using Where = std::function<std::string()>;

  void values(const Knob& knob, const Where& where) {
    if (knob.values.empty()) faults_.add(where(), "has no values");
    for (const Value& value : knob.values)
      if (value.is_text() && value.text().size() > longest_text)
        faults_.add(where(), fmt::format("has a value of {} bytes; at most {} are allowed",
                                         value.text().size(), longest_text));
    if (knob.values.size() > most_values_checked) {
      faults_.add(where(), fmt::format("has {} values; at most {} are allowed", knob.values.size(),
                                       most_values_checked));
      return;
    }
    // 8 and "8" would be one word in records and on the command line. Different numbers have
    // different words.
    const bool worded = any_of(knob.values, &Value::is_text);
    TextSet texts;
    // Most lists ascend: nothing can then stand twice.
    const bool ascending =
        std::ranges::adjacent_find(knob.values, [](const Value& a, const Value& b) {
          return !(a < b);
        }) == knob.values.end();
    std::set<Value> seen;
    for (const Value& value : knob.values) {
      if (value.is_list()) faults_.add(where(), "value " + to_text(value) + " is a list");
      if (value.is_real() && !std::isfinite(value.real()))
        faults_.add(where(), "value " + to_text(value) + " is not finite");
      const bool fresh = !worded || texts.insert(to_text(value)).second;
      if (!fresh || (!ascending && !seen.insert(value).second))
        faults_.add(where(), "value " + excerpt(to_text(value)) + " appears twice");
    }
    if (!knob.values.empty() && knob.index_of(knob.fallback) == knob.values.size())
      faults_.add(where(), "default " + excerpt(to_text(knob.fallback)) + " is none of the values",
                  "one of " + excerpt(to_text(Value(knob.values)), 200));
  }
  void names(const Expression& expression, const Where& where) {
    for (const std::string& name : expression.names()) {
      if (contains(names_, name)) continue;
      faults_.add(where(), fmt::format("unknown name \"{}\"", name),
                  did_you_mean(name, names_, ""));
    }
  }

  const std::string& space_;
  const Knobs& knobs_;
  const Facts& facts_;
  Texts names_;
  TextSet seen_;
  Faults faults_;
};

/// Evaluates with one combination of values after the other until a combination has no result
/// (`undefined`), or meets a wrong type. Returns the fault in words, with the values where the
/// result is missing.
std::string fault_with_values(const Expression& expression, const Knobs& knobs, const Facts& facts,
                              bool undefined) {
  constexpr int most_tries = 10'000;
  const Texts& names = expression.names();
  std::vector<const Knob*> own;
  for (const Knob& knob : knobs)
    if (contains(names, knob.name)) own.push_back(&knob);
  Indices at(own.size(), 0);
  const auto lookup = [&](const std::string& name) -> std::optional<Value> {
    for (const size_t k : indices(own))
      if (own[k]->name == name) return own[k]->values[at[k]];
    return copy_at(facts, name);
  };
  for (int tries = 0; tries < most_tries && !expression.empty(); ++tries) {
    try {
      expression.evaluate(lookup);
    } catch (const UndefinedResult& error) {
      std::string with;
      for (size_t k = 0; undefined && k < own.size(); ++k)
        with += fmt::format("{}{}={}", with.empty() ? " with " : ", ", own[k]->name,
                            to_text(own[k]->values[at[k]]));
      if (undefined) return error.message() + excerpt(with, 200);
    } catch (const Error& error) {
      if (!undefined) return error.message();
    }
    size_t k = 0;
    while (k < at.size() && ++at[k] == own[k]->values.size()) at[k++] = 0;
    if (k == at.size()) break;
  }
  return {};
}

/// Bounds construction: 256 MB, to keep the program below 500 MB, and some seconds.
constexpr DiagramLimit size_limit{size_t{256} << 20, 200'000'000};
/// A search for a conflict builds many diagrams; one beyond this counts as satisfiable.
constexpr DiagramLimit conflict_limit{size_t{64} << 20, 50'000'000};

std::vector<const Expression*> expressions_of(const Knobs& knobs, const Constraints& constraints) {
  std::vector<const Expression*> all;
  for (const Knob& knob : knobs) all.push_back(&knob.active);
  for (const Constraint& constraint : constraints) all.push_back(&constraint.expression);
  return all;
}

}  // namespace

void check_space(const std::string& name, const Knobs& knobs, const Constraints& constraints,
                 const Facts& facts) {
  // Beyond these limits the knob order would take minutes to find; no hand-written space comes
  // near.
  if (knobs.size() > most_knobs || constraints.size() > most_constraints)
    throw Error(fmt::format("{} knobs and {} constraints; at most {} and {} are allowed",
                            knobs.size(), constraints.size(), most_knobs, most_constraints),
                name);
  SpaceCheck check(name, knobs, facts);
  for (const Knob& knob : knobs) check.knob(knob);
  for (const Constraint& constraint : constraints) check.constraint(constraint);
  check.cycle();
  check.raise();
}

Texts undefined_results(const Constraints& constraints, const Knobs& knobs, const Facts& facts) {
  Texts all;
  for (const Constraint& constraint : constraints) {
    const std::string fault = fault_with_values(constraint.expression, knobs, facts, true);
    if (!fault.empty()) all.push_back(fault);
  }
  return all;
}

SearchSpace::Index::Index(Knobs the_knobs, const Constraints& constraints, Facts the_facts)
    : knobs(std::move(the_knobs)),
      facts(std::move(the_facts)),
      rule_of(knobs.size()),
      graph_(knobs, facts, expressions_of(knobs, constraints)) {
  for (const size_t k : indices(knobs)) {
    knob_numbers[knobs[k].name] = k;
    defaults.push_back(uint32_t(knobs[k].index_of(knobs[k].fallback)));
    const ValueList& values = knobs[k].values;
    numeric_.push_back(all_of(values, &Value::is_number));
    auto& numbers = numbers_.emplace_back();
    for (const Value& value : values)
      numbers.emplace_hint(numbers.end(), value, uint32_t(numbers.size()));
  }
  for (const Constraint& constraint : constraints)
    conditions_.push_back(graph_.conditions(constraint.expression));
  for (const size_t k : active_order(knobs).knobs) {
    const ExpressionGraph::NodeId active = graph_.activity(knobs[k].active);
    rule_conditions_.push_back(graph_.default_unless(active, k));
    rule_of[k] = rules.size();
    rules.push_back({k, active, graph_.below({active}), graph_.knobs_below(active)});
  }
  registers_ = graph_.registers();
}

void SearchSpace::Index::build(const Constraints& constraints) {
  try {
    allowed.emplace(graph_, knobs.size(), conditions(std::vector<bool>(constraints.size(), true)),
                    size_limit);
  } catch (const DiagramTooLarge&) {
    throw Error(
        "the constraints tie the knobs together so closely that the configurations cannot "
        "be counted in 256 MB and some seconds",
        {}, "fewer values for knobs that share a constraint, or simpler constraints");
  } catch (const TooManyAssignments&) {
    throw Error("the space has 2^64 configurations or more", {},
                "fewer knobs or values, or a constraint");
  } catch (const WrongTypes&) {
    for (const Expression* expression : expressions_of(knobs, constraints)) {
      const std::string fault = fault_with_values(*expression, knobs, facts, false);
      if (!fault.empty()) throw Error(fault);
    }
    throw Error("a constraint computes or compares with values of the wrong type");
  }
}

ExpressionGraph::NodeIds SearchSpace::Index::conditions(const std::vector<bool>& kept) const {
  ExpressionGraph::NodeIds all = rule_conditions_;
  for (const size_t c : indices(kept))
    if (kept[c]) append(all, conditions_[c]);
  return all;
}

bool SearchSpace::Index::satisfiable(const std::vector<bool>& kept) const {
  try {
    return Diagram(graph_, knobs.size(), conditions(kept), conflict_limit, WrongTypePolicy::refusal)
               .size() > 0;
  } catch (const DiagramTooLarge&) {
    return true;
  } catch (const TooManyAssignments&) {
    return true;
  }
}

// A minimal set of contradictory constraints, by the deletion filter (Chinneck, Dravnieks, ORSA
// Journal on Computing 3(2), 1991): each constraint in turn is left out, for good where the rest
// still contradicts itself. Minimal is enough for the reader; the smallest such set would take
// exponentially many diagrams.
Indices SearchSpace::Index::conflict() const {
  std::vector<bool> kept(conditions_.size(), true);
  for (const size_t c : indices(kept)) {
    kept[c] = false;
    if (satisfiable(kept)) kept[c] = true;
  }
  return filtered(indices(kept), [&](size_t c) { return kept[c]; });
}

bool SearchSpace::Index::holds(const ActiveRule& rule, const Assignment& assignment,
                               Scalars& registers) const {
  for (const size_t k : rule.inputs)
    registers[*graph_.knob_node(k)] = graph_.values(k)[assignment[k]];
  for (const ExpressionGraph::NodeId node : rule.program)
    registers[node] = graph_.result(node, registers);
  const Scalar& result = registers[rule.active];
  return !result.is_undefined() && result.truth();
}

void SearchSpace::Index::normalise(Assignment& assignment) const {
  if (rules.empty()) return;
  Scalars registers = registers_;
  for (const ActiveRule& rule : rules)
    if (!holds(rule, assignment, registers)) assignment[rule.knob] = defaults[rule.knob];
}

bool SearchSpace::Index::active(size_t knob, const Assignment& assignment) const {
  if (!rule_of[knob]) return true;
  Scalars registers = registers_;
  return holds(rules[*rule_of[knob]], assignment, registers);
}

Assignment SearchSpace::Index::assignment(const Configuration& configuration,
                                          const std::string& space) const {
  Assignment numbers;
  for (const size_t k : indices(knobs)) {
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

std::optional<uint32_t> SearchSpace::Index::value_number(size_t knob, const Value& value) const {
  return copy_at(numbers_[knob], value);
}

std::vector<uint32_t> SearchSpace::Index::adjacent(size_t knob, uint32_t value) const {
  std::vector<uint32_t> near;
  if (!numeric_[knob]) return near;
  const auto& numbers = numbers_[knob];
  const auto at = numbers.find(knobs[knob].values[value]);
  if (at != numbers.begin()) near.push_back(std::prev(at)->second);
  if (std::next(at) != numbers.end()) near.push_back(std::next(at)->second);
  return near;
}

}  // namespace rooftune::space
