// C and C++ as words and marks.
#include <algorithm>
#include <array>
#include <cctype>

#include "build/includes.h"
#include "core/list.h"
#include "scaffold/function.h"

namespace rooftune::scaffold {
namespace {

bool opens(const Token& one) { return one.is("( [ {"); }

/// A formula with more letters is none.
constexpr size_t longest = 10'000;

}  // namespace

size_t closing(const Tokens& tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    const Token& one = tokens[i];
    if (opens(one)) ++depth;
    if (one.is(") ] }") && --depth == 0) return i;
  }
  return tokens.empty() ? 0 : tokens.size() - 1;
}

size_t first_of(const Tokens& tokens, size_t from, size_t end, std::string_view marks) {
  for (; from < end; ++from) {
    if (tokens[from].is(marks)) return from;
    if (opens(tokens[from])) from = closing(tokens, from);
  }
  return end;
}

std::vector<std::pair<size_t, size_t>> parts_of(const Tokens& tokens, size_t open) {
  std::vector<std::pair<size_t, size_t>> parts;
  const size_t close = closing(tokens, open);
  for (size_t begin = open + 1, end = begin; begin < close; begin = end + 1) {
    end = first_of(tokens, begin, close, ",");
    if (begin < end) parts.emplace_back(begin, end);
  }
  return parts;
}

std::string joined(const Tokens& tokens, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    const std::string_view part = tokens[i].text;
    if (!text.empty() && !part.empty() && is_identifier(text.back()) && is_identifier(part.front()))
      text += ' ';
    text += part;
  }
  return text;
}

void ShortFunctions::add(const Token& name, const Tokens& tokens, size_t open,
                         const std::string& result) {
  Function function{{}, "(" + result + ")"};
  // The last word of each: its name.
  for (const auto& [begin, end] : parts_of(tokens, open))
    function.parameters.emplace_back(tokens[end - 1].text);
  functions_[std::string(name.text)] = std::move(function);
}

ShortFunctions::ShortFunctions(const Tokens& tokens) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is_word()) continue;
    size_t open = i + 1;
    if (tokens[open].is("=") && tokens[open + 1].is("[")) open = closing(tokens, open + 1) + 1;
    if (!tokens[open].is("(")) continue;
    size_t body = closing(tokens, open) + 1;
    while (tokens[body].is("noexcept const")) ++body;
    if (!tokens[body].is("{") || !tokens[body + 1].is("return")) continue;
    const size_t end = closing(tokens, body);
    if (tokens[end - 1].is(";")) add(tokens[i], tokens, open, joined(tokens, body + 2, end - 1));
  }
}

std::string ShortFunctions::once(const std::string& text) const {
  const Tokens tokens = tokens_of(text);
  std::string result;
  for (size_t i = 0; i < tokens.size() && result.size() <= longest; ++i) {
    const auto* function = value_at(functions_, std::string(tokens[i].text));
    if (!function || i + 1 >= tokens.size() || !tokens[i + 1].is("(")) {
      result += std::string(tokens[i].text) + " ";
      continue;
    }
    const auto given = parts_of(tokens, i + 1);
    const Function& called = *function;
    for (const Token& one : tokens_of(called.result)) {
      std::string part(one.text);
      for (size_t k = 0; k < called.parameters.size() && k < given.size(); ++k)
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
