#include "space/type_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/error.h"

namespace rooftune::space {
namespace {

/// A fault met with some values of an expression's knobs: in words to stop the search, or none.
using Judge = std::function<std::string(const Error& error, bool undefined,
                                        const std::vector<std::pair<std::string, Value>>& values)>;

/// Evaluates with one combination of values after the other until the judge has words for a fault.
std::string fault_with_values(const Expression& expression, const std::vector<Knob>& knobs,
                              const Facts& facts, const Judge& judge) {
  constexpr int most_tries = 10'000;
  const std::vector<std::string>& names = expression.names();
  std::vector<const Knob*> own;
  for (const Knob& knob : knobs)
    if (std::find(names.begin(), names.end(), knob.name) != names.end()) own.push_back(&knob);
  std::vector<std::size_t> at(own.size(), 0);
  const auto lookup = [&](const std::string& name) -> std::optional<Value> {
    for (std::size_t k = 0; k < own.size(); ++k)
      if (own[k]->name == name) return own[k]->values[at[k]];
    const auto fact = facts.find(name);
    return fact == facts.end() ? std::nullopt : std::optional<Value>(fact->second);
  };
  const auto judged = [&](const Error& error, bool undefined) {
    std::vector<std::pair<std::string, Value>> values;
    for (std::size_t k = 0; k < own.size(); ++k)
      values.emplace_back(own[k]->name, own[k]->values[at[k]]);
    return judge(error, undefined, values);
  };
  for (int tries = 0; tries < most_tries && !expression.empty(); ++tries) {
    std::string fault;
    try {
      expression.evaluate(lookup);
    } catch (const UndefinedResult& error) {
      fault = judged(error, true);
    } catch (const Error& error) {
      fault = judged(error, false);
    }
    if (!fault.empty()) return fault;
    std::size_t k = 0;
    while (k < at.size() && ++at[k] == own[k]->values.size()) at[k++] = 0;
    if (k == at.size()) break;
  }
  return {};
}

}  // namespace

std::string type_fault(const Expression& expression, const std::vector<Knob>& knobs,
                       const Facts& facts) {
  return fault_with_values(expression, knobs, facts,
                           [](const Error& error, bool undefined, const auto&) {
                             // Other values may have a result.
                             return undefined ? std::string() : error.message();
                           });
}

std::vector<std::string> undefined_results(const std::vector<Constraint>& constraints,
                                           const std::vector<Knob>& knobs, const Facts& facts) {
  std::vector<std::string> all;
  for (const Constraint& constraint : constraints) {
    const std::string fault = fault_with_values(
        constraint.expression, knobs, facts,
        [](const Error& error, bool undefined, const auto& values) {
          if (!undefined) return std::string();
          std::string with;
          for (const auto& [name, value] : values)
            with += fmt::format("{}{}={}", with.empty() ? " with " : ", ", name, to_text(value));
          return error.message() + excerpt(with, 200);
        });
    if (!fault.empty()) all.push_back(fault);
  }
  return all;
}

}  // namespace rooftune::space
