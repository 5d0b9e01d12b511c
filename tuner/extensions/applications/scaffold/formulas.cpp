#include "scaffold/formulas.h"

#include "core/error.h"
#include "scaffold/syntax.h"

namespace rooftune::scaffold {

std::string formula_of(const std::string& text, const Expression::Lookup& lookup) {
  constexpr const char* types = "int long size_t std :: int64_t ptrdiff_t unsigned const";
  const Syntax source(text);
  std::string formula;
  for (size_t i = 0; i < source.size(); ++i) {
    const Token& one = source[i];
    size_t end = i + 1;
    while (end < source.size() && source.is(end, types)) ++end;
    if (one.is("(") && end > i + 1 && source.is(end, ")")) {
      i = end;  // a cast
      continue;
    }
    if (one.is("static_cast"))
      while (i + 1 < source.size() && !source.is(i + 1, "(")) ++i;
    // A * that reads the number behind a pointer.
    const bool reads =
        one.is("*") && source[i + 1].is_word() &&
        (i == 0 || (source[i - 1].kind == Token::Kind::mark && !source.is(i - 1, ") ]")));
    if (reads || one.is("static_cast") || one.is(types)) continue;
    std::string part(one.text);
    if (one.kind == Token::Kind::number) part = part.substr(0, part.find_first_of("uUlL"));
    const auto value = one.is_word() && lookup ? lookup(part) : std::nullopt;
    join(formula, value ? to_text(*value) : one.is("/") ? "//" : part, " ");
  }
  return formula;
}

std::optional<int64_t> value_of(const std::string& text, const Expression::Lookup& lookup) {
  try {
    const Value value = Expression::parse(formula_of(text)).evaluate(lookup);
    if (value.is_number() && !value.is_real()) return value.integer();
  } catch (const Error&) {
  }
  return std::nullopt;
}

Expression::Lookup values_in(const NamedTexts& meanings, int depth) {
  return [&meanings, depth](const std::string& name) -> std::optional<Value> {
    const auto* meaning = depth > 0 ? value_at(meanings, name) : nullptr;
    const auto number = meaning ? value_of(*meaning, values_in(meanings, depth - 1)) : std::nullopt;
    return number ? std::optional(Value(*number)) : std::nullopt;
  };
}

std::string formula_for(int64_t count, const Texts& texts, const Sizes& sizes) {
  for (const std::string& text : texts)
    if (value_of(text, lookup_in(sizes)) == count) return formula_of(text);
  return std::to_string(count);
}

}  // namespace rooftune::scaffold
