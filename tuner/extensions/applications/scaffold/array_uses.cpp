#include "scaffold/array_uses.h"

#include <algorithm>
#include <optional>

#include "core/list.h"

namespace rooftune::scaffold {

ArrayUses::ArrayUses(const Tokens& tokens, const FunctionSource& function) {
  for (size_t i = function.open + 1; i < function.close; ++i) {
    if (!tokens[i].is_word() || tokens[i - 1].is(". ->")) continue;
    const std::string name(tokens[i].text);
    size_t behind = i + 1;
    while (tokens[behind].is("[")) behind = closing(tokens, behind) + 1;
    if (tokens[behind].is("="))
      assigned_[name] +=
          " " + joined(tokens, behind + 1, first_of(tokens, behind, function.close, "; ,"));
    const auto one = std::ranges::find(function.parameters, name, &FunctionParameter::name);
    if (one == function.parameters.end() || !one->array) continue;
    const bool whole = behind == i + 1;
    uses_[name].push_back({joined(tokens, i + 1, behind), whole || !tokens[behind].is("=")});
  }
}

bool ArrayUses::only_written(const std::string& array) const {
  const auto* found = value_at(uses_, array);
  return found && std::ranges::none_of(*found, &Use::read);
}

std::string ArrayUses::indexed_by(const std::string& array) const {
  for (const auto& [other, uses] : uses_)
    for (const Use& use : uses) {
      std::string index = use.index;
      for (const Token& word : tokens_of(use.index))
        if (const auto* text = value_at(assigned_, std::string(word.text))) index += *text;
      if (other != array && tokens_of(index).has(array)) return other;
    }
  return {};
}

std::string elements(const FunctionParameter& array, const NamedTexts& constants) {
  if (array.sides.empty() || array.sides[0].empty()) return {};
  const auto constant = [&](const std::string& name) -> std::optional<Value> {
    const auto* fixed = value_at(constants, name);
    const auto value = fixed ? value_of(*fixed, lookup_in({})) : std::nullopt;
    return value ? std::optional(Value(*value)) : std::nullopt;
  };
  std::string product;
  for (const std::string& side : array.sides) {
    const auto number = value_of(side, constant);
    product += (product.empty() ? "" : "*") +
               (number ? std::to_string(*number) : "(" + formula_of(side) + ")");
  }
  return product;
}

}  // namespace rooftune::scaffold
