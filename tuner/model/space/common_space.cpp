// The space of configurations that all of several problems allow, for one kernel.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/expression.h"
#include "core/list.h"
#include "space/search_space.h"

namespace rooftune::space {
namespace {

/// The name for a fact that differs from the first problem's.
std::string own_name(const std::string& fact, size_t problem) {
  return fmt::format("{}_of_input_{}", fact, problem + 1);
}

/// The expression with the names in `facts` replaced; texts in quotes stay.
std::string renamed(const std::string& text, const TextSet& facts, size_t problem) {
  std::string result;
  size_t after = 0;
  ExpressionLexer lexer(text);
  for (Token token = lexer.next(); token.kind != Token::Kind::end; token = lexer.next()) {
    const std::string word(token.spelling);
    if (token.kind != Token::Kind::name || !facts.contains(word)) continue;
    const size_t begin = token.column - 1;
    result.append(text, after, begin - after) += own_name(word, problem);
    after = begin + word.size();
  }
  return result.append(text, after);
}

TextSet differing(const Facts& first, const Facts& other) {
  TextSet names;
  for (const auto& [name, value] : other) {
    const auto* found = value_at(first, name);
    if (!found || *found != value) names.insert(name);
  }
  return names;
}

bool names_one_of(const Expression& expression, const TextSet& names) {
  return any_of(expression.names(), [&](const std::string& name) { return names.contains(name); });
}

/// Knob `number` with the values that all spaces share.
Knob common_knob(const SearchSpaces& spaces, size_t number) {
  Knob knob = spaces.front().knobs()[number];
  const auto has = [&](const SearchSpace& space, const Value& value) {
    const Knob& other = space.knobs()[number];
    return other.index_of(value) < other.values.size();
  };
  for (size_t v = knob.values.size(); v-- > 0;) {
    if (all_of(spaces, [&](const SearchSpace& space) { return has(space, knob.values[v]); }))
      continue;
    knob.values.erase(knob.values.begin() + ptrdiff_t(v));
    if (!knob.flags.empty()) knob.flags.erase(knob.flags.begin() + ptrdiff_t(v));
  }
  if (knob.values.empty())
    throw Error(fmt::format("knob {} has no value that all inputs allow", knob.name), "--problem",
                "tune these inputs one by one");
  knob.fallback = knob.values.front();
  for (auto space = spaces.rbegin(); space != spaces.rend(); ++space) {
    const Knob& other = space->knobs()[number];
    if (knob.index_of(other.fallback) < knob.values.size()) knob.fallback = other.fallback;
    if (knob.values.size() == 1 && knob.collapsed.empty()) knob.collapsed = other.collapsed;
  }
  return knob;
}

void add_constraints(Constraints& all, const SearchSpace& space, const TextSet& different,
                     size_t problem) {
  for (const Constraint& constraint : space.constraints()) {
    if (!names_one_of(constraint.expression, different)) continue;
    const std::string text = renamed(constraint.expression.text(), different, problem);
    all.push_back(
        {Expression::parse(text), fmt::format("{} (input {})", constraint.reason, problem + 1)});
  }
}

/// Takes the defaults from the first problem whose defaults all problems allow.
SearchSpace with_allowed_defaults(const SearchSpaces& spaces, Knobs knobs,
                                  const Constraints& constraints, const Facts& facts) {
  std::optional<Error> first_fault;
  for (const SearchSpace& space : spaces) {
    for (const size_t k : indices(knobs)) {
      const Value& fallback = space.knobs()[k].fallback;
      if (knobs[k].index_of(fallback) < knobs[k].values.size()) knobs[k].fallback = fallback;
    }
    try {
      return SearchSpace(space.name(), knobs, constraints, facts);
    } catch (const Error& error) {
      if (!first_fault) first_fault = error;
    }
  }
  throw Error("no configuration can be the baseline of all inputs: " + first_fault->message(),
              first_fault->where(), "tune these inputs one by one");
}

}  // namespace

SearchSpace common_space(const SearchSpaces& spaces, const FactsList& facts) {
  Knobs knobs;
  for (const size_t k : indices(spaces.front().knobs())) knobs.push_back(common_knob(spaces, k));
  Constraints constraints = spaces.front().constraints();
  Facts known = facts.front();
  for (size_t i = 1; i < spaces.size(); ++i) {
    const auto different = differing(facts.front(), facts[i]);
    for (const Knob& knob : knobs)
      if (names_one_of(knob.active, different))
        throw Error(fmt::format("whether knob {} is active (\"{}\") depends on the input",
                                knob.name, knob.active.text()),
                    "--problem", "tune these inputs one by one");
    add_constraints(constraints, spaces[i], different, i);
    for (const std::string& name : different) known[own_name(name, i)] = facts[i].at(name);
  }
  return with_allowed_defaults(spaces, std::move(knobs), constraints, known);
}

}  // namespace rooftune::space
