// Reads a kernel function's arguments from its manifest, with the formulas for their sizes.
#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "core/text.h"
#include "kernel/manifest_reader.h"

namespace rooftune::kernel {
namespace {

constexpr const char* from_problem = "problem";

/// C++20 keywords and the few words with a meaning in formulas, separated by blanks.
constexpr std::string_view reserved_words =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
    "char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast "
    "else enum explicit export extern false float for friend goto if in inline int long "
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected "
    "public register reinterpret_cast requires return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try "
    "typedef typeid typename union unsigned using virtual void volatile wchar_t while xor "
    "xor_eq pi True False";

/// Adds a fault for each listed member that is there.
void refuse(ObjectReader& reader, const Texts& keys, const char* why) {
  for (const std::string& key : keys)
    if (reader.has(key)) {
      reader.know(key);
      reader.fault(key, why);
    }
}

}  // namespace

bool is_identifier(const std::string& text) {
  return !text.empty() && !is_digit(text[0]) && !is_among(text, reserved_words) &&
         all_of(text, is_identifier_char);
}

void ManifestReader::declare(ObjectReader& reader, const std::string& key, const std::string& name,
                             TextSet& taken) {
  if (!reader.has(key)) return;
  if (!is_identifier(name))
    reader.fault(key, "\"" + name + "\" cannot name a variable",
                 "a letter, then letters, digits and _; no keyword of C++");
  else if (!taken.insert(name).second)
    reader.fault(key, "\"" + name + "\" is declared twice");
}

Expression ManifestReader::formula(ObjectReader& reader, const std::string& key, bool required) {
  if (!reader.has(key)) {
    if (required) reader.fault(key, "missing", "a formula such as \"8*n\", or a number");
    return {};
  }
  return parsed(reader, key, reader.formula(key, ""), true);
}

Expression ManifestReader::parsed(ObjectReader& reader, const std::string& key,
                                  const std::string& text, bool check_names) {
  // A member with a wrong type already has its fault.
  if (text.empty() && !reader.member(key).is_string()) return {};
  try {
    Expression expression = Expression::parse(text);
    for (const std::string& name : expression.names()) {
      const bool known =
          !check_names || names_.contains(name) || contains(unknown_, name, &UnknownName::name);
      if (!known) unknown_.push_back({name, text, reader.where(key)});
    }
    return expression;
  } catch (const Error& error) {
    reader.fault(key, "\"" + text + "\": " + error.message(), error.hint());
    return {};
  }
}

void ManifestReader::tell_unknown() {
  const Texts known(names_.begin(), names_.end());
  const std::string rule = "formulas use parameters and facts of this manifest: " + joined(known);
  if (unknown_.size() == 1)
    faults_.add(
        unknown_[0].where,
        fmt::format("\"{}\" uses the unknown name \"{}\"", unknown_[0].text, unknown_[0].name),
        did_you_mean(unknown_[0].name, known, rule));
  if (unknown_.size() < 2) return;
  Texts names = members(unknown_, &UnknownName::name);
  faults_.add(
      where_,
      fmt::format("{} unknown names in formulas, to be filled in: {}", names.size(), joined(names)),
      rule);
}

void ManifestReader::argument(ObjectReader& reader) {
  Argument argument;
  argument.name = reader.text("name");
  declare(reader, "name", argument.name, arguments_);
  std::string type = reader.text("type");
  argument.pointer = type.ends_with('*');
  if (argument.pointer) type.pop_back();
  if (const auto named = ElementType::named(type))
    argument.type = *named;
  else if (reader.has("type"))
    reader.fault("type", "unknown type \"" + type + "\"",
                 ElementType::words() + ", with * for arrays: \"double*\"");
  if (argument.pointer)
    array(reader, argument);
  else
    scalar(reader, argument);
  reader.finish();
  kernel_.arguments.push_back(std::move(argument));
}

void ManifestReader::scalar(ObjectReader& reader, Argument& argument) {
  if (argument.type.element() == Element::bytes)
    reader.fault("type", "a structure has no value", "pass an array of one: \"bytes:24*\"");
  refuse(reader, {"count", "access", "fill", "from", "file", "result", "check"},
         "only arrays have this member, and the type is no pointer");
  if (!reader.has("value"))
    reader.fault("value", "a scalar needs its value", "a formula: \"value\": \"n\"");
  else
    // Argument knobs may appear, and only the search space has them.
    argument.value = parsed(reader, "value", reader.formula("value", ""), false);
}

void ManifestReader::array(ObjectReader& reader, Argument& argument) {
  refuse(reader, {"value"}, "an array has \"count\" and \"fill\", no value");
  reader.need("access", argument.access);
  check(reader, argument);
  if (reader.has("from")) {
    const std::string from = reader.text("from");
    if (from != from_problem) reader.fault("from", "only \"problem\" makes arrays");
    argument.from_problem = true;
    refuse(reader, {"fill", "file", "result"}, "problem.cpp fills this array");
    argument.count = formula(reader, "count", false);
    return;
  }
  if (!reader.has("count"))
    reader.fault("count", "missing: how many elements the array has",
                 "\"count\": \"n\", or \"from\": \"problem\"");
  argument.count = formula(reader, "count", false);
  if (reader.has("file")) argument.file = read_source(reader, "file", kernel_.folder);
  if (reader.has("result")) argument.result = read_source(reader, "result", kernel_.folder);
  if (reader.has("result") && argument.access == Argument::Access::read)
    reader.fault("result", "a call leaves an array as it is that it only reads");
  for (const std::string key : {"fill", "file"})
    if (reader.has(key) && argument.access == Argument::Access::write)
      reader.fault(key, "an array that is only written holds NaN before each validation");
  if (!reader.has("fill")) return;
  if (reader.has("file")) reader.fault("fill", "the array has a \"file\"", "leave one of them out");
  if (argument.type.element() == Element::bytes)
    reader.fault("fill", "only problem.cpp knows what a structure holds", "\"from\": \"problem\"");
  reader.object("fill", [&](ObjectReader& inner) {
    if (is_among(inner.text("kind", ""), "permutation index") && inner.has("of"))
      argument.value = formula(inner, "of", false);
    argument.fill = fill(inner);
  });
}

std::optional<size_t> ManifestReader::swapped(ObjectReader& root, size_t pair,
                                              const std::string& name) {
  Texts arrays;
  for (const size_t i : indices(kernel_.arguments)) {
    const Argument& one = kernel_.arguments[i];
    if (one.name == name && one.pointer) return i;
    if (one.name == name)
      root.fault("swap", pair, "\"" + name + "\" is a scalar", "only arrays change roles");
    if (one.name == name) return std::nullopt;
    if (one.pointer) arrays.push_back(one.name);
  }
  root.fault("swap", pair, "there is no argument \"" + name + "\"",
             did_you_mean(name, arrays, "name two arrays of \"arguments\""));
  return std::nullopt;
}

void ManifestReader::swap(ObjectReader& root) {
  const auto pairs = root.get<TextPairs>("swap");
  std::set<size_t> taken;
  for (const size_t i : indices(pairs)) {
    const auto first = swapped(root, i, pairs[i].first), second = swapped(root, i, pairs[i].second);
    if (!first || !second) continue;
    Argument &before = kernel_.arguments[*first], &after = kernel_.arguments[*second];
    const std::string both = before.name + " and " + after.name;
    if (!taken.insert(*first).second || !taken.insert(*second).second)
      root.fault("swap", i, "an array stands here twice", "each changes its role with one other");
    else if (before.type != after.type)
      root.fault("swap", i, both + " have different types", "give them one \"type\"");
    else if (before.from_problem != after.from_problem || before.count.text() != after.count.text())
      root.fault("swap", i, both + " have different sizes", "give them one \"count\"");
    else if (before.access == Argument::Access::write || after.access == Argument::Access::read)
      root.fault("swap", i, "a call reads the first of a pair and writes the second",
                 "\"access\" of " + before.name + ": read or update, of " + after.name +
                     ": write or update");
    if (before.access == Argument::Access::read) before.tolerance = after.tolerance;
    before.access = Argument::Access::update;
    kernel_.swap.emplace_back(*first, *second);
  }
  if (pairs.empty()) return;
  if (!root.get("evolves", true))
    root.fault("evolves", "calls that exchange arrays go on from each other", "leave it out");
  kernel_.evolves = true;
  for (const Backend& one : kernel_.backends)
    if (one.needs_gpu_compiler())
      root.fault("swap", "arrays on a card cannot be exchanged: back end \"" + one.name + "\"",
                 "make it a kernel of its own, whose call does several steps");
}

void ManifestReader::check(ObjectReader& reader, Argument& argument) {
  Tolerance& own = argument.tolerance;
  const ElementType type = argument.type;
  if (type.is_rounded()) own = kernel_.tolerance;
  if (!type.is_rounded() || !stated_relative_) own.relative = type.row().relative;
  own.scale = kernel_.tolerance.scale;
  if (!reader.has("check")) return;
  if (argument.access == Argument::Access::read)
    reader.fault("check", "an array that is only read has no result to check");
  reader.object("check", [&](ObjectReader& inner) {
    if (type.element() == Element::bytes)
      inner.fault("", "structures are equal byte by byte or wrong");
    // "ulp" alone or "relative" alone states the difference.
    if (inner.has("ulp") && !inner.has("relative")) own.relative = own.absolute = 0;
    tolerances(inner, own);
    if (!type.is_rounded() && (own.ulp > 0 || own.nan))
      inner.fault("", type.word() + " has no rounding and no NaN", "\"absolute\": 1");
  });
}

Fill ManifestReader::fill(ObjectReader& reader) {
  Fill fill;
  using Kind = Fill::Kind;
  reader.need("kind", fill.kind);
  if (fill.kind == Kind::constant) reader.need("value", fill.value);
  if (fill.kind == Kind::uniform) {
    reader.read("low", fill.low);
    reader.read("high", fill.high);
    if (!(fill.low <= fill.high)) reader.fault("low", "the range is empty: low is above high");
  }
  if (fill.kind == Kind::uniform || fill.kind == Kind::permutation) reader.read("seed", fill.seed);
  if (fill.kind == Kind::index || fill.kind == Kind::sine) {
    reader.read("scale", fill.scale);
    reader.read("offset", fill.offset);
  }
  if (fill.kind == Kind::sine) reader.read("waves", fill.waves);
  reader.finish();
  return fill;
}

}  // namespace rooftune::kernel
