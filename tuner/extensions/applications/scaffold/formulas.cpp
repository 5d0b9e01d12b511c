// Numbers of elements as formulas: of C's expressions, and the fewest that the loops of a function
// need.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "core/error.h"
#include "core/list.h"
#include "scaffold/function.h"

namespace rooftune::scaffold {

Expression::Lookup lookup_in(const Sizes& sizes) {
  return [&sizes](const std::string& name) -> std::optional<Value> {
    const auto* size = value_at(sizes, name);
    return size ? std::optional(Value(*size)) : std::nullopt;
  };
}

std::string formula_of(const std::string& text) {
  const Tokens tokens = tokens_of(text);
  std::string formula;
  const auto is_type = [](const Token& one) {
    return one.is("int long size_t std :: int64_t ptrdiff_t unsigned const");
  };
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& one = tokens[i];
    if (one.is("(")) {
      size_t end = i + 1;
      while (end < tokens.size() && is_type(tokens[end])) ++end;
      if (end > i + 1 && end < tokens.size() && tokens[end].is(")")) {
        i = end;
        continue;
      }
    }
    if (one.is("static_cast")) {
      while (i + 1 < tokens.size() && !tokens[i + 1].is("(")) ++i;
      continue;
    }
    if (is_type(one)) continue;
    // The number behind a pointer.
    if (one.is("*") && tokens[i + 1].is_word() &&
        (i == 0 || (tokens[i - 1].kind == Token::Kind::mark && !tokens[i - 1].is(") ]"))))
      continue;
    std::string_view part = one.text;
    if (one.kind == Token::Kind::number) part = part.substr(0, part.find_first_of("uUlL"));
    formula += one.is("/") ? "//" : std::string(part);
    formula += ' ';
  }
  return formula;
}

Texts plain_formulas(const Texts& names) {
  Texts sides;
  for (const std::string& name : names)
    for (const char* more : {"", " + 1", " + 2"}) sides.push_back(name + more);
  const auto bracket = [](const std::string& side) {
    return contains(side, ' ') ? "(" + side + ")" : side;
  };
  Texts all = sides;
  for (const std::string& a : sides)
    for (const std::string& b : sides) all.push_back(bracket(a) + "*" + bracket(b));
  for (const std::string& a : names) {
    for (const char* factor : {"2*", "3*", "4*"}) all.push_back(factor + a);
    for (const std::string& b : names)
      for (const std::string& c : names) all.push_back(a + "*" + b + "*" + c);
  }
  return all;
}

std::optional<int64_t> value_of(const std::string& text, const Expression::Lookup& lookup) {
  try {
    const Value value = Expression::parse(formula_of(text)).evaluate(lookup);
    if (value.is_number() && !value.is_real()) return value.integer();
  } catch (const Error&) {
  }
  return std::nullopt;
}

std::string formula_for(int64_t count, const Texts& texts, const Sizes& sizes) {
  const auto lookup = lookup_in(sizes);
  for (const std::string& text : texts)
    if (value_of(text, lookup) == count) {
      std::string formula = formula_of(text);
      while (formula.ends_with(' ')) formula.pop_back();
      return formula;
    }
  Texts names;
  for (const auto& [name, size] : sizes)
    // Of 0 and 1 everything is a multiple.
    if (size > 1) names.push_back(name);
  for (const std::string& formula : plain_formulas(names))
    if (value_of(formula, lookup) == count) return formula;
  return std::to_string(count);
}

// How many elements an array needs for the loops of its function: the largest index is evaluated at
// a few sizes, and the plain formula that agrees is taken.

const LoopText* LoopNest::around(const std::string& variable, size_t token) const {
  const LoopText* found = nullptr;
  for (const LoopText& loop : loops_)
    if (loop.variable == variable && loop.begin < token && token < loop.end) found = &loop;
  return found;
}

std::string LoopNest::meaning(const std::string& name, size_t token, unsigned highs) const {
  if (const LoopText* loop = around(name, token))
    return (highs >> (loop - loops_.data()) & 1U) != 0 ? loop->high : loop->low;
  if (const auto* local = value_at(locals_, name)) return *local;
  const auto* fixed = value_at(function_.constants, name);
  return fixed ? *fixed : "";
}

std::set<std::string> LoopNest::lows() const {
  std::set<std::string> names;
  for (const LoopText& loop : loops_)
    for (const Token& one : tokens_of(loop.low)) {
      const auto* local = value_at(locals_, std::string(one.text));
      names.emplace(one.text);
      if (!local) continue;
      for (const Token& part : tokens_of(*local)) names.emplace(part.text);
    }
  return names;
}

/// The index as a formula over the parameters; empty where it is longer than anybody writes: names
/// that stand twice in each other's values double it at every turn.
std::string LoopNest::largest_index(const ArrayUse& use, unsigned highs) const {
  std::string all;
  for (const size_t side : indices(use.index))
    all = side == 0 ? use.index[0]
                    : fmt::format("({})*({})+({})", all, use.sides.at(side), use.index[side]);
  constexpr int deepest = 8;
  constexpr size_t most_letters = 2000;
  for (int depth = 0; depth < deepest; ++depth) {
    const std::string before = short_.expanded(all);
    std::string next;
    bool more = false;
    for (const Token& one : tokens_of(before)) {
      const std::string name(one.text), text = one.is_word() ? meaning(name, use.token, highs) : "";
      more = more || !text.empty();
      const Tokens parts = tokens_of(text);
      const bool whole =
          parts.size() < 2 || (parts[0].is("(") && closing(parts, 0) + 1 == parts.size());
      next += text.empty() ? name + " " : whole ? text : "(" + text + ")";
    }
    all = next;
    if (all.size() > most_letters) return {};
    if (!more) break;
  }
  return formula_of(all);
}

std::optional<Value> LoopNest::constant(const std::string& name) const {
  const auto* fixed = value_at(function_.constants, name);
  if (!fixed) return std::nullopt;
  const auto value = value_of(*fixed, lookup_in({}));
  return value ? std::optional(Value(*value)) : std::nullopt;
}

std::string LoopNest::elements(const FunctionParameter& array) const {
  constexpr size_t most_loops = 32;
  constexpr int deepest_nest = 6;
  // All of the sides are there.
  if (!array.sides.empty() && !array.sides[0].empty()) {
    std::string product;
    for (const std::string& side : array.sides) {
      const auto number =
          value_of(short_.expanded(side), [&](const std::string& name) { return constant(name); });
      product += (product.empty() ? "" : "*") +
                 (number ? std::to_string(*number) : "(" + formula_of(side) + ")");
    }
    return product;
  }
  const auto* found = value_at(uses_, array.name);
  if (!found || loops_.size() > most_loops) return {};
  Texts counts;
  for (const ArrayUse& use : *found) {
    // Another function's use is not known; the guards tell.
    if (use.index.empty()) continue;
    if (use.index.size() != std::max<size_t>(1, use.sides.size())) return {};
    unsigned loops_around = 0;
    for (const size_t i : indices(loops_))
      if (loops_[i].begin < use.token && use.token < loops_[i].end) loops_around |= 1U << i;
    if (std::popcount(loops_around) > deepest_nest) return {};
    // Every subset of the loops around it at its end, the others at their begin.
    unsigned highs = loops_around;
    do {
      highs = (highs - 1) & loops_around;
      const std::string index = largest_index(use, highs);
      if (index.empty()) return {};
      counts.push_back(index + "+ 1");
    } while (highs != loops_around);
  }
  Texts names;
  for (const FunctionParameter& one : function_.parameters)
    if (!one.array && !one.is_written() && !changed_.contains(one.name) && one.type.is_integer())
      names.push_back(one.name);
  std::string exact;  // the count that is the largest
  const auto least = [&](const Sizes& sizes) -> std::optional<int64_t> {
    int64_t most = 0;
    for (const std::string& count : counts) {
      const auto value = value_of(count, lookup_in(sizes));
      if (!value) return std::nullopt;
      if (*value > most) exact = count;
      most = std::max(most, *value);
    }
    return most;
  };
  // Primes: no two formulas agree by chance.
  Sizes one, other;
  constexpr int64_t primes[] = {101, 211, 307, 401, 503, 601, 701, 809, 907, 1009},
                    others[] = {113, 257, 419, 487, 647, 829, 883, 977, 1151, 1193};
  for (size_t i = 0; i < names.size() && i < std::size(primes); ++i) {
    one[names[i]] = primes[i];
    other[names[i]] = others[i];
  }
  const auto second = least(other), first = least(one);
  if (!first || !second || exact.empty()) return {};
  if (*first == *second) return std::to_string(*first);
  // Rows of a fixed width.
  for (const std::string& name : names)
    if (const int64_t width = *first / one[name];
        width > 1 && width * one[name] == *first && width * other[name] == *second)
      return fmt::format("{}*{}", width, name);
  std::string best;
  int64_t smallest = 0;
  for (const std::string& formula : plain_formulas(names)) {
    const int64_t here = value_of(formula, lookup_in(one)).value_or(0);
    const int64_t there = value_of(formula, lookup_in(other)).value_or(0);
    // The corners of a stencil are not touched: a little more is right, too.
    if (here < *first || there < *second || here > *first + *first / 20 + 4 ||
        there > *second + *second / 20 + 4)
      continue;
    if (best.empty() || here < smallest) {
      best = formula;
      smallest = here;
    }
  }
  if (!best.empty() || value_of(exact, lookup_in(other)) != *second) return best;
  return exact;
}

}  // namespace rooftune::scaffold
