#include "scaffold/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "kernel/manifest_reader.h"
#include "scaffold/array_uses.h"
#include "scaffold/fortran.h"

namespace rooftune::scaffold {
namespace {

constexpr const char* capture_file = "capture.json";
constexpr const char* returned_name = "returned";
const std::string elements_of = "elements_of_";  ///< stands before an array's name
constexpr const char* elements_of_all = "elements";
constexpr const char* plain_char = "char";  ///< neither std::int8_t nor std::uint8_t

/// A name that kernel.json can have.
std::string usable(const std::string& name) { return is_identifier(name) ? name : name + "_"; }

/// A parameter of the kernel's function, C++.
std::string declared(const SketchArgument& one, const std::string& name) {
  const bool constant = one.array && one.access == Argument::Access::read;
  return fmt::format("{}{}{} {}", constant ? "const " : "", one.c_type, one.array ? "*" : "", name);
}

std::string signature(const Sketch& sketch, const char* suffix = "") {
  Texts all;
  for (const SketchArgument& one : sketch.arguments)
    all.push_back(declared(one, one.name + suffix));
  return fmt::format("void {}({})", sketch.function, joined(all));
}

/// Whether the user's pointer type differs from the one that kernel.json implies.
bool is_spelt_otherwise(const FunctionParameter& one) {
  return one.array && (contains(one.c_type, "long long") || one.c_type == plain_char ||
                       !one.record.empty() || (one.only_read && !one.constant));
}

/// Whether the user's function can be called as kernel.json describes it. C takes any pointer.
bool is_plain(const FunctionSource& function, bool c) {
  return function.scope.empty() && !function.returns &&
         all_of(function.parameters, [&](const FunctionParameter& one) {
           return !one.address && !one.global && !(one.reference && one.is_written()) &&
                  (c || (one.sides.size() < 2 && !is_spelt_otherwise(one)));
         });
}

/// The function that kernel.json describes, which calls the user's.
std::string call_text(const Sketch& sketch, const FunctionSource& function, bool c) {
  Texts passed, set;
  for (const size_t i : indices(function.parameters)) {
    const FunctionParameter& one = function.parameters[i];
    const std::string name = sketch.arguments[i].name + "_";
    std::string sides;
    for (size_t side = 1; side < one.sides.size(); ++side) sides += "[" + one.sides[side] + "]";
    std::string value = name;
    if (one.array && c)
      value = "(void*)" + name;
    else if (one.sides.size() > 1 || is_spelt_otherwise(one))
      value = fmt::format("({}{} {}){}", one.constant ? "const " : "",
                          one.record.empty() ? one.c_type : one.record,
                          sides.empty() ? "*" : "(*)" + sides, name);
    if (one.reference && one.is_written()) value = "*" + name;
    if (one.address) value = "&" + name;
    if (one.global)
      set.push_back(fmt::format("  {} = {};\n", one.name, value));
    else
      passed.push_back(value);
  }
  return fmt::format("\n{}// As kernel.json has it.\n{} {{\n{}  {}{}{}({});\n}}\n",
                     c ? "" : "#include <cstdint>\n", signature(sketch, "_"), joined(set, ""),
                     function.returns ? "*returned_ = " : "", function.scope, function.name,
                     joined(passed));
}

void add_returned(Sketch& sketch, ElementType type, const std::string& c_type,
                  const std::optional<Capture>& capture) {
  SketchArgument one;
  one.name = returned_name;
  one.type = type;
  one.c_type = c_type;
  one.array = true;
  one.access = Argument::Access::write;
  one.count = "1";
  if (capture) one.result = capture->file(returned_name, true);
  sketch.arguments.push_back(std::move(one));
}

std::vector<SketchArgument> captured_arguments(const Capture& capture) {
  Sizes sizes;
  for (const CapturedArgument& one : capture.arguments)
    if (const auto number = value_of(one.value)) sizes[one.name] = *number;
  std::vector<SketchArgument> all;
  for (const CapturedArgument& from : capture.arguments) {
    SketchArgument one;
    one.name = from.name;
    one.type = from.type;
    one.c_type = from.type.cpp();
    one.array = from.is_array();
    one.value = from.value;
    if (!one.array && one.type.is_rounded()) {
      const double value = std::strtod(from.value.c_str(), nullptr);
      if (!std::isfinite(value))
        throw Error(fmt::format("argument {} is {}", from.name, from.value), capture.folder,
                    "capture a call with finite numbers");
      one.value = fmt::format("{}", value);
    }
    if (one.array) {
      one.access = from.written ? Argument::Access::update : Argument::Access::read;
      one.file = capture.file(from.name, false);
      if (from.written) one.result = capture.file(from.name, true);
      one.count = formula_for(from.count, {from.size}, sizes);
    }
    all.push_back(std::move(one));
  }
  return all;
}

SketchArgument argument_of(const FunctionParameter& parameter, const FunctionSource& function,
                           const ArrayUses& uses) {
  SketchArgument one;
  one.name = usable(parameter.name);
  one.type = parameter.type;
  one.c_type = parameter.c_type;
  one.array = parameter.array || (parameter.reference && parameter.is_written());
  if (!one.array) return one;
  if (one.type.is_integer()) one.contents = uses.contents(parameter.name);
  one.access = !parameter.is_written() || parameter.only_read ? Argument::Access::read
               : uses.only_written(parameter.name)            ? Argument::Access::write
                                                              : Argument::Access::update;
  one.count = parameter.array ? elements(parameter, function.constants) : "1";
  one.to_fill_in = one.count.empty();
  if (one.to_fill_in) one.count = elements_of + one.name;
  return one;
}

/// Gives the captured arguments the function's own names.
void rename(std::vector<SketchArgument>& captured, const std::vector<SketchArgument>& own,
            const Capture& capture, const std::string& function) {
  if (captured.size() != own.size())
    throw Error(fmt::format("the capture is of {} arguments, {} has {}", captured.size(), function,
                            own.size()),
                capture.folder, "name the function that was called");
  Sizes sizes;
  for (const size_t i : indices(own)) {
    if (captured[i].array != own[i].array || (own[i].array && captured[i].type != own[i].type))
      throw Error(fmt::format("argument {} of the capture is {}{}, {} of {} is {}{}", i + 1,
                              captured[i].type.word(), captured[i].array ? "*" : "", own[i].name,
                              function, own[i].type.word(), own[i].array ? "*" : ""),
                  capture.folder, "name the function that was called");
    captured[i].name = own[i].name;
    captured[i].c_type = own[i].c_type;
    if (const auto number = value_of(captured[i].value)) sizes[own[i].name] = *number;
  }
  for (const size_t i : indices(own))
    if (own[i].array)
      captured[i].count =
          formula_for(capture.arguments[i].count, {own[i].count, captured[i].count}, sizes);
}

/// Guesses scalars that nobody gave, such that arrays have about a million elements.
void guess_values(Sketch& sketch) {
  ByName<ptrdiff_t> sides;  // the most factors of a product with this name
  for (const SketchArgument& array : sketch.arguments) {
    if (!array.array || array.to_fill_in) continue;
    const auto factors = std::ranges::count(array.count, '*') + 1;
    const Expression count = Expression::parse(array.count);
    for (const std::string& name : count.names()) sides[name] = std::max(sides[name], factors);
  }
  for (SketchArgument& one : sketch.arguments) {
    if (one.array || !one.value.empty()) continue;
    one.guessed = true;
    const auto* side = value_at(sides, one.name);
    constexpr double elements = 1e6;
    if (one.type.is_rounded())
      one.value = "0.1";
    else if (side && !sketch.lows.contains(one.name))
      one.value = fmt::format("{:.0f}", std::pow(elements, 1.0 / double(*side)));
    else
      one.value = "1";
  }
}

/// Takes the user's formulas for array sizes; returns the rest of the problem.
NamedTexts take_sizes(Sketch& sketch, NamedTexts problem) {
  const auto all = problem.extract(elements_of_all);
  for (SketchArgument& one : sketch.arguments) {
    const auto own = problem.extract(elements_of + one.name);
    if (!one.array || (own.empty() && (all.empty() || !one.to_fill_in))) continue;
    one.count = (own.empty() ? all : own).mapped();
    one.to_fill_in = false;
  }
  return problem;
}

void take_values(Sketch& sketch, const NamedTexts& problem, bool captured) {
  Texts names;
  for (const SketchArgument& one : sketch.arguments)
    if (!one.array) names.push_back(one.name);
  for (const auto& [name, value] : problem) {
    auto* const one = first_with(sketch.arguments, &SketchArgument::name, name);
    if (!one || one->array)
      throw Error(fmt::format("\"{}\" is no scalar argument", name), "--problem",
                  did_you_mean(name, names));
    if (captured)
      throw Error(fmt::format("{} is {} in the capture", name, one->value), "--problem",
                  "its results belong to this value: leave it out");
    Parameter parameter;
    parameter.name = name;
    parameter.type = one->type.is_rounded() ? Parameter::Type::real : Parameter::Type::integer;
    one->value = to_text(parameter_value(parameter, value));
  }
}

void take_source(Sketch& sketch, const SourceText& source, const FunctionSource& function,
                 const Tokens& tokens) {
  sketch.knobs = loop_knobs(tokens, function, source);
  sketch.elsewhere = function.elsewhere;
  const bool c = source.language == build::Language::c;
  sketch.extension = c ? ".c" : ".cpp";
  for (size_t i = 0; !c && i < function.parameters.size(); ++i)
    if (is_spelt_otherwise(function.parameters[i]))
      sketch.arguments[i].c_type = sketch.arguments[i].type.cpp();
  const std::string call = is_plain(function, c) ? "" : call_text(sketch, function, c);
  sketch.reference = fmt::format("// {}: every variant is compared with it.\n{}{}", sketch.origin,
                                 edited(source.text, function.edits), call);
  std::vector<Edit> edits = sketch.knobs.edits;
  append(edits, function.edits);
  sketch.variant = fmt::format("// {}, with knobs.\n{}{}{}", sketch.origin,
                               sketch.knobs.unroll ? "#define PRAGMA_TEXT(text) _Pragma(#text)\n"
                                                     "#define PRAGMA(text) PRAGMA_TEXT(text)\n"
                                                   : "",
                               edited(source.text, edits), call);
}

}  // namespace

fs::path Capture::file(const std::string& array, bool result) const {
  return folder / (array + (result ? ".result.npy" : ".npy"));
}

Capture read_capture(const fs::path& folder) {
  Texts below;
  if (!fs::exists(folder / capture_file))
    for (const auto& entry : fs::directory_iterator(folder))
      if (fs::exists(entry.path() / capture_file)) below.push_back(entry.path().string());
  sort(below);
  if (below.size() > 1)
    throw Error("holds several captures", folder, fmt::format("name one: {}", joined(below)));
  const fs::path found = below.empty() ? folder : fs::path(below.front());
  if (!fs::exists(found / capture_file))
    throw Error("holds no capture", folder,
                "ROOFTUNE_CAPTURE of rooftune/capture.h writes one where the application runs");
  const std::string where = (found / capture_file).string();
  auto capture = decoded<Capture>(read_json(found / capture_file), where);
  capture.folder = fs::absolute(found);
  Faults faults;
  if (!is_identifier(capture.function)) faults.add(where + ": /function", "is no name");
  for (const size_t i : indices(capture.arguments))
    // The names become file names, too.
    if (!is_identifier(capture.arguments[i].name))
      faults.add(fmt::format("{}: /arguments/{}/name", where, i), "is no name of a variable");
  faults.raise();
  return capture;
}

Sketch sketch_of(const std::string& name, const std::optional<Capture>& capture,
                 const std::optional<SourceName>& source, const NamedTexts& problem) {
  Sketch sketch;
  sketch.name = name;
  std::optional<SourceName> from = source;
  // The call often stands beside the function.
  if (!from && is_file(capture->source)) from = {capture->source, capture->function};
  if (capture) sketch.arguments = captured_arguments(*capture);
  if (from && build::language_of(from->file) == build::Language::fortran) {
    auto captured = std::exchange(sketch.arguments, {});
    take_subroutine(sketch, *from);
    if (capture) {
      rename(captured, sketch.arguments, *capture, sketch.function);
      sketch.arguments = std::move(captured);
    }
  } else if (from) {
    try {
      const SourceText text = preprocessed(from->file, from->flags);
      const Tokens tokens = tokens_of(text.text);
      FunctionSource function = function_in(tokens, text, from->file.string(), from->function);
      const ArrayUses uses(tokens, function);
      for (FunctionParameter& one : function.parameters) one.only_read = uses.only_read(one.name);
      std::vector<SketchArgument> own;
      for (const FunctionParameter& one : function.parameters)
        own.push_back(argument_of(one, function, uses));
      if (capture)
        rename(sketch.arguments, own, *capture, function.name);
      else
        sketch.arguments = own;
      if (const auto& returned = function.returns)
        add_returned(sketch, returned->type, returned->c_type, capture);
      sketch.function = is_plain(function, text.language == build::Language::c)
                            ? function.name
                            : function.name + "_call";
      sketch.origin = fmt::format("{}() of {}:{}", function.name, file_name(from->file),
                                  text.at(tokens[function.open].begin).number);
      take_source(sketch, text, function, tokens);
    } catch (const Error&) {
      // The file with the call holds another function, or only declares this one.
      if (source) throw;
      from.reset();
      sketch.arguments = captured_arguments(*capture);
    }
  }
  if (!from) {
    if (const auto& returned = capture->returns)
      add_returned(sketch, *returned, returned->cpp(), capture);
    sketch.has_body = false;
    sketch.function = capture->function;
    sketch.origin = fmt::format("{}(), called at {}:{}", capture->function,
                                file_name(capture->source), capture->line);
    const bool own_types = any_of(
        sketch.arguments, [](const SketchArgument& one) { return !one.type.row().is_named_so(); });
    sketch.variant = fmt::format(
        "// {}.\n#include <{}>\n\n{} {{\n#error \"put the body of {}() here, or name its "
        "source: tune new --from CAPTURE --from FILE:{}\"\n}}\n",
        sketch.origin, own_types ? "rooftune/elements.h" : "cstdint", signature(sketch),
        capture->function, capture->function);
  }
  if (capture) sketch.reference.clear();
  take_values(sketch, take_sizes(sketch, problem), capture.has_value());
  guess_values(sketch);
  return sketch;
}

}  // namespace rooftune::scaffold
