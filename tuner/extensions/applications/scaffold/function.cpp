#include "scaffold/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "scaffold/finder.h"

namespace rooftune::scaffold {
namespace {

constexpr const char *complex_class = "complex", *vector_class = "vector";  ///< std's

constexpr std::string_view ignored_words =
    "static inline constexpr extern struct register __restrict restrict __restrict__ __inline__ "
    "volatile std";

/// The type that the words spell; nullopt: no number.
std::optional<ElementType> number_type(const Texts& words) {
  const auto has = [&](const char* word) { return contains(words, word); };
  static const ByName<Element> others = {
      {"_Bool", Element::boolean},     {"size_t", Element::uint64},
      {"ptrdiff_t", Element::int64},   {"ssize_t", Element::int64},
      {"intptr_t", Element::int64},    {"uintptr_t", Element::uint64},
      {"float64_t", Element::float64}, {"_Float16", Element::half},
      {"float32_t", Element::float32}, {"__bf16", Element::bfloat16}};
  if (words.size() == 2 && (has(complex_class) || has("_Complex"))) {
    if (has("float")) return Element::complex_float;
    if (has("double")) return Element::complex_double;
  }
  if (words.size() == 1) {
    if (const auto* found = value_at(others, words[0])) return *found;
    const std::string& word = words[0];
    if (const auto named =
            ElementType::named(word.ends_with("_t") ? word.substr(0, word.size() - 2) : word))
      return named;
  }
  const auto is_part = [](const std::string& one) {
    return is_among(one, "signed unsigned char short int long double");
  };
  if (words.empty() || !all_of(words, is_part)) return std::nullopt;
  if (has("double"))
    return has("long") ? std::nullopt : std::optional<ElementType>(Element::float64);
  const int bits = has("char") ? 8 : has("short") ? 16 : has("long") ? 64 : 32;
  return ElementType::named(fmt::format("{}int{}", has("unsigned") ? "u" : "", bits));
}

}  // namespace

std::string FunctionParameter::declaration() const {
  const std::string base = (constant && array ? "const " : "") + c_type;
  std::string inner;
  for (size_t i = 1; i < sides.size(); ++i) inner += "[" + sides[i] + "]";
  if (!inner.empty()) return fmt::format("{} (*{}){}", base, name, inner);
  return fmt::format("{} {}{}", base, array ? "*" : reference ? "&" : "", name);
}

FunctionSource Finder::find(const std::string& given) {
  std::string wanted = given;
  // "Stream<float>::copy", "scale<double, 4>".
  if (const size_t open = given.find('<'); open != given.npos) {
    const size_t close = std::max(given.rfind('>'), open);
    for (const Token& one : tokens_of(std::string_view(given).substr(open + 1, close - open - 1)))
      if (!one.is(",")) given_.emplace_back(one.text);
    wanted = given.substr(0, open) + given.substr(std::min(close + 1, given.size()));
  }
  std::vector<const Declaration*> found;
  Texts names, places;
  for (const Declaration& one : declarations_) {
    if (one.body == 0) continue;
    const std::string name(tokens_[one.name].text), of_class = class_name(one);
    names.push_back(one.scope + of_class + name);
    if (name == wanted || names.back() == wanted || of_class + name == wanted ||
        is_around(one, wanted)) {
      found.push_back(&one);
      places.push_back(place(one.name));
    }
  }
  if (found.empty()) throw absent(wanted, names);
  if (found.size() > 1)
    throw Error(
        fmt::format("defines {} functions \"{}\": {}", found.size(), wanted, joined(places)), file_,
        fmt::format("name one by its line, {}", places.front()));
  return read(*found.front());
}

bool Finder::is_around(const Declaration& one, const std::string& number) const {
  if (!is_only_of(number, "0123456789")) return false;
  const auto first = source_.at(tokens_[one.begin].begin),
             last = source_.at(tokens_[one.end - 1].begin);
  const int64_t line = std::stoll(number);
  return first.file == last.file && first.file == file_ && first.number <= line &&
         line <= last.number;
}

Error Finder::absent(const std::string& wanted, const Texts& names) const {
  const std::string last = wanted.substr(wanted.rfind(':') + 1);
  for (size_t i = 1; i + 1 < tokens_.size(); ++i)
    if (tokens_[i].is(last) && tokens_[i + 1].is("(") && tokens_[i - 1].is_word() &&
        tokens_[closing(tokens_, i + 1) + 1].is("{"))
      return {fmt::format("\"{}\" is a function of a class", wanted), place(i),
              capture_of(last, i + 1)};
  std::string hint = did_you_mean(wanted, names);
  if (is_file(file_) && contains(read_text(file_), last))
    hint = fmt::format(
        "the file has the word: is it behind an #if? --cxxflags \"-D...\" gives "
        "the flags of its own build; {}",
        hint);
  return {fmt::format("defines no function \"{}\" outside of classes", wanted), file_, hint};
}

std::string Finder::capture_of(const std::string& name, size_t open) const {
  Texts given;
  for (const auto& [from, to] : parts_of(tokens_, open)) {
    const size_t end = first_of(tokens_, from, to, "= [");
    const std::string one(tokens_[end - 1].text);
    const bool array = end < to || first_of(tokens_, from, to, "*") < to;
    given.push_back(array ? fmt::format("ROOFTUNE_ARRAY({}, COUNT)", one) : one);
  }
  return fmt::format(
      "capture a call of it where your application makes one, with numbers and arrays in place "
      "of objects: #include <rooftune/capture.h> and ROOFTUNE_CAPTURE(1, {}, {}); then tune new "
      "NAME --from capture",
      name, joined(given));
}

FunctionSource Finder::read(const Declaration& one) {
  function_.name = tokens_[one.name].text;
  function_.scope = one.scope;
  function_.open = one.body;
  function_.close = closing(tokens_, one.body);
  const std::string hint = capture_of(function_.name, one.name + 1);
  const size_t begin = tokens_[one.begin].is("template") ? instantiate(one.begin) : one.begin;
  const size_t of_class = class_of(one);
  try {
    const auto returned =
        type_of(begin, of_class > 0 ? of_class : one.name, function_.name + "()", true);
    if (!returned.c_type.empty()) function_.returns = returned;
    for (const auto& [from, to] : parts_of(tokens_, one.name + 1))
      if (!(to == from + 1 && tokens_[from].is("void"))) take_parameter(from, to);
    if (of_class > 0) take_members(one, of_class);
  } catch (const Error& error) {
    throw Error(error.message(), error.where(), hint);
  }
  function_.constants = names_;
  keep_reached(one);
  if (function_.parameters.empty())
    throw Error(fmt::format("\"{}\" has no parameters and no arrays of the file", function_.name),
                place(one.name), "name a function of numbers and arrays of numbers");
  return std::move(function_);
}

void Finder::settle(FunctionParameter& one, size_t from, size_t to) {
  bool numbers = one.array && one.sides.empty() && one.form == FunctionParameter::Form::plain,
       used = false;
  for (size_t i = function_.open; i < function_.close; ++i) {
    if (!tokens_[i].is(one.name) || tokens_[i - 1].is(". ->")) continue;
    used = true;
    const Token& next = tokens_[i + 1];
    numbers = numbers && tokens_[i - 1].is("*") && !tokens_[i - 2].is_word() &&
              !tokens_[i - 2].is(") ]") && !next.is("[ =") && !next.text.ends_with("=") &&
              !next.is("++");
    if (one.c_type != "void" || !tokens_[i - 1].is(")")) continue;
    size_t open = i - 1;
    while (open > function_.open && closing(tokens_, open) != i - 1) --open;
    size_t end = open + 1;
    while (tokens_[end].is_word()) ++end;
    const auto cast = type_of(open + 1, end, "\"" + one.name + "\"", false);
    one.type = cast.type;
    one.c_type = cast.c_type;
  }
  if (one.c_type == "void")
    throw Error(fmt::format("parameter \"{}\" is a {}, and no cast tells of what", one.name,
                            spelt(tokens_, from, to)),
                place(from));
  if (numbers && used) {
    one.address = true;
    one.array = false;
    one.constant = true;
  }
}

FunctionParameter Finder::parameter(size_t from, size_t to, size_t number) const {
  // Ends before a default value, and before the brackets.
  const size_t end = first_of(tokens_, from, to, "="), last = first_of(tokens_, from, end, "[");
  const std::string last_word(tokens_[last - 1].text);
  // Unnamed where the last word belongs to the type.
  const bool named =
      last > from + 1 && tokens_[last - 1].is_word() && !number_type(resolved({last_word}));
  const std::string name = named ? last_word : fmt::format("argument_{}", number);
  FunctionParameter result = type_of(from, named ? last - 1 : last, "\"" + name + "\"", false);
  result.name = name;
  // "double* a[]" is an array of rows, too.
  const auto type = result.form;
  if (result.array && last < end) result.form = FunctionParameter::Form::rows;
  for (size_t i = last; i < end && result.form == type; i = closing(tokens_, i) + 1) {
    result.array = true;
    result.sides.push_back(spelt(tokens_, i + 1, closing(tokens_, i)));
  }
  return result;
}

Texts Finder::resolved(Texts words) const {
  for (int depth = 0; depth < 8 && words.size() == 1; ++depth) {
    const auto* alias = value_at(names_, words[0]);
    if (!alias) break;
    words.clear();
    for (const Token& one : tokens_of(*alias))
      if (one.is_word() && !one.is("std const")) words.emplace_back(one.text);
  }
  return words;
}

FunctionParameter Finder::type_of(size_t from, size_t to, const std::string& what,
                                  bool returned) const {
  FunctionParameter result;
  Texts words;
  int stars = 0;
  bool plain = true;
  for (size_t i = from; i < to; ++i) {
    const Token& one = tokens_[i];
    if (one.is("const")) {
      result.constant = result.constant || stars == 0;
    } else if (one.is("*")) {
      ++stars;
    } else if (one.is("&")) {
      result.reference = true;
    } else if (one.is_word()) {
      if (!one.is(ignored_words)) words.emplace_back(one.text);
    } else {
      const bool of_complex =
          words == Texts{complex_class} || words == Texts{vector_class} ? one.is("<") : one.is(">");
      plain = plain && (one.is("::") || one.kind == Token::Kind::literal || of_complex);
    }
  }
  if (returned && words == Texts{"void"} && stars == 0) return result;
  words = resolved(words);
  if (!returned && words == Texts{"void"} && stars == 1) {
    result.c_type = "void";
    result.array = true;
    return result;
  }
  const bool vector = !returned && words.size() > 1 && words[0] == vector_class && stars == 0;
  if (vector) words = resolved({words.begin() + 1, words.end()});
  const auto type = plain ? number_type(words) : std::nullopt;
  if (!type || stars > 2 || (returned && (stars > 0 || result.reference)) ||
      (stars == 1 && result.reference))
    throw Error(fmt::format("{} {} is a {}{}, and a kernel takes numbers and arrays of them",
                            returned ? "the result of" : "parameter", what,
                            spelt(tokens_, from, to), stars > 2 ? " (an array of arrays)" : ""),
                place(from));
  result.type = *type;
  result.c_type = words[0] == complex_class ? "std::complex<" + words[1] + ">" : joined(words, " ");
  using Form = FunctionParameter::Form;
  result.form = vector ? Form::vector : stars > 1 ? Form::rows : Form::plain;
  result.array = stars > 0 || vector;
  if (vector) result.reference = false;
  return result;
}
FunctionSource function_in(const Tokens& tokens, const SourceText& source, const std::string& file,
                           const std::string& name) {
  return Finder(tokens, source, file).find(name);
}

}  // namespace rooftune::scaffold
