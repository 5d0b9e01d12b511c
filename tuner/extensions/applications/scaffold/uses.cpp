#include "scaffold/uses.h"

namespace rooftune::scaffold {

std::vector<Use> uses_in(const Syntax& source, size_t open, size_t close) {
  std::vector<Use> all;
  for (size_t i = open + 1; i < close; ++i) {
    if (!source[i].is_word() || source.is(i - 1, ". ->")) continue;
    Use& one = all.emplace_back(
        Use{.at = i, .end = i + 1, .object = {}, .name = std::string(source[i].text)});
    if (source.is(i + 1, ". ->")) {
      if (!source.is(i, "this")) one.object = one.name;
      one.name = source[i + 2].text;
      one.end = i + 3;
    }
    one.behind = one.end;
    while (source.is(one.behind, "[ ."))
      one.behind = source.is(one.behind, ".") ? one.behind + 2 : source.partner(one.behind) + 1;
    // Handed on, or asked for its data.
    const bool whole = one.behind == one.end || source.is(one.behind, "(");
    one.assigned = assigns(source[one.behind]) || source.is(i - 1, "++ --");
    one.read = whole || !source.is(one.behind, "=");
    one.written = whole || one.assigned || source.is(i - 1, "&");
  }
  return all;
}

ArrayUses::ArrayUses(const Syntax& source, const FunctionSource& function)
    : source_(source), uses_(uses_in(source, function.open, function.close)) {
  NamedTexts pointers;  // into which array they point
  const auto is_parameter = [&](const std::string& name) {
    return contains(function.parameters, name, &FunctionParameter::name);
  };
  const auto variable = [&](const Use& use) {
    const std::string member = member_name(use.object, use.name);
    const std::string name = use.object.empty() || is_parameter(member) ? member : use.object;
    return copy_at(pointers, name).value_or(name);
  };
  for (Use& use : uses_) {
    const std::string own = use.name;
    use.name = variable(use);
    const auto* parameter = first_with(function.parameters, &FunctionParameter::name, use.name);
    if (!parameter || !parameter->array) use.read = use.written = false;
    if (!source.is(use.behind, "=")) continue;
    const Range given{use.behind + 1, source.find(use.behind + 1, function.close, "; ,")};
    size_t begin = use.at;
    while (begin > function.open && !source.is(begin - 1, "; { } ( ,")) --begin;
    Use* const first =
        first_with(uses_, &Use::at, given.first + (source.is(given.first, "&") ? 1 : 0));
    const std::string array = first ? variable(*first) : "";
    if (source.find(begin, use.at, "*") == use.at || !is_parameter(array)) {
      assigned_[use.name].push_back(given);
      continue;
    }
    // A pointer into an array: its own uses are the array's, and this is none.
    pointers[own] = array;
    for (Use* const one : {&use, first}) one->read = one->written = false;
  }
}

bool ArrayUses::no_use(const std::string& array, bool Use::*other) const {
  const auto is_one = [&](const Use& use) {
    return use.name == array && (use.read || use.written);
  };
  return any_of(uses_, is_one) &&
         none_of(uses_, [&](const Use& use) { return is_one(use) && use.*other; });
}

bool ArrayUses::names(Range range, const std::string& array, int depth) const {
  constexpr int deepest = 2;
  return any_of(uses_, [&](const Use& use) {
    if (use.at < range.first || use.at >= range.second) return false;
    if (use.name == array) return true;
    const auto* given = depth < deepest ? value_at(assigned_, use.name) : nullptr;
    return given != nullptr &&
           any_of(*given, [&](const Range& other) { return names(other, array, depth + 1); });
  });
}

Contents ArrayUses::contents(const std::string& array) const {
  const auto indexed = [&](const std::string& by) {
    const auto* const found = first_where(uses_, [&](const Use& use) {
      return (use.read || use.written) && use.name != array && names({use.end, use.behind}, by);
    });
    return found ? found->name : std::string();
  };
  for (const Use& loop : uses_) {
    if (!source_.is(loop.at, "for")) continue;
    const size_t close = source_.partner(loop.end), first = source_.find(loop.end + 1, close, ";"),
                 last = source_.find(first + 1, close, ";"),
                 equals = source_.find(loop.end + 1, first, "=");
    if (!names({first, last}, array)) continue;
    if (!names({equals, first}, array)) return {Contents::Kind::lengths, {}};
    return {Contents::Kind::offsets, indexed(std::string(source_[equals - 1].text))};
  }
  const std::string of = indexed(array);
  return {of.empty() ? Contents::Kind::values : Contents::Kind::indices, of};
}

}  // namespace rooftune::scaffold
