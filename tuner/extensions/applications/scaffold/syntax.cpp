#include "scaffold/syntax.h"

#include <algorithm>

#include "core/text.h"

namespace rooftune::scaffold {

Syntax::Syntax(std::string_view source) : Tokens(build::tokens_of(source)), partners_(size()) {
  Indices open;
  for (size_t i = 0; i < size(); ++i) {
    partners_[i] = i;
    if (is(i, "( [ {")) {
      partners_[i] = size() - 1;
      open.push_back(i);
    } else if (is(i, ") ] }") && !open.empty()) {
      partners_[i] = open.back();
      partners_[open.back()] = i;
      open.pop_back();
    }
  }
}

size_t Syntax::find(size_t from, size_t end, std::string_view marks) const {
  for (; from < end; ++from) {
    const Token& one = (*this)[from];
    if (one.is(marks)) return from;
    if (one.is("( [ {")) from = partner(from);
  }
  return end;
}

Ranges Syntax::parts(Range range) const {
  Ranges all;
  for (size_t begin = range.first, end = begin; begin < range.second; begin = end + 1) {
    end = find(begin, range.second, ",");
    if (begin < end) all.emplace_back(begin, end);
  }
  return all;
}

std::string Syntax::spelt(size_t begin, size_t end) const {
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    const std::string_view part = (*this)[i].text;
    if (!text.empty() && !part.empty() && is_identifier_char(text.back()) &&
        is_identifier_char(part.front()))
      text += ' ';
    text += part;
  }
  return text;
}

void Syntax::add_words(Names& names, size_t begin, size_t end) const {
  for (size_t i = begin; i < end; ++i)
    if ((*this)[i].is_word()) names.insert((*this)[i].text);
}

Declarations Syntax::declarations(size_t begin, size_t end) const {
  Declarations all;
  collect(begin, end, {}, all);
  return all;
}

void Syntax::collect(size_t at, size_t end, const std::string& scope, Declarations& all) const {
  while (at < end) {
    const Token& first = (*this)[at];
    const size_t stop = find(at, end, "; { }"), space = at + (first.is("inline") ? 1 : 0);
    const bool braces = stop < end && is(stop, "{"), named = is(space, "namespace");
    if (first.kind == Token::Kind::directive) {
      // A pragma belongs to the variables that it names.
      if (contains(first.text, " omp ") && !contains(first.text, "reduction")) {
        const Syntax words(first.text.substr(1));
        all.push_back({at, at + 1, scope});
        if (words[2].is("threadprivate")) words.add_words(all.back().names, 3, words.size());
      }
      ++at;
    } else if (first.is("public private protected ; }")) {
      at += is(at + 1, ":") ? 2 : 1;
    } else if (braces && (named || (is(space, "extern") && stop == space + 2))) {
      const std::string name = named ? spelt(space + 1, stop) : "";
      collect(stop + 1, partner(stop), name.empty() ? scope : scope + name + "::", all);
      at = partner(stop) + 1;
    } else {
      all.push_back(declaration(at, end, scope));
      at = all.back().end;
    }
  }
}

Declaration Syntax::declaration(size_t begin, size_t end, const std::string& scope) const {
  Declaration one{begin, end, scope};
  const size_t stop = find(begin, end, "; { }");
  if (is(stop, "{")) one.body = stop;
  if (!is(begin, "typedef")) name_function(one, stop);
  const size_t last = one.is_definition() ? partner(stop) : find(begin, end, "; }");
  one.end = std::min(last + 1, end);
  if (one.name == 0)
    one.names = declared_names(begin, one.end);
  else
    one.names.insert((*this)[one.owner > 0 ? one.owner : one.name].text);
  return one;
}

void Syntax::name_function(Declaration& one, size_t end) const {
  const bool templated = is(one.begin, "template");
  for (size_t at = templated ? find(one.begin, end, ">") : one.begin; at < end; ++at) {
    at = find(at, end, "( = [");
    if (at >= end || !is(at, "(") || at == one.begin) return;
    if (!is(at - 1, "__attribute__ alignas __declspec")) {
      one.name = (*this)[at - 1].is_word() ? at - 1 : 0;
      break;
    }
    at = partner(at);
  }
  if (one.name < one.begin + 2 || !is(one.name - 1, "::")) return;
  one.owner = one.name - 2;
  if (is(one.owner, ">"))
    while (one.owner > one.begin && !is(one.owner + 1, "<")) --one.owner;
}

/// Apart from functions, these are the words in front of certain marks.
Names Syntax::declared_names(size_t begin, size_t end) const {
  Names names;
  const bool lists = is(begin, "enum") || is(begin + 1, "enum");
  for (size_t at = begin; at < end; ++at) {
    const Token& one = (*this)[at];
    if (one.is("; , = [ { : <") && at > begin) add_words(names, at - 1, at);
    if (!one.is("( [ {")) continue;
    if (one.is("(") || (lists && one.is("{"))) add_words(names, at, partner(at));
    at = partner(at);
  }
  for (const char* word : {"template", "class", "struct", "enum", "union"}) names.erase(word);
  return names;
}

NamedTexts Syntax::meanings() const {
  NamedTexts names;
  for (size_t i = 0; i < size(); ++i) {
    size_t name = i + 1, begin = i + 1, end = find(i, size(), ";");
    if (is(i, "typedef")) {
      name = end - 1;
      end = name;
    } else if (is(i, "using const constexpr")) {
      while ((*this)[name + 1].is_word() || is(name + 1, "::")) ++name;
      if (!is(name + 1, "=")) continue;
      begin = name + 2;
      end = find(begin, end, ",");
    } else {
      continue;
    }
    if (begin < end) names[std::string((*this)[name].text)] = spelt(begin, end);
  }
  return names;
}

size_t Syntax::statement_end(size_t at) const {
  if (is(at, "{")) return partner(at) + 1;
  if (!is(at, "for if while")) return std::min(find(at, size(), ";") + 1, size());
  const size_t end = statement_end(std::max(partner(at + 1), at) + 1);
  return is(at, "if") && is(end, "else") ? statement_end(end + 1) : end;
}

}  // namespace rooftune::scaffold
