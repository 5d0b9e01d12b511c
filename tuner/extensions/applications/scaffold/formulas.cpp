#include "scaffold/formulas.h"

#include <optional>

#include "core/error.h"
#include "core/list.h"
#include "core/text.h"
#include "scaffold/cpp_tokens.h"

namespace rooftune::scaffold {

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
    // A * that reads the number behind a pointer.
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

std::optional<int64_t> value_of(const std::string& text, const Expression::Lookup& lookup) {
  try {
    const Value value = Expression::parse(formula_of(text)).evaluate(lookup);
    if (value.is_number() && !value.is_real()) return value.integer();
  } catch (const Error&) {
  }
  return std::nullopt;
}

std::string formula_for(int64_t count, const Texts& texts, const Sizes& sizes) {
  for (const std::string& text : texts)
    if (value_of(text, lookup_in(sizes)) == count) return std::string(trimmed(formula_of(text)));
  return std::to_string(count);
}

}  // namespace rooftune::scaffold
