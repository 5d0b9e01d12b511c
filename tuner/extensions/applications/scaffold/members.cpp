// Template instances, member functions as free ones, and objects' members as parameters.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "scaffold/array_uses.h"
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

size_t Finder::instantiate(size_t begin) {
  std::string text;
  size_t at = begin + 1;
  for (size_t i = 0; !tokens_[at].is(">"); ++i, at += 3) {
    const Token &kind = tokens_[at + 1], &name = tokens_[at + 2], &end = tokens_[at + 3];
    const bool type = kind.is("class typename");
    if (!(end.is(", >")) || (!type && i >= given_.size()))
      throw Error(fmt::format("\"{}\" is a template", function_.name), place(begin),
                  fmt::format("name an instance of it: {}<8>", function_.name));
    std::string& value = names_[std::string(name.text)];
    value = i < given_.size() ? given_[i] : "double";
    text += type ? fmt::format("using {} = {};\n", name.text, value)
                 : fmt::format("constexpr {} {} = {};\n", kind.text, name.text, value);
  }
  edit(begin, at, text);
  return at + 1;
}

size_t Finder::class_body(size_t from, size_t to) const {
  for (size_t word = from; word < to; ++word) {
    if (!tokens_[word].is_word() || tokens_[word].is("const class struct")) continue;
    const Texts words = resolved({std::string(tokens_[word].text)});
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is("class struct")) continue;
      const size_t open = first_of(tokens_, i, tokens_.size(), "; { ( ) * =");
      if (!tokens_[open].is("{")) continue;
      const bool named = tokens_[i + 1].is(tokens_[word].text) || tokens_[i + 1].is(words.back());
      const Token& last = tokens_[closing(tokens_, open) + 1];
      if (named || (tokens_[i - 1].is("typedef") && last.is(tokens_[word].text))) return open;
    }
  }
  return 0;
}

std::vector<FunctionParameter> Finder::members_of(size_t body, const Needed& used) const {
  std::vector<FunctionParameter> all;
  const size_t close = closing(tokens_, body);
  for (size_t from = body + 1; from < close;) {
    const size_t to = first_of(tokens_, from, close, "; : { }"),
                 call = first_of(tokens_, from, to, "(");
    auto members = tokens_[to].is(";") && call == to ? declared_in(from, to + 1)
                                                     : std::vector<FunctionParameter>();
    const Token& name = tokens_[(call < to ? call : to) - 1];
    if (members.empty() && name.is_word() && used.contains(name.text))
      throw Error(fmt::format("\"{}\" of its class is no number and no array: {}", name.text,
                              spelt(tokens_, from, to)),
                  place(from));
    for (FunctionParameter& member : members)
      if (used.contains(member.name)) all.push_back(std::move(member));
    from = (tokens_[to].is("{") ? closing(tokens_, to) : to) + 1;
  }
  return all;
}

std::optional<std::pair<FunctionParameter, int64_t>> Finder::numbers_in(size_t body) const {
  std::optional<std::pair<FunctionParameter, int64_t>> all;
  const size_t close = closing(tokens_, body);
  for (size_t from = body + 1, to = from; from < close; from = to + 1) {
    to = first_of(tokens_, from, close, ";");
    const auto members = declared_in(from, to + 1);
    if (members.empty()) return std::nullopt;
    for (const FunctionParameter& one : members) {
      const std::string count = one.array ? elements(one, names_) : "1";
      const auto number = value_of(count);
      if (!number || (all && all->first.type != one.type)) return std::nullopt;
      if (!all) all.emplace(one, 0);
      all->second += *number;
    }
  }
  return all;
}

std::optional<Finder::Needed> Finder::members_used(const std::string& object) const {
  Needed used;
  for (size_t i = function_.open; i < function_.close; ++i) {
    if (!tokens_[i].is(object) || tokens_[i - 1].is(". ->")) continue;
    if (!tokens_[i + 1].is(". ->")) return std::nullopt;
    used.emplace(tokens_[i + 2].text);
  }
  return used;
}

Texts Finder::take_object(const std::string& name, size_t body, const Needed& used, bool constant) {
  Texts declared;
  for (FunctionParameter& member : members_of(body, used)) {
    const bool owned = member.form == FunctionParameter::Form::vector || !member.sides.empty();
    member.constant = member.constant || (owned && constant);
    declared.push_back(add(std::move(member), name));
  }
  if (declared.size() < used.size())
    throw Error(fmt::format("a member of \"{}\" is no number and no array of its class", name),
                place(body));
  if (declared.empty()) declared.push_back(add({.name = name, .c_type = "int"}));
  return declared;
}

void Finder::take_parameter(size_t from, size_t to) {
  const size_t body = class_body(from, to - 1);
  const std::string name(tokens_[to - 1].text);
  const bool constant = tokens_[from].is("const");
  const auto used = body > 0 ? members_used(name) : std::nullopt;
  const auto record = body > 0 && !used ? numbers_in(body) : std::nullopt;
  Texts declared;
  if (used) {
    declared = take_object(name, body, *used, constant);
  } else if (record && first_of(tokens_, from, to, "*") < to) {
    FunctionParameter one = record->first;
    one.name = name;
    one.array = true;
    one.constant = constant;
    one.sides = {};
    one.record = tokens_[body - 1].is("struct") ? tokens_[closing(tokens_, body) + 1].text
                                                : tokens_[body - 1].text;
    add(std::move(one));
    return;
  } else {
    FunctionParameter one = parameter(from, to, function_.parameters.size() + 1);
    settle(one, from, to);
    const bool plain = one.form == FunctionParameter::Form::plain;
    declared.push_back(add(std::move(one)));
    if (plain) return;
  }
  edit(from, to - 1, joined(declared));
}

std::string Finder::add(FunctionParameter one, const std::string& object) {
  using Form = FunctionParameter::Form;
  const std::string name = one.name;
  if (!object.empty()) one.name = member_name(object, name);
  const bool number = !object.empty() && !one.array && is_assigned(name);
  if (number) {
    one.array = true;
    one.sides = {"1"};
  }
  FunctionParameter count{.name = row_elements, .c_type = "long", .type = Element::int64};
  if (one.form == Form::vector) {
    count.name = member_name(one.name, "size");
    one.sides = {count.name};
  }
  for (size_t i = function_.open; i < function_.close; ++i) {
    const bool member = tokens_[i - 1].is(". ->") && !tokens_[i - 2].is("this");
    if (tokens_[i].is(name) && member != object.empty() && (!member || tokens_[i - 2].is(object)))
      edit_use(one, number, member ? i - 2 : i, i + 1);
  }
  std::string text = one.declaration();
  const bool counted = one.form != Form::plain &&
                       !contains(function_.parameters, count.name, &FunctionParameter::name);
  function_.parameters.push_back(std::move(one));
  if (counted) {
    text += ", " + count.declaration();
    function_.parameters.push_back(std::move(count));
  }
  return text;
}

void Finder::edit_use(const FunctionParameter& one, bool number, size_t from, size_t behind) {
  using Form = FunctionParameter::Form;
  const Token& next = tokens_[behind];
  if (one.form == Form::rows) {
    if (!next.is("["))
      throw Error(fmt::format("the rows of \"{}\" are handed on", one.name), place(from));
    const size_t close = closing(tokens_, behind);
    edit(from, behind, fmt::format("({} + (long)(", one.name));
    edit(close, close, fmt::format(") * {})", row_elements));
  } else if (one.form == Form::vector && !next.is("[")) {
    const Token& member = tokens_[behind + 1];
    if (!next.is(".") || !member.is("size data begin end"))
      throw Error(fmt::format("the vector \"{}\" is handed on", one.name), place(from));
    const std::string size = member_name(one.name, "size");
    edit(from, closing(tokens_, behind + 2),
         member.is("size")  ? size
         : member.is("end") ? fmt::format("({} + {})", one.name, size)
                            : one.name);
  } else if (from + 1 < behind) {
    edit(from, behind - 1, number ? fmt::format("(*{})", one.name) : one.name);
  }
}

void Finder::take_members(const Declaration& one, size_t token) {
  Needed used;
  add_words(used, function_.open, function_.close);
  used.erase(function_.name);
  for (size_t i = function_.open; i < function_.close; ++i)
    if (tokens_[i].is("this") && tokens_[i + 1].is("->")) edit(i, i + 1, "");
  std::string declared;
  if (const size_t body = class_body(token, token + 1); body > 0)
    for (FunctionParameter& member : members_of(body, used)) {
      member.reference = !member.array && is_assigned(member.name);
      join(declared, add(std::move(member)));
    }
  const size_t close = closing(tokens_, one.name + 1);
  if (!declared.empty() && close > one.name + 2) declared = ", " + declared;
  edit(token, one.name - 1, "");
  // The edit also drops a "const" behind the parentheses.
  function_.edits.push_back({tokens_[close].begin, tokens_[one.body].begin, declared + ") "});
}

bool Finder::is_assigned(const std::string& name) const {
  for (size_t i = function_.open; i < function_.close; ++i)
    if (tokens_[i].is(name) && (assigns(tokens_[i + 1]) || tokens_[i - 1].is("++"))) return true;
  return false;
}

std::vector<FunctionParameter> Finder::declared_in(size_t begin, size_t end) const {
  std::vector<FunctionParameter> all;
  FunctionParameter type;
  try {
    // The type of the first name stands in front of all names.
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
    const size_t star = first_of(tokens_, from, equals, "*");
    one.array = one.array || side < equals || star < equals;
    if (star < equals && (side < equals || first_of(tokens_, star + 1, equals, "*") < equals))
      one.form = FunctionParameter::Form::rows;
    for (size_t i = side; i < equals && one.form == type.form; i = closing(tokens_, i) + 1)
      one.sides.push_back(spelt(tokens_, i + 1, closing(tokens_, i)));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace rooftune::scaffold
