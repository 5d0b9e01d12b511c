#include "scaffold/parameter.h"

#include <fmt/format.h>

#include <optional>

#include "scaffold/formulas.h"

namespace rooftune::scaffold {
namespace {

constexpr const char *complex_class = "complex", *vector_class = "vector";  ///< of std

constexpr std::string_view ignored_words =
    "static inline constexpr extern struct register __restrict restrict __restrict__ __inline__ "
    "volatile std const";

/// The type that the words spell; nullopt: no number.
std::optional<ElementType> number_type(const Texts& words) {
  static const ByName<Element> others = {{"_Bool", Element::boolean},
                                         {"size_t", Element::uint64},
                                         {"ptrdiff_t", Element::int64},
                                         {"ssize_t", Element::int64},
                                         {"intptr_t", Element::int64},
                                         {"uintptr_t", Element::uint64},
                                         {"float64_t", Element::float64},
                                         {"float32_t", Element::float32},
                                         {"_Float16", Element::half},
                                         {"__bf16", Element::bfloat16},
                                         {"complex float", Element::complex_float},
                                         {"complex double", Element::complex_double},
                                         {"_Complex float", Element::complex_float},
                                         {"_Complex double", Element::complex_double},
                                         {"float _Complex", Element::complex_float},
                                         {"double _Complex", Element::complex_double}};
  const std::string all = joined(words, " ");
  if (const auto* found = value_at(others, all)) return *found;
  const auto named = ElementType::named(all.ends_with("_t") ? all.substr(0, all.size() - 2) : all);
  const bool spelt = !all.empty() && all_of(words, [](const std::string& one) {
    return is_among(one, "signed unsigned char short int long");
  });
  if (named || !spelt) return named;
  const auto has = [&](const char* word) { return contains(words, word); };
  const int bits = has("char") ? 8 : has("short") ? 16 : has("long") ? 64 : 32;
  return ElementType::named(fmt::format("{}int{}", has("unsigned") ? "u" : "", bits));
}

/// What the words stand for, where that is one word with a meaning.
Texts resolved(Texts words, const NamedTexts& meanings) {
  for (int depth = 0; depth < 8 && words.size() == 1; ++depth) {
    const auto* meaning = value_at(meanings, words[0]);
    if (!meaning) break;
    words.clear();
    for (const Token& one : build::tokens_of(*meaning))
      if (one.is_word() && !one.is("std const")) words.emplace_back(one.text);
  }
  return words;
}

}  // namespace

FunctionParameter typed(const Syntax& source, const Ranges& ranges, const NamedTexts& meanings) {
  FunctionParameter one;
  Texts words;
  size_t stars = 0;
  bool plain = true;
  for (const auto& [begin, end] : ranges) {
    one.spelling += source.spelt(begin, end);
    for (size_t i = begin; i < end; ++i) {
      const Token& part = source[i];
      const bool of_class = !words.empty() && is_among(words[0], "complex vector");
      one.constant = one.constant || (part.is("const") && stars == 0);
      one.reference = one.reference || part.is("&");
      if (part.is("*")) ++stars;
      if (part.is_word() && !part.is(ignored_words)) words.emplace_back(part.text);
      plain = plain && (part.is_word() || part.is("* & ::") || (of_class && part.is("< >")) ||
                        part.kind == Token::Kind::literal);
    }
  }
  words = resolved(words, meanings);
  if (words.size() > 1 && words[0] == vector_class && stars == 0) {
    one.form = Form::vector;
    one.reference = false;
    words = resolved({words.begin() + 1, words.end()}, meanings);
  }
  one.array = stars > 0 || one.form == Form::vector;
  if (stars > 1) one.form = Form::rows;
  const bool complex = words.size() == 2 && words[0] == complex_class;
  one.c_type = complex ? fmt::format("std::complex<{}>", words[1]) : joined(words, " ");
  const auto type = plain ? number_type(words) : std::nullopt;
  one.fits = type && stars < 3 && (stars == 0 || !one.reference);
  if (stars > 2) one.spelling += " (an array of arrays)";
  one.type = type.value_or(one.type);
  return one;
}

std::string FunctionParameter::declaration() const {
  const std::string base = (constant && array ? "const " : "") + c_type;
  if (sides.size() > 1) return fmt::format("{} (*{}){}", base, name, inner_sides());
  return fmt::format("{} {}{}", base, array ? "*" : reference ? "&" : "", name);
}

std::string FunctionParameter::inner_sides() const {
  std::string all;
  for (size_t i = 1; i < sides.size(); ++i) all += "[" + sides[i] + "]";
  return all;
}

FunctionParameters declared(const Syntax& source, Range range, const NamedTexts& meanings) {
  FunctionParameters all;
  Range shared;  // the type in front of all names
  for (const auto& [from, to] : source.parts(range)) {
    // Ends before a value, and before the brackets.
    const size_t end = source.find(from, to, "= {"), side = source.find(from, end, "[");
    const size_t last = std::max(side, from + 1) - 1;
    // Unnamed where the last word belongs to the type.
    const bool named = (!all.empty() || last > from) && source[last].is_word() &&
                       !number_type(resolved({std::string(source[last].text)}, meanings));
    const Range own{from, named ? last : side};
    FunctionParameter one =
        all.empty() ? typed(source, {own}, meanings) : typed(source, {shared, own}, meanings);
    if (all.empty()) shared = {from, source.find(from, own.second, "* &")};
    if (named) one.name = source[last].text;
    const bool pointers = one.array && one.form == Form::plain;
    if (side < end && pointers) one.form = Form::rows;
    one.array = one.array || side < end;
    for (size_t i = side; i < end && one.form != Form::rows; i = source.partner(i) + 1)
      one.sides.push_back(source.spelt(i + 1, source.partner(i)));
    all.push_back(std::move(one));
  }
  return all;
}

std::string elements(const Texts& sides, const NamedTexts& meanings) {
  if (sides.empty() || contains(sides, std::string())) return {};
  const Expression::Lookup lookup = values_in(meanings);
  std::string product;
  for (const std::string& side : sides) {
    const auto number = value_of(side, lookup);
    join(product, number ? std::to_string(*number) : "(" + formula_of(side, lookup) + ")", "*");
  }
  return product;
}

}  // namespace rooftune::scaffold
