#include "scaffold/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "kernel/manifest_reader.h"
#include "scaffold/function.h"

namespace rooftune::scaffold {
namespace {

namespace fs = std::filesystem;
constexpr const char* capture_file = "capture.json";
constexpr const char* returned_name = "returned";
constexpr const char* plain_char = "char";  ///< neither of std::int8_t and std::uint8_t

/// A name that kernel.json can have.
std::string usable(const std::string& name) { return is_identifier(name) ? name : name + "_"; }

/// `main` and the macros of rooftune/capture.h are none of the kernel's.
std::string trimmed_source(std::string text) {
  const Tokens tokens = tokens_of(text);
  for (std::size_t i = tokens.size(); i-- > 1;) {
    if (!tokens[i].is("main") || !tokens[i - 1].is("int") || i + 1 >= tokens.size() ||
        !tokens[i + 1].is("("))
      continue;
    const std::size_t body = closing(tokens, i + 1) + 1;
    if (body < tokens.size() && tokens[body].is("{"))
      text.erase(tokens[i - 1].begin, tokens[closing(tokens, body)].end() - tokens[i - 1].begin);
  }
  const std::size_t capture = text.find("#include <rooftune/capture.h>");
  if (capture != text.npos)
    text.replace(capture, text.find('\n', capture) - capture,
                 "#define ROOFTUNE_CAPTURE(nth, function, ...) (function)(__VA_ARGS__)\n"
                 "#define ROOFTUNE_ARRAY(pointer, count) (pointer)");
  return text;
}

/// Headers beside the source are found where they are.
std::string with_headers(const std::string& text, const fs::path& folder) {
  std::string result = text;
  const Tokens tokens = tokens_of(text);
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (tokens[i].kind != Token::Kind::directive) continue;
    const Tokens parts = tokens_of(tokens[i].text.substr(1));
    if (parts.size() < 2 || !parts[0].is("include") || parts[1].text.size() < 3 ||
        parts[1].kind != Token::Kind::literal)
      continue;
    const fs::path header = folder / parts[1].text.substr(1, parts[1].text.size() - 2);
    std::error_code fault;
    if (fs::is_regular_file(header, fault))
      result.replace(tokens[i].begin + 1 + parts[1].begin, parts[1].text.size(),
                     fmt::format("\"{}\"", header.lexically_normal().string()));
  }
  const bool c = std::ranges::any_of(tokens, [](const Token& one) { return one.is("restrict"); });
  return (c ? "#define restrict __restrict\n" : "") + result;
}

/// What the kernel's function is given in C++.
std::string declared(const SketchArgument& one) {
  const bool constant = one.array && one.access == Argument::Access::read;
  const std::string type = one.type.row().is_named_so ? one.type.cpp() : one.c_type;
  return fmt::format("{}{}{} {}", constant ? "const " : "", type, one.array ? "*" : "", one.name);
}

std::string signature(const Sketch& sketch) {
  std::vector<std::string> all;
  for (const SketchArgument& one : sketch.arguments) all.push_back(declared(one));
  return fmt::format("void {}({})", sketch.function, fmt::join(all, ", "));
}

/// Whether a pointer to the elements is none to those of kernel.json.
bool is_spelt_otherwise(const FunctionParameter& one) {
  return one.array &&
         (one.c_type.find("long long") != std::string::npos || one.c_type == plain_char);
}

/// Whether the user's function can be called as kernel.json describes it.
bool is_plain(const FunctionSource& function) {
  return function.scope.empty() && !function.returns &&
         std::ranges::all_of(function.parameters, [](const FunctionParameter& one) {
           return one.sides.size() < 2 && !(one.reference && one.is_written()) &&
                  !is_spelt_otherwise(one);
         });
}

/// The function that kernel.json describes, around the user's.
std::string call_text(const Sketch& sketch, const FunctionSource& function) {
  std::vector<std::string> passed;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const FunctionParameter& one = function.parameters[i];
    const std::string& name = sketch.arguments[i].name;
    std::string sides;
    for (std::size_t side = 1; side < one.sides.size(); ++side)
      sides += "[" + one.sides[side] + "]";
    if (one.reference && one.is_written())
      passed.push_back("*" + name);
    else if (one.sides.size() > 1 || is_spelt_otherwise(one))
      passed.push_back(fmt::format("reinterpret_cast<{}{} {}>({})", one.constant ? "const " : "",
                                   one.c_type, sides.empty() ? "*" : "(*)" + sides, name));
    else
      passed.push_back(name);
  }
  return fmt::format("\n#include <cstdint>\n// As kernel.json has it.\n{} {{\n  {}{}{}({});\n}}\n",
                     signature(sketch), function.returns ? "*returned = " : "", function.scope,
                     function.name, fmt::join(passed, ", "));
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
    if (const auto number = value_of(one.value, lookup_in({}))) sizes[one.name] = *number;
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
        throw Error(fmt::format("argument {} is {}", from.name, from.value),
                    capture.folder.string(), "capture a call with finite numbers");
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

SketchArgument argument_of(const FunctionParameter& parameter, const LoopNest& nest) {
  SketchArgument one;
  one.name = usable(parameter.name);
  one.type = parameter.type;
  one.c_type = parameter.c_type;
  one.array = parameter.array || (parameter.reference && parameter.is_written());
  if (!one.array) return one;
  one.access = !parameter.is_written()             ? Argument::Access::read
               : nest.only_written(parameter.name) ? Argument::Access::write
                                                   : Argument::Access::update;
  one.count = parameter.array ? nest.elements(parameter) : "1";
  if (parameter.sides.size() == 1 && !parameter.sides[0].empty() && one.count.empty())
    one.count = formula_of(parameter.sides[0]);
  one.to_fill_in = one.count.empty();
  if (one.to_fill_in) one.count = "elements_of_" + one.name;
  return one;
}

/// Arguments of the capture under the names of the function.
void rename(std::vector<SketchArgument>& captured, const std::vector<SketchArgument>& own,
            const Capture& capture, const std::string& function) {
  if (captured.size() != own.size())
    throw Error(fmt::format("the capture is of {} arguments, {} has {}", captured.size(), function,
                            own.size()),
                capture.folder.string(), "name the function that was called");
  Sizes sizes;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (captured[i].array != own[i].array || (own[i].array && captured[i].type != own[i].type))
      throw Error(fmt::format("argument {} of the capture is {}{}, {} of {} is {}{}", i + 1,
                              captured[i].type.word(), captured[i].array ? "*" : "", own[i].name,
                              function, own[i].type.word(), own[i].array ? "*" : ""),
                  capture.folder.string(), "name the function that was called");
    captured[i].name = own[i].name;
    captured[i].c_type = own[i].c_type;
    if (const auto number = value_of(captured[i].value, lookup_in({})))
      sizes[own[i].name] = *number;
  }
  for (std::size_t i = 0; i < own.size(); ++i)
    if (own[i].array)
      captured[i].count =
          formula_for(capture.arguments[i].count, {own[i].count, captured[i].count}, sizes);
}

/// Values of scalars that nobody gave: arrays of about a million elements.
void guess_values(Sketch& sketch) {
  std::map<std::string, std::ptrdiff_t> sides;  // in a product of so many
  for (const SketchArgument& array : sketch.arguments) {
    if (!array.array || array.to_fill_in) continue;
    const auto factors = std::ranges::count(array.count, '*') + 1;
    const Expression count = Expression::parse(array.count);
    for (const std::string& name : count.names()) sides[name] = std::max(sides[name], factors);
  }
  for (SketchArgument& one : sketch.arguments) {
    if (one.array || !one.value.empty()) continue;
    one.guessed = true;
    const auto side = sides.find(one.name);
    constexpr double elements = 1e6;
    if (one.type.is_rounded())
      one.value = "0.1";
    else if (side != sides.end())
      one.value =
          fmt::format("{:.0f}", std::pow(elements, 1.0 / static_cast<double>(side->second)));
    else
      one.value = "1";
  }
}

void take_values(Sketch& sketch, const std::map<std::string, std::string>& problem, bool captured) {
  std::vector<std::string> names;
  for (const SketchArgument& one : sketch.arguments)
    if (!one.array) names.push_back(one.name);
  for (const auto& [name, value] : problem) {
    const auto one = std::ranges::find(sketch.arguments, name, &SketchArgument::name);
    if (one == sketch.arguments.end() || one->array)
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

/// OpenMP adds the numbers of C alone.
std::string complex_sums(const FunctionSource& function) {
  std::set<std::string> lines;
  for (const FunctionParameter& one : function.parameters)
    if (one.c_type.starts_with("std::complex"))
      lines.insert(
          fmt::format("#pragma omp declare reduction(+ : {} : omp_out += omp_in)\n", one.c_type));
  return lines.empty() ? "" : fmt::format("#include <complex>\n{}", fmt::join(lines, ""));
}

void take_source(Sketch& sketch, const std::string& text, const fs::path& file,
                 const FunctionSource& function, const Tokens& tokens, const LoopNest& nest) {
  for (const LoopText& loop : nest.loops()) {
    const LoopNest::Pragmas use = nest.pragmas(loop);
    sketch.threads = sketch.threads || use.parallel;
    sketch.simd = sketch.simd || use.simd;
    sketch.unroll = sketch.unroll || use.unroll;
    if (!loop.outermost && !use.simd && !use.unroll) continue;
    std::string seen = use.parallel ? "threads" : "";
    if (use.simd) seen += seen.empty() ? "simd" : ", simd";
    if (use.unroll) seen += seen.empty() ? "unroll" : ", unroll";
    const std::string why = nest.has_pragmas() ? "" : nest.dependence(loop);
    if (!why.empty()) seen += (seen.empty() ? "" : ", ") + fmt::format("no more: {}", why);
    if (!seen.empty())
      sketch.loops.push_back(
          fmt::format("line {}: {}", line_of(text, tokens[loop.begin].begin), seen));
  }
  sketch.schedule = sketch.threads || text.find("schedule(runtime)") != text.npos;
  sketch.threads = sketch.threads || nest.has_pragmas();
  const std::string folder = fs::absolute(file).parent_path();
  const std::string call = is_plain(function) ? "" : call_text(sketch, function);
  const auto complete = [&](const std::string& source) {
    return with_headers(trimmed_source(source), folder) + call;
  };
  sketch.reference =
      fmt::format("// {}: every variant is compared with it.\n", sketch.origin) + complete(text);
  const std::string variant = nest.with_pragmas(text);
  sketch.variant = fmt::format("// {}, with knobs.\n", sketch.origin) +
                   (variant.find("reduction(+") == text.npos ? "" : complex_sums(function)) +
                   complete(variant);
}

}  // namespace

fs::path Capture::file(const std::string& array, bool result) const {
  return folder / (array + (result ? ".result.npy" : ".npy"));
}

Capture read_capture(const fs::path& folder) {
  std::vector<std::string> below;
  if (!fs::exists(folder / capture_file))
    for (const auto& entry : fs::directory_iterator(folder))
      if (fs::exists(entry.path() / capture_file)) below.push_back(entry.path().string());
  std::ranges::sort(below);
  if (below.size() > 1)
    throw Error("holds several captures", folder.string(),
                fmt::format("name one: {}", fmt::join(below, ", ")));
  const fs::path found = below.empty() ? folder : fs::path(below.front());
  if (!fs::exists(found / capture_file))
    throw Error("holds no capture", folder.string(),
                "ROOFTUNE_CAPTURE of rooftune/capture.h writes one where the application runs");
  const std::string where = (found / capture_file).string();
  auto capture = decoded<Capture>(read_json(found / capture_file), where);
  capture.folder = fs::absolute(found);
  Faults faults;
  if (!is_identifier(capture.function)) faults.add(where + ": /function", "is no name");
  for (std::size_t i = 0; i < capture.arguments.size(); ++i)
    // They become names of files, too.
    if (!is_identifier(capture.arguments[i].name))
      faults.add(fmt::format("{}: /arguments/{}/name", where, i), "is no name of a variable");
  faults.raise();
  return capture;
}

Sketch sketch_of(const std::string& name, const std::optional<Capture>& capture,
                 const std::optional<SourceName>& source,
                 const std::map<std::string, std::string>& problem) {
  Sketch sketch;
  sketch.name = name;
  std::optional<SourceName> from = source;
  // The call often stands beside the function.
  std::error_code ignored;
  if (!from && fs::is_regular_file(capture->source, ignored))
    from = {capture->source, capture->function};
  if (capture) sketch.arguments = captured_arguments(*capture);
  if (from) try {
      const std::string text = read_text(from->file);
      const Tokens tokens = tokens_of(text);
      const FunctionSource function =
          function_in(tokens, text, from->file.string(), from->function);
      const LoopNest nest(tokens, function);
      std::vector<SketchArgument> own;
      for (const FunctionParameter& one : function.parameters)
        own.push_back(argument_of(one, nest));
      if (capture)
        rename(sketch.arguments, own, *capture, function.name);
      else
        sketch.arguments = own;
      if (const auto& returned = function.returns)
        add_returned(sketch, returned->type, returned->c_type, capture);
      sketch.function = is_plain(function) ? function.name : function.name + "_call";
      sketch.origin = fmt::format("{}() of {}:{}", function.name, from->file.filename().string(),
                                  line_of(text, tokens[function.open].begin));
      take_source(sketch, text, from->file, function, tokens, nest);
    } catch (const Error&) {
      // The file of the call holds another function, or declares it only.
      if (source) throw;
      from.reset();
      sketch.arguments = captured_arguments(*capture);
    }
  if (!from) {
    if (const auto& returned = capture->returns)
      add_returned(sketch, *returned, returned->cpp(), capture);
    sketch.has_body = false;
    sketch.function = capture->function;
    sketch.origin = fmt::format("{}(), called at {}:{}", capture->function,
                                fs::path(capture->source).filename().string(), capture->line);
    const bool own_types = std::ranges::any_of(
        sketch.arguments, [](const SketchArgument& one) { return !one.type.row().is_named_so; });
    sketch.variant = fmt::format(
        "// {}.\n#include <{}>\n\n{} {{\n#error \"put the body of {}() here, or name its "
        "source: tune new --from CAPTURE --from FILE:{}\"\n}}\n",
        sketch.origin, own_types ? "rooftune/elements.h" : "cstdint", signature(sketch),
        capture->function, capture->function);
  }
  if (capture) sketch.reference.clear();
  take_values(sketch, problem, capture.has_value());
  guess_values(sketch);
  return sketch;
}

}  // namespace rooftune::scaffold
