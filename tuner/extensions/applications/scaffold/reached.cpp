// What a function reaches in its file; the rest is taken out.
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "scaffold/finder.h"

namespace rooftune::scaffold {

void Finder::add_words(Needed& needed, size_t begin, size_t end) const {
  for (size_t i = begin; i < end; ++i)
    if (tokens_[i].is_word()) needed.emplace(tokens_[i].text);
}

void Finder::keep_reached(const Declaration& root) {
  Needed needed, defined;
  const size_t of_class = class_of(root);
  add_words(needed, root.begin, of_class > 0 ? of_class : root.end);
  add_words(needed, root.name, root.end);
  std::set<const Declaration*> kept{&root};
  const auto is_needed = [&](const Declaration& one) {
    if (const size_t other = class_of(one); other > 0) return needed.contains(tokens_[other].text);
    return tokens_[one.begin].is("using") ||
           any_of(one.names, [&](auto& name) { return needed.contains(name); });
  };
  for (bool more = true; more;) {
    more = false;
    for (const Declaration& one : declarations_) {
      if (kept.contains(&one) || !is_needed(one)) continue;
      kept.insert(&one);
      add_words(needed, one.begin, one.end);
      more = true;
    }
  }
  Needed own;  // threadprivate variables
  keep_pragmas(needed, own);
  for (const Declaration* one : kept)
    if (one->body > 0) defined.emplace(tokens_[one->name].text);
  for (const Declaration& one : declarations_) {
    const size_t begin = one.begin == 0 ? 0 : tokens_[one.begin - 1].end();
    if (!kept.contains(&one))
      function_.edits.push_back({begin, tokens_[one.end - 1].end(), ""});
    else if (one.name == 0)
      take_arrays(one, own);
    else if (one.body == 0 && one.scope.empty())
      stand_in(one, defined);
  }
}

void Finder::keep_pragmas(const Needed& needed, Needed& own) {
  for (const Token& one : tokens_) {
    if (one.kind != Token::Kind::directive || !contains(one.text, " omp ") ||
        contains(one.text, "reduction") || !is_outside(one))
      continue;
    Texts kept;
    const Tokens words = tokens_of(one.text.substr(1));
    for (size_t i = 3; words[2].is("threadprivate") && i < words.size(); ++i)
      if (needed.contains(words[i].text) && own.emplace(words[i].text).second)
        kept.emplace_back(words[i].text);
    function_.edits.push_back(
        {one.begin, one.end(),
         kept.empty() ? "" : fmt::format("#pragma omp threadprivate({})", joined(kept))});
  }
}

bool Finder::is_outside(const Token& directive) const {
  return none_of(declarations_, [&](const Declaration& one) {
    return tokens_[one.begin].begin < directive.begin &&
           directive.begin < tokens_[one.end - 1].begin;
  });
}

void Finder::stand_in(const Declaration& one, const Needed& defined) {
  const std::string name(tokens_[one.name].text);
  if (defined.contains(name) || !tokens_[one.name - 1].is("void")) return;
  function_.elsewhere.push_back(name);
  edit(one.end - 1, one.end - 1, " {}");
}

void Finder::take_arrays(const Declaration& one, const Needed& own) {
  Texts pointers;
  Needed words;
  add_words(words, function_.open, function_.close);
  if (tokens_[one.begin].is("typedef")) return;
  for (FunctionParameter& global : declared_in(one.begin, one.end)) {
    const bool rows = global.form == FunctionParameter::Form::rows;
    if (!global.array || rows || !words.contains(global.name) || own.contains(global.name))
      continue;
    const bool table = first_of(tokens_, one.begin, one.end, "=") < one.end;
    if (table && global.constant) return;
    global.global = true;
    pointers.push_back(fmt::format("static {};", global.declaration()));
    if (!contains(function_.parameters, global.name, &FunctionParameter::name))
      function_.parameters.push_back(std::move(global));
    else
      pointers.pop_back();
  }
  if (!pointers.empty()) edit(one.begin, one.end - 1, joined(pointers, " "));
}

}  // namespace rooftune::scaffold
