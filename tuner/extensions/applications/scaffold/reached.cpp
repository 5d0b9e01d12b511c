#include "scaffold/reached.h"

#include <set>
#include <utility>

namespace rooftune::scaffold {
namespace {

bool names_any(const Declaration& one, const Names& names) {
  return any_of(one.names, [&](std::string_view name) { return names.contains(name); });
}

std::set<const Declaration*> reached(const Syntax& source, const Declarations& all,
                                     const Declaration& root) {
  std::set<const Declaration*> kept{&root};
  Names needed;
  source.add_words(needed, root.begin, root.owner > 0 ? root.owner : root.name);
  source.add_words(needed, root.name, root.end);
  for (bool more = true; std::exchange(more, false);)
    for (const Declaration& one : all)
      if ((source.is(one.begin, "using") || names_any(one, needed)) && kept.insert(&one).second) {
        source.add_words(needed, one.begin, one.end);
        more = true;
      }
  return kept;
}

/// Turns the arrays in a declaration that the body names into pointers and parameters.
void take_arrays(const Syntax& source, const Declaration& one, const Names& body,
                 FunctionSource& function) {
  Texts pointers;
  const bool has_values = source.find(one.begin, one.end, "=") < one.end;
  for (FunctionParameter& global : declared(source, {one.begin, one.end - 1}, function.constants)) {
    const bool rows = global.form == Form::rows;
    if (!global.fits || !global.array || rows || !body.contains(global.name)) continue;
    if (has_values && global.constant) return;
    if (contains(function.parameters, global.name, &FunctionParameter::name)) continue;
    global.global = true;
    pointers.push_back(fmt::format("static {};", global.declaration()));
    function.parameters.push_back(std::move(global));
  }
  if (!pointers.empty()) function.edit(source, one.begin, one.end - 1, joined(pointers, " "));
}

}  // namespace

void keep_reached(const Syntax& source, const Declarations& all, const Declaration& root,
                  FunctionSource& function) {
  const auto kept = reached(source, all, root);
  Names body, defined;
  source.add_words(body, function.open, function.close);
  for (const Declaration* one : kept) {
    if (one->is_definition()) defined.insert(source[one->name].text);
    // Each thread has such variables of its own.
    if (source[one->begin].kind == Token::Kind::directive)
      std::erase_if(body, [&](std::string_view name) { return one->names.contains(name); });
  }
  for (const Declaration& one : all) {
    const size_t begin = one.begin == 0 ? 0 : source[one.begin - 1].end();
    const std::string_view name = source[one.name].text;
    if (!kept.contains(&one)) {
      function.edits.push_back({begin, source[one.end - 1].end(), ""});
    } else if (one.name == 0) {
      take_arrays(source, one, body, function);
    } else if (one.body == 0 && one.scope.empty() && !defined.contains(name) &&
               source.is(one.name - 1, "void")) {
      function.elsewhere.emplace_back(name);
      function.edit(source, one.end - 1, one.end - 1, " {}");
    }
  }
}

}  // namespace rooftune::scaffold
