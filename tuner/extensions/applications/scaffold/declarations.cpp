#include "scaffold/declarations.h"

#include <algorithm>
#include <optional>

#include "core/list.h"

namespace rooftune::scaffold {
namespace {

/// The name of the namespace that opens at `brace`, empty for extern "C"; nullopt: another brace.
std::optional<std::string> scope_of(const Tokens& tokens, size_t begin, size_t brace) {
  if (begin >= brace) return std::nullopt;
  const size_t first = begin + (tokens[begin].is("inline") ? 1 : 0);
  if (tokens[first].is("namespace")) return spelt(tokens, first + 1, brace);
  if (tokens[first].is("extern") && brace == first + 2) return "";
  return std::nullopt;
}

/// The token that names the function declared in [begin, end); 0: none is.
size_t function_name(const Tokens& tokens, size_t begin, size_t end) {
  for (size_t at = begin; at < end; ++at) {
    at = first_of(tokens, at, end, "( = [");
    if (at >= end || !tokens[at].is("(") || at == begin) return 0;
    const Token& before = tokens[at - 1];
    if (!before.is("__attribute__ alignas __declspec")) return before.is_word() ? at - 1 : 0;
    at = closing(tokens, at);
  }
  return 0;
}

/// Names that [begin, end) declares apart from functions: words in front of certain marks.
TextSet declared_names(const Tokens& tokens, size_t begin, size_t end) {
  TextSet names;
  const auto add = [&](const Token& one) {
    if (one.is_word() && !one.is("template")) names.emplace(one.text);
  };
  const bool lists = tokens[begin].is("enum") || tokens[begin + 1].is("enum");
  for (size_t at = begin; at < end; ++at) {
    const Token& one = tokens[at];
    const bool ends = one.is("; , = [ { : <");
    if (ends && at > begin) add(tokens[at - 1]);
    if (one.is("typedef extern")) continue;
    if (!one.is("( [ {")) continue;
    const size_t close = closing(tokens, at);
    if (one.is("(") || (lists && one.is("{")))
      for (size_t i = at; i < close; ++i) add(tokens[i]);
    at = close;
  }
  return names;
}

}  // namespace

std::vector<Declaration> declarations_in(const Tokens& tokens) {
  std::vector<Declaration> all;
  Texts scopes;
  size_t begin = 0;
  const auto add = [&](size_t end, size_t body) {
    Declaration one{begin, end, {}, {}, function_name(tokens, begin, body > 0 ? body : end), body};
    for (const std::string& part : scopes) one.scope += part.empty() ? "" : part + "::";
    if (one.name > 0 && !tokens[begin].is("typedef"))
      one.names = {std::string(tokens[one.name].text)};
    else
      one.names = declared_names(tokens, begin, end);
    begin = end;
    if (one.end > one.begin + 1) all.push_back(std::move(one));
  };
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& one = tokens[i];
    if (one.kind == Token::Kind::directive && begin == i) begin = i + 1;
    if (one.is(";")) add(i + 1, 0);
    if (one.is("}")) {
      if (!scopes.empty()) scopes.pop_back();
      begin = i + 1;
    }
    if (one.is("( [")) i = closing(tokens, i);
    if (!one.is("{")) continue;
    if (const auto scope = scope_of(tokens, begin, i)) {
      scopes.push_back(*scope);
      begin = i + 1;
      continue;
    }
    const bool function = function_name(tokens, begin, i) > 0;
    const size_t open = i;
    i = closing(tokens, i);
    if (function) add(i + 1, open);
  }
  return all;
}

size_t statement_end(const Tokens& tokens, size_t at) {
  if (at >= tokens.size()) return tokens.size();
  if (tokens[at].is("{")) return closing(tokens, at) + 1;
  const bool headed = tokens[at].is("for if while");
  if (headed && at + 1 < tokens.size()) {
    size_t end = statement_end(tokens, closing(tokens, at + 1) + 1);
    if (tokens[at].is("if") && end < tokens.size() && tokens[end].is("else"))
      end = statement_end(tokens, end + 1);
    return end;
  }
  return std::min(first_of(tokens, at, tokens.size(), ";") + 1, tokens.size());
}

NamedTexts names_in(const Tokens& tokens) {
  NamedTexts names;
  const auto add = [&](const Token& name, size_t begin, size_t end) {
    if (begin < end) names[std::string(name.text)] = spelt(tokens, begin, end);
  };
  for (const size_t i : indices(tokens)) {
    const Token& one = tokens[i];
    if (one.is("using") && tokens[i + 2].is("="))
      add(tokens[i + 1], i + 3, first_of(tokens, i, tokens.size(), ";"));
    if (one.is("typedef")) {
      const size_t end = first_of(tokens, i, tokens.size(), ";");
      add(tokens[end - 1], i + 1, end - 1);
    }
    if (!one.is("const constexpr")) continue;
    size_t at = i + 1;
    while (tokens[at].is_word() || tokens[at].is("::")) ++at;
    if (tokens[at].is("=")) add(tokens[at - 1], at + 1, first_of(tokens, at, tokens.size(), "; ,"));
  }
  return names;
}

}  // namespace rooftune::scaffold
