// Numbers of elements as formulas, of C's expressions.
#include <optional>

#include "core/error.h"
#include "core/list.h"
#include "scaffold/function.h"

namespace rooftune::scaffold {

Expression::Lookup lookup_in(const Sizes& sizes) {
  return [&sizes](const std::string& name) -> std::optional<Value> {
    const auto* size = value_at(sizes, name);
    return size ? std::optional(Value(*size)) : std::nullopt;
  };
}

std::string formula_of(const std::string& text) {
  const Tokens tokens = tokens_of(text);
  std::string formula;
  const auto is_type = [](const Token& one) {
    return one.is("int long size_t std :: int64_t ptrdiff_t unsigned const");
  };
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& one = tokens[i];
    if (one.is("(")) {
      size_t end = i + 1;
      while (end < tokens.size() && is_type(tokens[end])) ++end;
      if (end > i + 1 && end < tokens.size() && tokens[end].is(")")) {
        i = end;
        continue;
      }
    }
    if (one.is("static_cast")) {
      while (i + 1 < tokens.size() && !tokens[i + 1].is("(")) ++i;
      continue;
    }
    if (is_type(one)) continue;
    // The number behind a pointer.
    if (one.is("*") && tokens[i + 1].is_word() &&
        (i == 0 || (tokens[i - 1].kind == Token::Kind::mark && !tokens[i - 1].is(") ]"))))
      continue;
    std::string_view part = one.text;
    if (one.kind == Token::Kind::number) part = part.substr(0, part.find_first_of("uUlL"));
    formula += one.is("/") ? "//" : std::string(part);
    formula += ' ';
  }
  return formula;
}

Texts plain_formulas(const Texts& names) {
  Texts sides;
  for (const std::string& name : names)
    for (const char* more : {"", " + 1", " + 2"}) sides.push_back(name + more);
  const auto bracket = [](const std::string& side) {
    return contains(side, ' ') ? "(" + side + ")" : side;
  };
  Texts all = sides;
  for (const std::string& a : sides)
    for (const std::string& b : sides) all.push_back(bracket(a) + "*" + bracket(b));
  for (const std::string& a : names) {
    for (const char* factor : {"2*", "3*", "4*"}) all.push_back(factor + a);
    for (const std::string& b : names)
      for (const std::string& c : names) all.push_back(a + "*" + b + "*" + c);
  }
  return all;
}

std::optional<int64_t> value_of(const std::string& text, const Expression::Lookup& lookup) {
  try {
    const Value value = Expression::parse(formula_of(text)).evaluate(lookup);
    if (value.is_number() && !value.is_real()) return value.integer();
  } catch (const Error&) {
  }
  return std::nullopt;
}

std::string formula_for(int64_t count, const Texts& texts, const Sizes& sizes) {
  const auto lookup = lookup_in(sizes);
  for (const std::string& text : texts)
    if (value_of(text, lookup) == count) {
      std::string formula = formula_of(text);
      while (formula.ends_with(' ')) formula.pop_back();
      return formula;
    }
  Texts names;
  for (const auto& [name, size] : sizes)
    // Of 0 and 1 everything is a multiple.
    if (size > 1) names.push_back(name);
  for (const std::string& formula : plain_formulas(names))
    if (value_of(formula, lookup) == count) return formula;
  return std::to_string(count);
}

std::string LoopNest::elements(const FunctionParameter& array) const {
  if (array.sides.empty() || array.sides[0].empty()) return {};
  const auto constant = [&](const std::string& name) -> std::optional<Value> {
    const auto* fixed = value_at(function_.constants, name);
    const auto value = fixed ? value_of(*fixed, lookup_in({})) : std::nullopt;
    return value ? std::optional(Value(*value)) : std::nullopt;
  };
  std::string product;
  for (const std::string& side : array.sides) {
    const auto number = value_of(short_.expanded(side), constant);
    product += (product.empty() ? "" : "*") +
               (number ? std::to_string(*number) : "(" + formula_of(side) + ")");
  }
  return product;
}

}  // namespace rooftune::scaffold
