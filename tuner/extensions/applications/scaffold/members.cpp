// Instances of templates, and functions of classes as free ones.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "scaffold/finder.h"

namespace rooftune::scaffold {

size_t Finder::class_of(const Declaration& one) const {
  if (!tokens_[one.name - 1].is("::")) return 0;
  size_t at = one.name - 2;
  if (tokens_[at].is(">"))
    while (at > one.begin && !tokens_[at + 1].is("<")) --at;
  return at;
}

std::string Finder::class_name(const Declaration& one) const {
  const size_t token = class_of(one);
  return token > 0 ? std::string(tokens_[token].text) + "::" : "";
}

size_t Finder::instantiate(FunctionSource& function, size_t begin) {
  std::string text;
  size_t at = begin + 1;
  for (size_t i = 0; !tokens_[at].is(">"); ++i, at += 3) {
    const Token &kind = tokens_[at + 1], &name = tokens_[at + 2], &end = tokens_[at + 3];
    const bool type = kind.is("class typename");
    if (!(end.is(", >")) || (!type && i >= given_.size()))
      throw Error(fmt::format("\"{}\" is a template", function.name), place(begin),
                  fmt::format("name an instance of it: {}<8>", function.name));
    std::string& value = names_[std::string(name.text)];
    value = i < given_.size() ? given_[i] : "double";
    text += type ? fmt::format("using {} = {};\n", name.text, value)
                 : fmt::format("constexpr {} {} = {};\n", kind.text, name.text, value);
  }
  function.edits.push_back({tokens_[begin].begin, tokens_[at].end(), text});
  return at + 1;
}

void Finder::take_members(FunctionSource& function, const Declaration& one, size_t token) {
  std::set<std::string_view> used;
  for (size_t i = function.open; i < function.close; ++i) {
    used.insert(tokens_[i].text);
    if (tokens_[i].is("this") && tokens_[i + 1].is("->"))
      function.edits.push_back({tokens_[i].begin, tokens_[i + 1].end(), ""});
  }
  size_t open = 0;
  for (size_t i = 0; open == 0 && i < tokens_.size(); ++i)
    if (tokens_[i].is("class struct") && tokens_[i + 1].is(tokens_[token].text))
      if (const size_t end = first_of(tokens_, i, tokens_.size(), "; {"); tokens_[end].is("{"))
        open = end;
  std::string declared;
  for (size_t from = open + 1; from < closing(tokens_, open);) {
    const size_t to = first_of(tokens_, from, tokens_.size(), "; : { }"),
                 call = first_of(tokens_, from, to, "(");
    auto members = tokens_[to].is(";") && call == to ? declared_in(from, to + 1)
                                                     : std::vector<FunctionParameter>();
    const Token& name = tokens_[(call < to ? call : to) - 1];
    if (members.empty() && name.is_word() && used.contains(name.text) && !name.is(function.name))
      throw Error(fmt::format("\"{}\" of its class is no number and no array: {}", name.text,
                              joined(tokens_, from, to)),
                  place(from));
    for (FunctionParameter& member : members) {
      if (!used.contains(member.name)) continue;
      member.reference = !member.array && is_assigned(function, member.name);
      declared += fmt::format("{}{} {}{}", declared.empty() ? "" : ", ", member.c_type,
                              member.array       ? "*"
                              : member.reference ? "&"
                                                 : "",
                              member.name);
      function.parameters.push_back(std::move(member));
    }
    from = (tokens_[to].is("{") ? closing(tokens_, to) : to) + 1;
  }
  const size_t close = closing(tokens_, one.name + 1);
  if (!declared.empty() && close > one.name + 2) declared = ", " + declared;
  function.edits.push_back({tokens_[token].begin, tokens_[one.name].begin, ""});
  // The edit drops a "const" behind the parentheses.
  function.edits.push_back({tokens_[close].begin, tokens_[one.body].begin, declared + ") "});
}

bool Finder::is_assigned(const FunctionSource& function, const std::string& name) const {
  for (size_t i = function.open; i < function.close; ++i)
    if (tokens_[i].is(name) && (assigns(tokens_[i + 1]) || tokens_[i - 1].is("++"))) return true;
  return false;
}

std::vector<FunctionParameter> Finder::declared_in(size_t begin, size_t end) const {
  std::vector<FunctionParameter> all;
  FunctionParameter type;
  try {
    // The first one's type stands in front of all.
    const size_t first = first_of(tokens_, begin, end, ", [ = ; *");
    type = type_of(begin, tokens_[first].is("*") ? first : first - 1, "", false);
  } catch (const Error&) {
    return all;
  }
  for (size_t from = begin, to = from; to + 1 < end; from = to + 1) {
    to = first_of(tokens_, from, end, ", ;");
    const size_t equals = first_of(tokens_, from, to, "="),
                 side = first_of(tokens_, from, equals, "[");
    FunctionParameter one = type;
    one.name = tokens_[side - 1].text;
    one.array = side < equals || first_of(tokens_, from, equals, "*") < equals;
    for (size_t i = side; i < equals; i = closing(tokens_, i) + 1)
      one.sides.push_back(joined(tokens_, i + 1, closing(tokens_, i)));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace rooftune::scaffold
