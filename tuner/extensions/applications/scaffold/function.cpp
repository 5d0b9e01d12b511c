#include "scaffold/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/error.h"

namespace rooftune::scaffold {
namespace {

using Words = std::vector<std::string>;

constexpr const char* complex_class = "complex";  ///< of std
constexpr const char* plain_function =
    "name a function of numbers and pointers to numbers, such as one that calls this one: "
    "void kernel(int n, const double* u, double* next)";

const std::set<std::string_view>& ignored_words() {
  static const std::set<std::string_view> all = {
      "static",     "inline",   "constexpr",    "extern",     "struct",   "register",
      "__restrict", "restrict", "__restrict__", "__inline__", "volatile", "std"};
  return all;
}

/// A name in capitals behind a type is a macro such as RESTRICT.
bool is_macro(std::string_view word) {
  return word.size() > 1 && std::ranges::none_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

/// What names of the file stand for: `constexpr int N = 64;`, `#define N 64`, `using real =
/// double;` and `typedef double real;`.
std::map<std::string, std::string> names_in(const Tokens& tokens) {
  std::map<std::string, std::string> names;
  const auto add = [&](const Token& name, const Tokens& from, std::size_t begin, std::size_t end) {
    if (begin < end) names[std::string(name.text)] = joined(from, begin, end);
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& one = tokens[i];
    if (const Tokens macro = macro_of(one); macro[1].begin > macro[0].end())
      add(macro[0], macro, 1, macro.size());
    if (one.is("using") && tokens[i + 2].is("="))
      add(tokens[i + 1], tokens, i + 3, first_of(tokens, i, tokens.size(), {";"}));
    if (one.is("typedef")) {
      const std::size_t end = first_of(tokens, i, tokens.size(), {";"});
      add(tokens[end - 1], tokens, i + 1, end - 1);
    }
    if (!one.is("const") && !one.is("constexpr")) continue;
    std::size_t at = i + 1;
    while (tokens[at].is_word() || tokens[at].is("::")) ++at;
    if (tokens[at].is("="))
      add(tokens[at - 1], tokens, at + 1, first_of(tokens, at, tokens.size(), {";", ","}));
  }
  return names;
}

/// nullopt for one that is no number.
std::optional<ElementType> number_type(const Words& words) {
  const auto has = [&](const char* word) { return std::ranges::count(words, word) > 0; };
  static const std::map<std::string, Element> others = {
      {"_Bool", Element::boolean},     {"size_t", Element::uint64},
      {"ptrdiff_t", Element::int64},   {"ssize_t", Element::int64},
      {"float64_t", Element::float64}, {"_Float16", Element::half},
      {"float32_t", Element::float32}, {"__bf16", Element::bfloat16}};
  static const std::set<std::string> parts = {"signed", "unsigned", "char",  "short",
                                              "int",    "long",     "double"};
  if (words.size() == 2 && (has(complex_class) || has("_Complex"))) {
    if (has("float")) return Element::complex_float;
    if (has("double")) return Element::complex_double;
  }
  if (words.size() == 1) {
    if (const auto found = others.find(words[0]); found != others.end()) return found->second;
    const std::string& word = words[0];
    if (const auto named =
            ElementType::named(word.ends_with("_t") ? word.substr(0, word.size() - 2) : word))
      return named;
  }
  if (words.empty() || !std::ranges::all_of(words, [&](auto& one) { return parts.contains(one); }))
    return std::nullopt;
  if (has("double"))
    return has("long") ? std::nullopt : std::optional<ElementType>(Element::float64);
  const int bits = has("char") ? 8 : has("short") ? 16 : has("long") ? 64 : 32;
  return ElementType::named(fmt::format("{}int{}", has("unsigned") ? "u" : "", bits));
}

class Finder {
 public:
  Finder(const Tokens& tokens, std::string_view source, const std::string& file)
      : tokens_(tokens), source_(source), file_(file), names_(names_in(tokens)) {}

  FunctionSource find(const std::string& wanted) {
    std::vector<FunctionSource> found;
    Words names, scopes;
    std::size_t begin = 0;  // of the declaration
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& one = tokens_[i];
      if (one.is(";") || one.kind == Token::Kind::directive) begin = i + 1;
      if (one.is("}")) {
        if (!scopes.empty()) scopes.pop_back();
        begin = i + 1;
      }
      if (one.is("{")) {
        if (const auto scope = scope_of(begin, i)) {
          scopes.push_back(*scope);
        } else {
          i = closing(tokens_, i);
        }
        begin = i + 1;
      }
      const std::size_t body = one.is_word() ? body_of(i) : 0;
      if (body == 0) continue;
      std::string scope;
      for (const std::string& part : scopes) scope += part.empty() ? "" : part + "::";
      const std::string name(one.text);
      names.push_back(scope + name);
      if (name == wanted || scope + name == wanted) {
        FunctionSource function;
        function.name = name;
        function.scope = scope;
        function.open = body;
        function.close = closing(tokens_, body);
        read(function, begin, i);
        found.push_back(std::move(function));
      }
      i = closing(tokens_, body);
      begin = i + 1;
    }
    if (found.empty())
      throw Error(fmt::format("defines no function \"{}\" outside of classes", wanted), file_,
                  did_you_mean(wanted, names));
    if (found.size() > 1)
      throw Error(fmt::format("defines {} functions \"{}\"", found.size(), wanted), file_,
                  "give one of them a name of its own");
    return found.front();
  }

 private:
  /// Of a `{` behind the tokens from `begin`: the name of a namespace, empty for extern "C".
  std::optional<std::string> scope_of(std::size_t begin, std::size_t brace) const {
    if (begin >= brace) return std::nullopt;
    const std::size_t first = begin + (tokens_[begin].is("inline") ? 1 : 0);
    if (tokens_[first].is("namespace")) return joined(tokens_, first + 1, brace);
    if (tokens_[first].is("extern") && brace == first + 2) return "";
    return std::nullopt;
  }

  /// The `{` of a function whose name is at `name`; 0: it is none.
  std::size_t body_of(std::size_t name) const {
    if (name == 0 || name + 1 >= tokens_.size() || !tokens_[name + 1].is("(")) return 0;
    const Token& before = tokens_[name - 1];
    if (!before.is_word() && !before.is("*") && !before.is("&") && !before.is("]")) return 0;
    std::size_t at = closing(tokens_, name + 1) + 1;
    while (at < tokens_.size() && tokens_[at].is("noexcept")) ++at;
    return at < tokens_.size() && tokens_[at].is("{") ? at : 0;
  }

  std::string place(std::size_t token) const {
    return fmt::format("{}:{}", file_, line_of(source_, tokens_[token].begin));
  }

  void read(FunctionSource& function, std::size_t begin, std::size_t name) const {
    if (tokens_[begin].is("template"))
      throw Error(fmt::format("\"{}\" is a template", function.name), place(begin),
                  "name a function that calls one instance of it");
    const auto returned = type_of(begin, name, function.name + "()", true);
    if (!returned.c_type.empty()) function.returns = returned;
    for (const auto& [from, to] : parts_of(tokens_, name + 1))
      if (!(to == from + 1 && tokens_[from].is("void")))
        function.parameters.push_back(parameter(from, to, function.parameters.size() + 1));
    if (function.parameters.empty())
      throw Error(fmt::format("\"{}\" has no parameters", function.name), place(name),
                  plain_function);
    function.constants = names_;
  }

  FunctionParameter parameter(std::size_t from, std::size_t to, std::size_t number) const {
    // Before a default, before its sides.
    const std::size_t end = first_of(tokens_, from, to, {"="}),
                      last = first_of(tokens_, from, end, {"["});
    const std::string last_word(tokens_[last - 1].text);
    // Unnamed where the last word is of the type.
    const bool named =
        last > from + 1 && tokens_[last - 1].is_word() && !number_type(resolved({last_word}));
    const std::string name = named ? last_word : fmt::format("argument_{}", number);
    FunctionParameter result = type_of(from, named ? last - 1 : last, "\"" + name + "\"", false);
    result.name = name;
    for (std::size_t i = last; i < end; i = closing(tokens_, i) + 1) {
      result.array = true;
      result.sides.push_back(joined(tokens_, i + 1, closing(tokens_, i)));
    }
    return result;
  }

  Words resolved(Words words) const {
    for (int depth = 0; depth < 8 && words.size() == 1; ++depth) {
      const auto alias = names_.find(words[0]);
      if (alias == names_.end()) break;
      words.clear();
      for (const Token& one : tokens_of(alias->second))
        if (one.is_word() && !one.is("std") && !one.is("const")) words.emplace_back(one.text);
    }
    return words;
  }

  /// The type of the tokens [from, to); `what` has it.
  FunctionParameter type_of(std::size_t from, std::size_t to, const std::string& what,
                            bool returned) const {
    FunctionParameter result;
    Words words;
    int stars = 0;
    bool plain = true;
    for (std::size_t i = from; i < to; ++i) {
      const Token& one = tokens_[i];
      if (one.is("const")) {
        result.constant = result.constant || stars == 0;
      } else if (one.is("*")) {
        ++stars;
      } else if (one.is("&")) {
        result.reference = true;
      } else if (one.is_word()) {
        const bool type = !ignored_words().contains(one.text) &&
                          !(is_macro(one.text) && (stars > 0 || !words.empty()));
        if (type) words.emplace_back(one.text);
      } else {
        const bool of_complex = words == Words{complex_class} ? one.is("<") : one.is(">");
        plain = plain && (one.is("::") || one.kind == Token::Kind::literal || of_complex);
      }
    }
    if (returned && words == Words{"void"} && stars == 0) return result;
    words = resolved(words);
    const auto type = plain ? number_type(words) : std::nullopt;
    if (!type || stars > 1 || (returned && (stars > 0 || result.reference)) ||
        (stars == 1 && result.reference))
      throw Error(fmt::format("{} {} is a {}{}, and a kernel takes numbers and arrays of them",
                              returned ? "the result of" : "parameter", what,
                              joined(tokens_, from, to), stars > 1 ? " (an array of arrays)" : ""),
                  place(from), plain_function);
    result.type = *type;
    result.c_type = words[0] == complex_class ? "std::complex<" + words[1] + ">"
                                              : fmt::format("{}", fmt::join(words, " "));
    result.array = stars == 1;
    return result;
  }

  const Tokens& tokens_;
  std::string_view source_;
  std::string file_;
  std::map<std::string, std::string> names_;
};

}  // namespace

FunctionSource function_in(const Tokens& tokens, std::string_view source, const std::string& file,
                           const std::string& name) {
  return Finder(tokens, source, file).find(name);
}

}  // namespace rooftune::scaffold
