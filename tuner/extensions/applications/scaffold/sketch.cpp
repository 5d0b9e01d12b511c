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
#include "scaffold/fortran.h"
#include "scaffold/uses.h"

namespace rooftune::scaffold {
namespace {

constexpr const char* capture_file = "capture.json";
constexpr const char* returned_name = "returned";
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
bool is_spelt_otherwise(const FunctionParameter& one, const SketchArgument& as) {
  return one.array &&
         (contains(one.c_type, "long long") || one.c_type == plain_char || !one.record.empty() ||
          (as.access == Argument::Access::read && !one.constant));
}

/// What stands for the argument in a call of the user's function. C takes any pointer.
std::string passed(const FunctionParameter& one, const SketchArgument& as, bool c) {
  const std::string name = as.name + "_", sides = one.inner_sides();
  if (one.address) return "&" + name;
  if (!one.array) return one.reference && one.is_written() ? "*" + name : name;
  if (c) return "(void*)" + name;
  if (sides.empty() && !is_spelt_otherwise(one, as)) return name;
  return fmt::format("({}{} {}){}", one.constant ? "const " : "",
                     one.record.empty() ? one.c_type : one.record,
                     sides.empty() ? "*" : "(*)" + sides, name);
}

/// The function that kernel.json describes, which calls the user's; empty where that is the same.
std::string call_text(Sketch& sketch, const FunctionSource& function, bool c) {
  bool plain = function.scope.empty() && !function.returns;
  std::string arguments, set;
  for (const size_t i : indices(function.parameters)) {
    const FunctionParameter& one = function.parameters[i];
    SketchArgument& as = sketch.arguments[i];
    const std::string value = passed(one, as, c);
    plain = plain && !one.global && (value == as.name + "_" || (c && one.array));
    if (!c && is_spelt_otherwise(one, as)) as.c_type = as.type.cpp();
    if (one.global)
      set += fmt::format("  {} = {};\n", one.name, value);
    else
      join(arguments, value);
  }
  if (plain) return {};
  sketch.function += "_call";
  return fmt::format("\n{}// As kernel.json has it.\n{} {{\n{}  {}{}{}({});\n}}\n",
                     c ? "" : "#include <cstdint>\n", signature(sketch, "_"), set,
                     function.returns ? "*returned_ = " : "", function.scope, function.name,
                     arguments);
}

void add_returned(Sketch& sketch, ElementType type, const std::string& c_type,
                  const std::optional<Capture>& capture) {
  SketchArgument one{.name = returned_name, .type = type, .c_type = c_type, .array = true};
  one.access = Argument::Access::write;
  one.count = "1";
  if (capture) one.result = capture->file(returned_name, true);
  sketch.arguments.push_back(std::move(one));
}

SketchArgument argument_of(const FunctionParameter& parameter, const FunctionSource& function,
                           const ArrayUses& uses) {
  SketchArgument one{.name = usable(parameter.name),
                     .type = parameter.type,
                     .c_type = parameter.c_type,
                     .array = parameter.is_written() || parameter.array};
  if (!one.array) return one;
  if (one.type.is_integer()) one.contents = uses.contents(parameter.name);
  one.access = !parameter.is_written() || uses.only_read(parameter.name) ? Argument::Access::read
               : uses.only_written(parameter.name)                       ? Argument::Access::write
                                                                         : Argument::Access::update;
  one.set_count(parameter.array ? elements(parameter.sides, function.constants) : "1");
  return one;
}

/// Gives the arguments their values and contents in the captured call.
void take_capture(std::vector<SketchArgument>& arguments, const Capture& capture) {
  const std::string& function = capture.function;
  const auto fault = [&](const std::string& what, const char* cure) {
    return Error(what, capture.folder, cure);
  };
  constexpr const char* other = "name the function that was called";
  if (capture.arguments.size() != arguments.size())
    throw fault(fmt::format("the capture is of {} arguments, {} has {}", capture.arguments.size(),
                            function, arguments.size()),
                other);
  Sizes sizes;
  for (const size_t i : indices(arguments))
    if (const auto number = value_of(capture.arguments[i].value))
      sizes[arguments[i].name] = *number;
  for (const size_t i : indices(arguments)) {
    SketchArgument& one = arguments[i];
    const CapturedArgument& from = capture.arguments[i];
    if (from.is_array() != one.array || (one.array && from.type != one.type))
      throw fault(fmt::format("argument {} of the capture is {}{}, {} of {} is {}{}", i + 1,
                              from.type.word(), from.is_array() ? "*" : "", one.name, function,
                              one.type.word(), one.array ? "*" : ""),
                  other);
    if (one.array) {
      one.access = from.written ? Argument::Access::update : Argument::Access::read;
      one.file = capture.file(from.name, false);
      if (from.written) one.result = capture.file(from.name, true);
      one.count = formula_for(from.count, {one.count, from.size}, sizes);
      one.to_fill_in = false;
      continue;
    }
    one.value = from.value;
    if (!from.type.is_rounded()) continue;
    const double value = std::strtod(from.value.c_str(), nullptr);
    if (!std::isfinite(value))
      throw fault(fmt::format("argument {} is {}", from.name, from.value),
                  "capture a call with finite numbers");
    one.value = fmt::format("{}", value);
  }
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

/// Fills in the sketch's arguments, sources and knobs from a function in a file.
void take_function(Sketch& sketch, const SourceName& from, const std::optional<Capture>& capture) {
  const SourceText source = preprocessed(from.file, from.flags);
  const Syntax syntax(source.text);
  const FunctionSource function = function_in(syntax, source, from.file.string(), from.function);
  const ArrayUses uses(syntax, function);
  for (const FunctionParameter& one : function.parameters)
    sketch.arguments.push_back(argument_of(one, function, uses));
  if (capture) take_capture(sketch.arguments, *capture);
  if (const auto& returned = function.returns)
    add_returned(sketch, returned->type, returned->c_type, capture);
  const bool c = source.language == build::Language::c;
  sketch.function = function.name;
  sketch.origin = fmt::format("{}() of {}:{}", function.name, file_name(from.file),
                              source.at(syntax[function.open].begin).number);
  sketch.knobs = loop_knobs(syntax, function, source);
  sketch.elsewhere = function.elsewhere;
  sketch.extension = c ? ".c" : ".cpp";
  sketch.take_text(source.text, function.edits, call_text(sketch, function, c));
}

/// The same where only the call is known: the user fills in the variant.
void take_call(Sketch& sketch, const Capture& capture) {
  for (const auto& [name, type, value, count, size, written] : capture.arguments)
    sketch.arguments.push_back(
        {.name = name, .type = type, .c_type = type.cpp(), .array = count >= 0});
  take_capture(sketch.arguments, capture);
  if (const auto& returned = capture.returns)
    add_returned(sketch, *returned, returned->cpp(), capture);
  sketch.has_body = false;
  sketch.function = capture.function;
  sketch.origin = fmt::format("{}(), called at {}:{}", capture.function, file_name(capture.source),
                              capture.line);
  const bool own_types = any_of(
      sketch.arguments, [](const SketchArgument& one) { return !one.type.row().is_named_so(); });
  sketch.variant = fmt::format(
      "// {}.\n#include <{}>\n\n{} {{\n#error \"put the body of {}() here, or name its "
      "source: tune new --from CAPTURE --from FILE:{}\"\n}}\n",
      sketch.origin, own_types ? "rooftune/elements.h" : "cstdint", signature(sketch),
      capture.function, capture.function);
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
  if (below.size() > 1) throw Error("holds several captures", folder, "name one: " + joined(below));
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

void Sketch::take_text(const std::string& text, const Edits& edits, const std::string& call) {
  const bool fortran = build::language_of("openmp" + extension) == build::Language::fortran;
  const std::string about = (fortran ? "! " : "// ") + origin;
  const char* const macros = knobs.unroll ? "#define PRAGMA_TEXT(text) _Pragma(#text)\n"
                                            "#define PRAGMA(text) PRAGMA_TEXT(text)\n"
                                          : "";
  Edits all = knobs.edits;
  append(all, edits);
  reference =
      fmt::format("{}: every variant is compared with it.\n{}{}", about, edited(text, edits), call);
  variant = fmt::format("{}, with knobs.\n{}{}{}", about, macros, edited(text, all), call);
}

Sketch sketch_of(const std::string& name, const std::optional<Capture>& capture,
                 const std::optional<SourceName>& source, const NamedTexts& problem) {
  Sketch sketch;
  sketch.name = name;
  std::optional<SourceName> from = source;
  // The call often stands beside the function.
  if (!from && is_file(capture->source)) from = {capture->source, capture->function};
  if (from && build::language_of(from->file) == build::Language::fortran) {
    take_subroutine(sketch, *from);
    if (capture) take_capture(sketch.arguments, *capture);
  } else if (from) {
    try {
      take_function(sketch, *from, capture);
    } catch (const Error&) {
      // The file with the call holds another function, or only declares this one.
      if (source) throw;
      from.reset();
    }
  }
  if (!from) take_call(sketch, *capture);
  if (capture) sketch.reference.clear();
  take_values(sketch, take_sizes(sketch, problem), capture.has_value());
  guess_values(sketch);
  return sketch;
}

}  // namespace rooftune::scaffold
