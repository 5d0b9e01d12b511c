#include "scaffold/short_functions.h"

namespace rooftune::scaffold {
namespace {

/// A formula with more letters is none.
constexpr std::size_t longest = 10'000;

/// The ranges of tokens between commas, from behind the bracket at `open`.
std::vector<std::pair<std::size_t, std::size_t>> parts_of(const Tokens& tokens, std::size_t open) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  const std::size_t close = closing(tokens, open);
  std::size_t begin = open + 1;
  for (std::size_t i = begin; i <= close; ++i) {
    if (i == close || tokens[i].is(",")) {
      if (begin < i) parts.emplace_back(begin, i);
      begin = i + 1;
    } else if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = closing(tokens, i);
    }
  }
  return parts;
}

}  // namespace

void ShortFunctions::add(const std::string& name, const Tokens& tokens, std::size_t open,
                         std::string result) {
  Function function;
  // The last word of each: its name.
  for (const auto& [begin, end] : parts_of(tokens, open))
    function.parameters.emplace_back(tokens[end - 1].text);
  function.result = "(" + std::move(result) + ")";
  functions_[name] = std::move(function);
}

ShortFunctions::ShortFunctions(const Tokens& tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind == Token::Kind::directive) {
      const Tokens parts = tokens_of(tokens[i].text.substr(1));
      if (parts.size() > 4 && parts[0].is("define") && parts[2].is("(") &&
          parts[2].begin == parts[1].end())
        add(std::string(parts[1].text), parts, 2,
            joined(parts, closing(parts, 2) + 1, parts.size()));
      continue;
    }
    if (!tokens[i].is_word()) continue;
    std::size_t open = i + 1;
    if (tokens[open].is("=") && open + 1 < tokens.size() && tokens[open + 1].is("["))
      open = closing(tokens, open + 1) + 1;
    if (open >= tokens.size() || !tokens[open].is("(")) continue;
    std::size_t body = closing(tokens, open) + 1;
    while (body < tokens.size() && (tokens[body].is("noexcept") || tokens[body].is("const")))
      ++body;
    if (body + 1 >= tokens.size() || !tokens[body].is("{") || !tokens[body + 1].is("return"))
      continue;
    const std::size_t end = closing(tokens, body);
    if (tokens[end - 1].is(";"))
      add(std::string(tokens[i].text), tokens, open, joined(tokens, body + 2, end - 1));
  }
}

std::string ShortFunctions::once(const std::string& text) const {
  const Tokens tokens = tokens_of(text);
  std::string result;
  for (std::size_t i = 0; i < tokens.size() && result.size() <= longest; ++i) {
    const auto function = functions_.find(std::string(tokens[i].text));
    if (function == functions_.end() || i + 1 >= tokens.size() || !tokens[i + 1].is("(")) {
      result += std::string(tokens[i].text) + " ";
      continue;
    }
    const auto given = parts_of(tokens, i + 1);
    const Function& called = function->second;
    for (const Token& one : tokens_of(called.result)) {
      std::string part(one.text);
      for (std::size_t k = 0; k < called.parameters.size() && k < given.size(); ++k)
        if (one.is(called.parameters[k]))
          part = "(" + joined(tokens, given[k].first, given[k].second) + ")";
      result += part + " ";
    }
    i = closing(tokens, i + 1);
  }
  return result;
}

std::string ShortFunctions::expanded(const std::string& text) const {
  constexpr int deepest = 4;
  std::string result = text;
  for (int depth = 0; depth < deepest; ++depth) {
    std::string next = once(result);
    if (next == result || next.size() > longest) break;
    result = std::move(next);
  }
  return result;
}

}  // namespace rooftune::scaffold
