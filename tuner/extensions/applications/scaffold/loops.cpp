// The loops of a function, and their effects on its arrays and numbers.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/list.h"
#include "scaffold/function.h"

namespace rooftune::scaffold {
namespace {

/// Calls that read their arguments only.
bool is_pure(std::string_view word) {
  return is_among(
      word,
      "abs fabs fabsf sqrt sqrtf exp expf log logf sin sinf cos cosf tan tanh pow powf "
      "min max fmin fmax fma floor ceil round hypot cbrt atan atan2 sizeof if for while "
      "switch static_cast double float int long size_t");
}

/// Whether the word at `i` is defined there: "double a", "const double* restrict a" behind the end
/// of a statement.
bool is_defined(const Tokens& tokens, size_t i) {
  if (!tokens[i].is_word() || tokens[i + 1].is_word()) return false;
  size_t at = i - 1;
  bool star = false;
  for (; tokens[at].is_word() || tokens[at].is("*"); --at) {
    if (tokens[at].is("return else")) return false;
    star = star || tokens[at].is("*");
  }
  const bool begins = tokens[at].is("; { } (") || tokens[at].kind == Token::Kind::directive;
  return tokens[at + 1].is_word() && at + 1 < i && (begins || (!star && tokens[i - 1].is_word()));
}

/// The tokens [begin, end) that are names of variables defined there: a and b of "double a = f(1,
/// 2), b;".
std::set<size_t> defined_names(const Tokens& tokens, size_t begin, size_t end) {
  std::set<size_t> names;
  for (size_t i = begin; i + 1 < end; ++i) {
    if (!is_defined(tokens, i)) continue;
    names.insert(i);
    for (size_t at = i; (at = first_of(tokens, at + 1, end, ", ; )")) < end;) {
      if (!tokens[at].is(",")) break;
      names.insert(at + (tokens[at + 1].is("*") ? 2 : 1));
    }
  }
  return names;
}

bool has_word(const std::string& text, const std::string& word) {
  return tokens_of(text).has(word);
}

}  // namespace

LoopNest::LoopNest(const Tokens& tokens, const FunctionSource& function)
    : tokens_(tokens), function_(function), short_(tokens) {
  find_loops();
  find_locals();
  find_aliases();
  find_uses();
}

void LoopNest::find_loops() {
  size_t pragma = 0;
  for (size_t i = function_.open; i < function_.close; ++i) {
    if (tokens_[i].kind == Token::Kind::directive) {
      const Tokens words = tokens_of(tokens_[i].text.substr(1));
      if (words.size() < 3 || !words[1].is("omp")) continue;
      for (size_t k = 2; k < words.size(); ++k) {
        if (words[k].is("for simd")) pragma = i;
        if (words[k].is("schedule")) schedule_ = words[k + 2].text;
        in_region_ = in_region_ || words[k].is("parallel for target");
      }
      continue;
    }
    if (!tokens_[i].is("for") || i + 1 >= function_.close) {
      pragma = 0;
      continue;
    }
    LoopText loop = loop_at(i);
    loop.pragma = std::exchange(pragma, 0);
    for (LoopText& outer : loops_)
      if (outer.body <= i && i < outer.end) {
        outer.innermost = false;
        loop.outermost = false;
      }
    loops_.push_back(std::move(loop));
  }
}

LoopText LoopNest::loop_at(size_t token) const {
  LoopText loop;
  loop.begin = token;
  const size_t close = closing(tokens_, token + 1);
  loop.body = close + 1;
  loop.end = statement_end(tokens_, loop.body);
  const size_t first = first_of(tokens_, token + 2, close, ";"),
               second = first_of(tokens_, first + 1, close, ";"),
               set = first_of(tokens_, token + 2, close, "="),
               compared = first_of(tokens_, first + 1, close, "< <= >= > !=");
  if (set >= first || compared >= second || !tokens_[set - 1].is_word()) return loop;
  if (tokens_[first + 1].is(tokens_[set - 1].text) && compared == first + 2)
    loop.variable = tokens_[set - 1].text;
  return loop;
}

void LoopNest::find_locals() {
  defined_ = defined_names(tokens_, function_.open + 1, function_.close);
  for (size_t i = function_.open + 1; i + 1 < function_.close; ++i) {
    if (!tokens_[i].is_word()) continue;
    const std::string name(tokens_[i].text);
    if (defined_.contains(i) && tokens_[i + 1].is("[")) own_arrays_.insert(name);
    if (tokens_[i - 1].is("++ --")) changed_.insert(name);
    if (!assigns(tokens_[i + 1])) continue;
    const size_t end = first_of(tokens_, i + 2, function_.close, "; ,");
    if (!defined_.contains(i) || !locals_.emplace(name, joined(tokens_, i + 2, end)).second)
      changed_.insert(name);
  }
  for (const LoopText& loop : loops_) changed_.insert(loop.variable);
  for (const std::string& name : changed_) locals_.erase(name);
}

/// T* p = a + i; T* p = &a[i]; T (*p)[n] = (T (*)[n])a; a pointer that moves is none of these.
void LoopNest::find_aliases() {
  for (size_t i = function_.open + 1; i + 1 < function_.close; ++i) {
    const bool rows = tokens_[i - 1].is("*") && tokens_[i - 2].is("(") && tokens_[i + 1].is(")") &&
                      tokens_[i - 3].is_word();
    bool star = rows;
    for (size_t k = i - 1; defined_.contains(i) && !star && (k > i - 4); --k)
      star = tokens_[k].is("*");
    if (!star) continue;
    const std::string name(tokens_[i].text);
    size_t at = i + 1;
    Alias alias;
    if (rows)
      while (tokens_[++at].is("[")) at = closing(tokens_, at);
    if (!tokens_[at].is("=")) {
      if (tokens_[at].is("; ,")) pointers_.insert(name);
      continue;
    }
    const size_t end = first_of(tokens_, at, function_.close, "; ,");
    size_t from = at + 1;
    if (tokens_[from].is("(") &&
        first_of(tokens_, from + 1, closing(tokens_, from), "* (") < closing(tokens_, from))
      from = closing(tokens_, from) + 1;
    const bool element = tokens_[from].is("&");
    alias.array = tokens_[from + (element ? 1 : 0)].text;
    if (element && closing(tokens_, from + 2) + 1 == end)
      alias.offset = joined(tokens_, from + 3, end - 1);
    else if (tokens_[from + 1].is("+"))
      alias.offset = joined(tokens_, from + 2, end);
    else if (from + 1 != end)
      alias.array.clear();
    const bool known = own_arrays_.contains(alias.array) || aliases_.contains(alias.array) ||
                       std::ranges::any_of(function_.parameters, [&](auto& one) {
                         return one.array && one.name == alias.array && one.sides.size() < 2;
                       });
    const bool fresh = tokens_[from].is("malloc calloc new");
    if (fresh && !changed_.contains(name)) continue;
    if (!known || changed_.contains(name))
      pointers_.insert(name);
    else
      aliases_[name] = alias;
  }
}

std::optional<ArrayUse> LoopNest::use_at(size_t token, std::string& array) const {
  if (!tokens_[token].is_word() || defined_.contains(token)) return std::nullopt;
  array = tokens_[token].text;
  ArrayUse use;
  use.token = token;
  size_t at = token + 1;
  while (tokens_[at].is("[")) {
    use.index.push_back(joined(tokens_, at + 1, closing(tokens_, at)));
    at = closing(tokens_, at) + 1;
  }
  const Token &before = tokens_[token - 1], &left = tokens_[token - 2];
  const bool valued = left.is_word() || left.is(") ]") || left.kind == Token::Kind::number;
  if (use.index.empty() && before.is("*") && (!valued || left.is("return") || assigns(tokens_[at])))
    use.index = {"0"};
  for (auto alias = aliases_.find(array); alias != aliases_.end(); alias = aliases_.find(array)) {
    array = alias->second.array;
    if (alias->second.offset.empty()) continue;
    if (use.index.size() == 1)
      use.index[0] = fmt::format("({})+({})", alias->second.offset, use.index[0]);
    else
      use.index.clear();
  }
  const auto parameter = std::ranges::find_if(
      function_.parameters, [&](auto& one) { return one.array && one.name == array; });
  const bool own = own_arrays_.contains(array) || pointers_.contains(array);
  if (parameter == function_.parameters.end() && !own) return std::nullopt;
  const bool counted = before.is("++ --");
  use.written = use.index.empty() || assigns(tokens_[at]) || counted;
  use.read = use.index.empty() || !tokens_[at].is("=");
  return use;
}

void LoopNest::find_uses() {
  for (size_t i = function_.open + 1; i < function_.close; ++i) {
    const bool makes_alias = tokens_[i].is_word() &&
                             aliases_.contains(std::string(tokens_[i].text)) &&
                             (tokens_[i + 1].is("= )"));
    // The place that a pointer gets is no use.
    if (makes_alias) i = first_of(tokens_, i, function_.close, "; ,");
    std::string array;
    if (auto use = use_at(i, array)) uses_[array].push_back(std::move(*use));
  }
}

bool LoopNest::only_written(const std::string& array) const {
  const auto* found = value_at(uses_, array);
  return found && std::ranges::none_of(*found, [](const ArrayUse& use) { return use.read; });
}

std::string LoopNest::indexed_by(const std::string& array) const {
  for (const auto& [other, uses] : uses_)
    for (const ArrayUse& use : uses)
      for (std::string index : use.index) {
        for (const auto& [name, text] : locals_)
          if (has_word(index, name)) index += " " + text;
        if (other != array && has_word(index, array)) return other;
      }
  return {};
}

bool LoopNest::is_write(size_t token) const {
  size_t at = token + 1;
  while (tokens_[at].is("[")) at = closing(tokens_, at) + 1;
  if (!tokens_[at].is("=")) return false;
  const size_t end = first_of(tokens_, at, function_.close, "; ,");
  for (size_t i = at; i < end; ++i)
    if (tokens_[i].is(tokens_[token].text)) return false;
  return true;
}

bool LoopNest::starts_with_write(size_t begin, size_t end, const std::string& name,
                                 bool loops_are_conditions) const {
  std::vector<size_t> all;
  for (size_t i = begin; i < end; ++i)
    if (tokens_[i].is(name) && !tokens_[i - 1].is(". ->")) all.push_back(i);
  if (all.empty() || !is_write(all.front())) return all.empty();
  for (const auto& [from, to] : conditions(tokens_, begin, end, loops_are_conditions))
    if (from <= all.front() && all.front() < to && all.back() >= to) return false;
  return true;
}

bool LoopNest::writes_first(const LoopText& loop, const std::string& name) const {
  const bool array = uses_.contains(name);
  if (!starts_with_write(loop.body, loop.end, name, !array)) return false;
  if (!array) return true;
  // Written at one index or along a whole inner loop.
  std::set<std::string> written;
  for (const ArrayUse& use : uses_.at(name)) {
    if (use.token < loop.body || use.token >= loop.end) continue;
    if (use.index.empty()) return false;
    const std::string index = fmt::format("{}", fmt::join(use.index, "]["));
    if (!use.read) written.insert(index);
    const bool whole = std::ranges::any_of(loops_, [&](const LoopText& inner) {
      return written.contains(inner.variable) && loop.body <= inner.begin && inner.begin < loop.end;
    });
    if (use.read && !whole && !written.contains(index)) return false;
  }
  return true;
}

bool LoopNest::needed_outside(const LoopText& loop, const std::string& name) const {
  for (const LoopText& outer : loops_)
    if (outer.body <= loop.begin && loop.end <= outer.end &&
        !starts_with_write(outer.body, outer.end, name, false))
      return true;
  for (size_t i = loop.end; i < function_.close; ++i) {
    if (!tokens_[i].is(name)) continue;
    if (is_write(i)) return false;
    return true;
  }
  return false;
}

LoopNest::Change LoopNest::change(const LoopText& loop, const std::string& name) const {
  size_t uses = 0, sums = 0;
  bool changed = false;
  for (size_t i = loop.body; i < loop.end; ++i) {
    if (!tokens_[i].is(name)) continue;
    ++uses;
    const bool again = tokens_[i + 1].is("=") && tokens_[i + 2].is(name) && tokens_[i + 3].is("+");
    sums += tokens_[i + 1].is("+=") ? 1 : again ? 2 : 0;
    size_t at = i + 1;
    while (tokens_[at].is("[")) at = closing(tokens_, at) + 1;
    const bool counted = tokens_[i - 1].is("++ --");
    changed = changed || assigns(tokens_[at]) || counted;
  }
  if (const auto* found = value_at(uses_, name))
    changed = std::ranges::any_of(*found, [&](const ArrayUse& use) {
      return loop.body <= use.token && use.token < loop.end && use.written;
    });
  if (!changed) return Change::no;
  if (sums == uses && !uses_.contains(name)) return Change::adds;
  // A variable of the file may be of each thread already.
  const bool local =
      std::ranges::any_of(defined_, [&](size_t one) { return tokens_[one].is(name); }) ||
      contains(function_.parameters, name, &FunctionParameter::name);
  const bool own = local && writes_first(loop, name) && !needed_outside(loop, name);
  return own ? Change::own : Change::depends;
}

std::map<std::string, LoopNest::Change> LoopNest::changes(const LoopText& loop) const {
  std::set<std::string> seen = {loop.variable};
  for (const size_t name : defined_)
    if (loop.begin <= name && name < loop.end) seen.emplace(tokens_[name].text);
  for (const FunctionParameter& one : function_.parameters)
    if (one.array) seen.insert(one.name);
  for (const auto& [name, alias] : aliases_) seen.insert(name);
  std::map<std::string, Change> all;
  for (size_t i = loop.body; i < loop.end; ++i) {
    const std::string name(tokens_[i].text);
    const bool member = tokens_[i - 1].is(". ->");
    if (tokens_[i].is_word() && !member && seen.insert(name).second) all[name] = change(loop, name);
  }
  return all;
}

Texts LoopNest::shared(const LoopText& loop, Change how) const {
  Texts names;
  for (const auto& [name, change] : changes(loop))
    if (change == how) names.push_back(name);
  return names;
}

std::string LoopNest::dependence(const LoopText& loop) const {
  if (loop.variable.empty()) return "it is not counted";
  const auto inside = [&](size_t token) { return loop.body <= token && token < loop.end; };
  for (size_t i = loop.body; i < loop.end; ++i) {
    const Token& one = tokens_[i];
    if (one.is("break return goto")) return fmt::format("\"{}\" ends it", one.text);
    if (one.is_word() && tokens_[i + 1].is("(") && !is_pure(one.text) && !short_.has(one.text))
      return fmt::format("it calls {}", one.text);
    if (one.is(loop.variable) && (assigns(tokens_[i + 1]) || tokens_[i - 1].is("++")))
      return fmt::format("it changes {}", loop.variable);
  }
  for (const auto& [name, change] : changes(loop))
    if (change == Change::depends)
      return uses_.contains(name) ? fmt::format("passes share {}", name)
                                  : fmt::format("every pass changes {}", name);
  for (const auto& [array, uses] : uses_) {
    if (own_arrays_.contains(array)) continue;
    const auto write = std::ranges::find_if(
        uses, [&](const ArrayUse& use) { return inside(use.token) && use.written; });
    if (write == uses.end()) continue;
    if (pointers_.contains(array)) return fmt::format("it writes through {}", array);
    if (write->index.empty()) return fmt::format("it hands {} on", array);
    std::string index;
    for (const std::string& side : write->index) index += short_.expanded(side) + " ";
    for (int depth = 0; depth < 2; ++depth)
      for (const auto& [name, text] : locals_)
        if (has_word(index, name)) index += " " + short_.expanded(text);
    if (!has_word(index, loop.variable))
      return fmt::format("every pass writes the same element of {}", array);
    if (index.find_first_of("[%/&>") != std::string::npos)
      return fmt::format("passes may meet in {}[{}]", array, write->index.front());
    for (const ArrayUse& use : uses)
      if (inside(use.token) && use.index != write->index)
        return fmt::format("{} is used at [{}] and written at [{}]", array,
                           fmt::join(use.index, "]["), fmt::join(write->index, "]["));
  }
  return {};
}

}  // namespace rooftune::scaffold
