// Which values make an expression meet a wrong type, in the words of the evaluator.
// The caller owes an expression whose names are knobs or facts.
#include <algorithm>

#include "core/error.h"
#include "space/search_index.h"

namespace rooftune {

std::string type_fault(const Expression& expression, const std::vector<Knob>& knobs,
                       const Facts& facts) {
  constexpr int most_tries = 10'000;
  const std::vector<std::string>& names = expression.names();
  std::vector<const Knob*> own;
  for (const Knob& knob : knobs)
    if (std::find(names.begin(), names.end(), knob.name) != names.end()) own.push_back(&knob);
  std::vector<std::size_t> at(own.size(), 0);
  for (int tries = 0; tries < most_tries && !expression.empty(); ++tries) {
    try {
      expression.evaluate([&](const std::string& name) -> std::optional<Value> {
        for (std::size_t k = 0; k < own.size(); ++k)
          if (own[k]->name == name) return own[k]->values[at[k]];
        const auto fact = facts.find(name);
        return fact == facts.end() ? std::nullopt : std::optional<Value>(fact->second);
      });
    } catch (const UndefinedResult&) {
      // Other values may have a result.
    } catch (const Error& error) {
      return error.message();
    }
    std::size_t k = 0;
    while (k < at.size() && ++at[k] == own[k]->values.size()) at[k++] = 0;
    if (k == at.size()) break;
  }
  return {};
}

}  // namespace rooftune
