#include "scaffold/array_uses.h"

#include <algorithm>
#include <optional>

#include "core/list.h"

namespace rooftune::scaffold {

ArrayUses::ArrayUses(const Tokens& tokens, const FunctionSource& function)
    : tokens_(tokens), function_(function) {
  for (size_t i = function.open + 1; i < function.close; ++i) {
    if (tokens[i].is("for")) loops_.push_back(i);
    if (tokens[i].is_word() && !tokens[i - 1].is(". ->")) read(i);
  }
}

std::string ArrayUses::name_at(size_t at, size_t* behind) const {
  std::string name(tokens_[at].text);
  size_t end = at + 1;
  if (tokens_[end].is(". ->")) {
    const std::string member = member_name(name, tokens_[end + 1].text);
    if (contains(function_.parameters, member, &FunctionParameter::name)) {
      name = member;
      end += 2;
    }
  }
  if (behind) *behind = end;
  const auto* array = value_at(pointers_, name);
  return array ? *array : name;
}

void ArrayUses::read(size_t at) {
  size_t index = 0;
  const std::string name = name_at(at, &index);
  size_t behind = index;
  while (tokens_[behind].is("[")) behind = closing(tokens_, behind) + 1;
  if (tokens_[behind].is("=")) {
    const Range given{behind + 1, first_of(tokens_, behind + 1, function_.close, "; ,")};
    size_t begin = at;
    while (begin > function_.open && !tokens_[begin - 1].is("; { } ( ,")) --begin;
    const std::string first = name_at(given.first + (tokens_[given.first].is("&") ? 1 : 0));
    if (first_of(tokens_, begin, at, "*") < at &&
        contains(function_.parameters, first, &FunctionParameter::name)) {
      pointers_[std::string(tokens_[at].text)] = first;
      pointed_.push_back(given);
      return;
    }
    assigned_[name].push_back(given);
  }
  const auto* const one = first_with(function_.parameters, &FunctionParameter::name, name);
  if (!one || !one->array) return;
  const bool whole = behind == index;
  // A pointer into the array is no use by itself: the pointer's own uses are recorded.
  const bool pointed = any_of(pointed_, [&](const Range& range) {
    return at == range.first || (at == range.first + 1 && tokens_[range.first].is("&"));
  });
  if (!pointed)
    uses_.push_back({name,
                     {index, behind},
                     whole || !tokens_[behind].is("="),
                     whole || assigns(tokens_[behind]) || tokens_[at - 1].is("++ -- &")});
}

bool ArrayUses::no_use(const std::string& array, bool Use::*other) const {
  const auto is_one = [&](const Use& use) { return use.array == array; };
  return any_of(uses_, is_one) &&
         none_of(uses_, [&](const Use& use) { return is_one(use) && use.*other; });
}

bool ArrayUses::only_written(const std::string& array) const { return no_use(array, &Use::read); }

bool ArrayUses::only_read(const std::string& array) const { return no_use(array, &Use::written); }

bool ArrayUses::names(Range range, const std::string& array, int depth) const {
  constexpr int deepest = 2;
  for (size_t i = range.first; i < range.second; ++i) {
    if (!tokens_[i].is_word() || tokens_[i - 1].is(". ->")) continue;
    const std::string name = name_at(i);
    if (name == array) return true;
    const auto* given = value_at(assigned_, name);
    if (given && depth < deepest &&
        any_of(*given, [&](const Range& other) { return names(other, array, depth + 1); }))
      return true;
  }
  return false;
}

Contents ArrayUses::contents(const std::string& array) const {
  const auto indexed = [&](const auto& is_index) {
    const auto* const found = first_where(
        uses_, [&](const Use& use) { return use.array != array && is_index(use.index); });
    return found ? found->array : std::string();
  };
  for (const size_t loop : loops_) {
    const size_t close = closing(tokens_, loop + 1),
                 first = first_of(tokens_, loop + 2, close, ";"),
                 last = first_of(tokens_, first + 1, close, ";"),
                 equals = first_of(tokens_, loop + 2, first, "=");
    if (!names({first, last}, array)) continue;
    if (!names({equals, first}, array)) return {Contents::Kind::lengths, {}};
    return {Contents::Kind::offsets, indexed([&](const Range& index) {
              return names(index, std::string(tokens_[equals - 1].text));
            })};
  }
  const std::string of = indexed([&](const Range& index) { return names(index, array); });
  return {of.empty() ? Contents::Kind::values : Contents::Kind::indices, of};
}

std::string elements(const FunctionParameter& array, const NamedTexts& constants) {
  if (array.sides.empty() || array.sides[0].empty()) return {};
  const auto constant = [&](const std::string& name) -> std::optional<Value> {
    const auto* fixed = value_at(constants, name);
    const auto value = fixed ? value_of(*fixed) : std::nullopt;
    return value ? std::optional(Value(*value)) : std::nullopt;
  };
  std::string product;
  for (const std::string& side : array.sides) {
    const auto number = value_of(side, constant);
    join(product, number ? std::to_string(*number) : "(" + formula_of(side) + ")", "*");
  }
  return product;
}

}  // namespace rooftune::scaffold
