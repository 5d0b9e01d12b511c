#include "kernel/manifest_reader.h"

#include <algorithm>
#include <cmath>

#include "core/file.h"
#include "core/list.h"
#include "core/text.h"
#include "space/knob.h"

namespace rooftune::kernel {
namespace {

/// The schema word in this version's manifests.
constexpr const char* kernel_schema = "rooftune-kernel-1";
constexpr const char* cold_cache = "cold";
constexpr const char* kept_inputs = "kept";
/// Stands for a missing reference: the baseline's outputs.
constexpr const char* baseline_reference = "baseline";

/// Adds a fault with "did you mean" unless `word` is among `words`.
void check_word(ObjectReader& reader, const std::string& key, const std::string& word,
                const Texts& words) {
  if (contains(words, word)) return;
  reader.fault(key, "unknown word \"" + word + "\"", did_you_mean(word, words));
}

}  // namespace

const Texts& least_precisions() {
  static const Texts words = {"fp64", "fp32", "fp16", "bf16", "int64", "int32", "int8"};
  return words;
}

bool is_name(const std::string& text) {
  return !text.empty() && text[0] != '-' && all_of(text, is_name_char);
}

ManifestReader::ManifestReader(const Json& json, std::string where, fs::path folder, Faults& faults)
    : json_(json), where_(std::move(where)), faults_(faults) {
  kernel_.folder = std::move(folder);
}

Kernel ManifestReader::read() {
  ObjectReader root(json_, where_, faults_);
  identity(root);
  root.each("parameters", [this](ObjectReader& reader) { parameter(reader); });
  facts(root);
  tolerance(root);
  root.each("arguments", [this](ObjectReader& reader) { argument(reader); });
  if (kernel_.arguments.empty())
    root.fault("arguments", "a kernel function has at least one argument");
  work(root);
  traffic(root);
  root.each("walls", [this](ObjectReader& reader) { wall(reader); });
  sources(root);
  swap(root);
  if (kernel_.captured() && kernel_.evolves)
    root.fault(kernel_.swap.empty() ? "evolves" : "swap",
               "results of one call are none of later calls", "give a reference");
  root.finish();
  tell_unknown();
  return std::move(kernel_);
}

void ManifestReader::identity(ObjectReader& root) {
  const std::string schema = root.text("schema");
  if (root.has("schema") && schema != kernel_schema)
    root.fault("schema", "\"" + schema + "\" is no kernel manifest that this version reads",
               std::string("expected \"") + kernel_schema + "\"");
  kernel_.name = root.text("name");
  if (root.has("name") && !is_name(kernel_.name))
    root.fault("name", "\"" + kernel_.name + "\" is no name",
               "letters, digits, _ and - only: it becomes part of file names");
  kernel_.title = root.text("title", kernel_.name);
  kernel_.function = root.text("function", kernel_.name);
  if (is_name(kernel_.name) && !is_identifier(kernel_.function))
    root.fault("function", "\"" + kernel_.function + "\" cannot name a C++ function",
               "give the function that the sources define: \"function\": \"my_kernel\"");
  const std::string cache = root.text("cache", "warm");
  check_word(root, "cache", cache, {"warm", cold_cache});
  kernel_.warm = cache != cold_cache;
  const std::string inputs = root.text("inputs", "new");
  check_word(root, "inputs", inputs, {"new", kept_inputs});
  kernel_.keeps_inputs = inputs == kept_inputs;
  root.read("evolves", kernel_.evolves);
}

void ManifestReader::parameter(ObjectReader& reader) {
  Parameter parameter;
  parameter.name = reader.text("name");
  declare(reader, "name", parameter.name, names_);
  reader.need("type", parameter.type);
  const bool numeric =
      parameter.type == Parameter::Type::integer || parameter.type == Parameter::Type::real;
  for (const auto& [key, end] :
       {std::pair("min", &parameter.min), std::pair("max", &parameter.max)}) {
    if (!reader.has(key)) continue;
    if (!numeric) reader.fault(key, "only numbers have a range");
    reader.read(key, *end);
  }
  if (parameter.min && parameter.max && *parameter.min > *parameter.max)
    reader.fault("min", "the range is empty: min is above max");
  reader.read("choices", parameter.choices);
  if (!parameter.choices.empty() && parameter.type != Parameter::Type::text)
    reader.fault("choices", "only parameters of type text have choices");
  reader.read("doc", parameter.doc);
  parameter.required = !reader.has("default");
  if (!parameter.required) {
    const auto read = [&](ObjectReader& from, const std::string& key, const Json& json) {
      try {
        if (json.is_string() || (numeric && json.is_number()))
          return parameter_value(parameter, to_text(value_from_json(json)));
        from.fault(key, std::string("is no value of type ") + word(parameter.type));
      } catch (const Error& error) {
        from.fault(key, error.message(), error.hint());
      }
      return Value();
    };
    const Json& fallback = reader.member("default");
    if (fallback.is_object())
      reader.object("default", [&](ObjectReader& of) {
        parameter.fallback = read(of, "cpu", of.member("cpu"));
        parameter.gpu_fallback = read(of, "gpu", of.member("gpu"));
        of.finish();
      });
    else
      parameter.fallback = read(reader, "default", fallback);
  }
  reader.finish();
  kernel_.parameters.push_back(std::move(parameter));
}

void ManifestReader::facts(ObjectReader& root) {
  root.read("facts", kernel_.facts);
  for (const std::string& fact : kernel_.facts) declare(root, "facts", fact, names_);
  if (!kernel_.facts.empty() && !root.has("problem"))
    root.fault("facts", "facts are set by problem.cpp, and this kernel has none",
               "add \"problem\": \"problem.cpp\", or make them parameters");
}

void ManifestReader::work(ObjectReader& root) {
  std::string sum;
  const auto least = [&](ObjectReader& reader) {
    for (const auto& [precision, text] : reader.json().items()) {
      reader.know(precision);
      check_word(reader, precision, precision, least_precisions());
      const Expression flops = formula(reader, precision, true);
      if (!flops.empty() && !is_of_integers(precision))
        sum += (sum.empty() ? "(" : " + (") + flops.text() + ")";
      kernel_.least_work[precision] = flops;
    }
  };
  const auto operations = [&](ObjectReader& reader) {
    for (const auto& [precision, kinds] : reader.json().items()) {
      reader.know(precision);
      if (!kernel_.least_work.contains(precision))
        reader.fault(precision, "\"least\" has no work of this precision");
      reader.object(precision, [&](ObjectReader& one) {
        for (const auto& [kind, text] : one.json().items()) {
          one.know(kind);
          check_word(one, kind, kind, operation_kinds());
          kernel_.least_operations[precision][kind] = formula(one, kind, true);
        }
      });
    }
  };
  const bool found = root.object("work", [&](ObjectReader& reader) {
    reader.object("least", least);
    reader.object("operations", operations);
    reader.read("partial", kernel_.states_part);
    kernel_.nominal_flops = reader.has("nominal") || sum.empty() ? formula(reader, "nominal", false)
                                                                 : Expression::parse(sum);
    kernel_.items = formula(reader, "items", false);
    reader.read("item", kernel_.item);
    if (reader.has("items") && kernel_.item.empty())
      reader.fault("item", "say in the singular what \"items\" counts", "\"item\": \"cell\"");
    reader.finish();
  });
  if (!found)
    root.fault("work", "missing", "\"work\": {\"least\": {}} for a kernel that computes nothing");
}

void ManifestReader::traffic(ObjectReader& root) {
  const bool found = root.object("traffic", [&](ObjectReader& reader) {
    kernel_.read = formula(reader, "read", true);
    kernel_.write = formula(reader, "write", true);
    kernel_.footprint = formula(reader, "footprint", true);
    reader.finish();
  });
  if (!found) root.fault("traffic", "missing", "each distinct byte once: read, write, footprint");
}

void ManifestReader::wall(ObjectReader& reader) {
  WallFormula wall;
  wall.name = reader.text("name");
  reader.need("breaks", wall.lacks);
  reader.read("level", wall.level);
  wall.read = formula(reader, "read", true);
  wall.write = formula(reader, "write", true);
  wall.when = formula(reader, "when", false);
  for (const WallFormula& earlier : kernel_.walls)
    if (earlier.name == wall.name) reader.fault("name", "a second wall \"" + wall.name + "\"");
  reader.finish();
  kernel_.walls.push_back(std::move(wall));
}

void ManifestReader::tolerance(ObjectReader& root) {
  kernel_.tolerance.scale = "element";
  root.object("tolerance", [&](ObjectReader& reader) {
    stated_relative_ = reader.has("relative") || reader.has("ulp");
    if (reader.has("ulp") && !reader.has("relative")) kernel_.tolerance.relative = 0;
    tolerances(reader, kernel_.tolerance);
  });
}

void ManifestReader::tolerances(ObjectReader& reader, Tolerance& tolerance) {
  for (const auto& [key, value] :
       {std::pair("relative", &tolerance.relative), std::pair("absolute", &tolerance.absolute),
        std::pair("ulp", &tolerance.ulp)}) {
    reader.read(key, *value);
    if (!(*value >= 0) || !std::isfinite(*value)) reader.fault(key, "must be at least 0");
  }
  reader.read("nan", tolerance.nan);
  reader.read("scale", tolerance.scale);
  // Arrays for the validation alone are known only to problem.cpp.
  if (!json_.contains("problem")) check_word(reader, "scale", tolerance.scale, {"element", "max"});
  reader.finish();
}

void ManifestReader::sources(ObjectReader& root) {
  if (kernel_.captured()) captured_results(root);
  // A foreign kernel without a reference: then the first configuration is right by definition.
  else if (const std::string name = root.text("reference");
           root.has("reference") && name != baseline_reference)
    kernel_.reference = read_source(root, "reference", kernel_.folder);
  if (root.has("problem")) kernel_.problem = read_source(root, "problem", kernel_.folder);
  root.object("inspector", [&](ObjectReader& reader) {
    kernel_.inspector = read_source(reader, "source", kernel_.folder);
    reader.read("facts", kernel_.inspected);
    for (const std::string& fact : kernel_.inspected)
      check_word(reader, "facts", fact, kernel_.facts);
    reader.finish();
  });
  for (const size_t i : indices(kernel_.arguments))
    if (kernel_.arguments[i].from_problem && !kernel_.problem)
      faults_.add(where_ + ": /arguments/" + std::to_string(i) + "/from",
                  "this kernel has no problem.cpp that could make the array",
                  "add \"problem\": \"problem.cpp\", or \"count\" and \"fill\"");
  const bool found = root.object("backends", [&](ObjectReader& reader) {
    for (const auto& [name, json] : reader.json().items()) {
      reader.know(name);
      reader.object(name, [&, name = name](ObjectReader& inner) { backend(name, inner); });
    }
  });
  if (!found || kernel_.backends.empty())
    root.fault("backends", "at least one back end is needed",
               "\"backends\": {\"openmp\": {\"source\": \"openmp.cpp\"}}");
}

void ManifestReader::captured_results(ObjectReader& root) {
  if (root.has("reference")) {
    root.know("reference");
    root.fault("reference", "arguments have a \"result\", which it would make",
               "leave one of them out");
  }
  for (const size_t i : indices(kernel_.arguments)) {
    const Argument& one = kernel_.arguments[i];
    if (one.pointer && one.access != Argument::Access::read && one.result.empty())
      faults_.add(where_ + ": /arguments/" + std::to_string(i) + "/result",
                  "missing: others have one, and there is no reference",
                  "the file of what one call leaves in " + one.name);
  }
}

void ManifestReader::backend(const std::string& name, ObjectReader& reader) {
  if (!is_name(name)) reader.fault("", "\"" + name + "\" is no name");
  kernel_.backends.push_back(read_backend(reader, kernel_.folder));
  Backend& backend = kernel_.backends.back();
  backend.name = name;
  reader.read("holds", backend.holds);
  for (const std::string& one : backend.holds.value_or(Texts()))
    check_word(reader, "holds", one, {arguments_.begin(), arguments_.end()});
  reader.each("functions",
              [&](ObjectReader& inner) { backend.functions.push_back(further_function(inner)); });
  if (!backend.functions.empty() && !backend.prepare)
    reader.fault("functions", "they are of what was prepared, and the back end prepares nothing");
  reader.finish();
}

FurtherFunction ManifestReader::further_function(ObjectReader& reader) {
  FurtherFunction function;
  TextSet functions, parameters;
  function.name = reader.text("name");
  declare(reader, "name", function.name, functions);
  reader.read("doc", function.doc);
  reader.each("arguments", [&](ObjectReader& one) {
    FurtherFunction::Parameter parameter;
    parameter.name = one.text("name");
    declare(one, "name", parameter.name, parameters);
    std::string type = one.text("type");
    parameter.pointer = type.ends_with('*');
    if (parameter.pointer) type.pop_back();
    const auto named = ElementType::named(type);
    if (named && named->row().is_named_so())
      parameter.type = *named;
    else if (one.has("type"))
      one.fault("type", "no type of C: \"" + type + "\"", "\"double\", \"int64*\"");
    parameter.written = one.get("access", Argument::Access::read) != Argument::Access::read;
    one.finish();
    function.parameters.push_back(std::move(parameter));
  });
  reader.finish();
  return function;
}

fs::path read_source(ObjectReader& reader, const std::string& key, const fs::path& folder) {
  const std::string name = reader.text(key);
  const fs::path path = (folder / name).lexically_normal();
  if (reader.has(key) && (name.empty() || !is_file(path)))
    reader.fault(key, "there is no file " + path.string(),
                 "files lie beside kernel.json, or their path starts there");
  return path;
}

Backend read_backend(ObjectReader& reader, const fs::path& folder) {
  Backend backend;
  backend.source = read_source(reader, "source", folder);
  reader.read("prepare", backend.prepare);
  reader.read("finish", backend.finish);
  reader.read("device_arrays", backend.device_arrays);
  reader.read("flags", backend.flags);
  for (const std::string& flag : backend.flags)
    if (!allowed_flag(flag))
      reader.fault("flags", "the compiler flag \"" + flag + "\" is not allowed",
                   allowed_flags_hint);
  return backend;
}

Kernel read_kernel(const fs::path& folder) {
  if (!is_folder(folder))
    throw Error("there is no folder " + folder.string(), {},
                "a kernel is a folder with a kernel.json");
  const fs::path absolute = fs::absolute(folder).lexically_normal();
  const fs::path file = absolute / "kernel.json";
  const Json json = read_json(file);
  if (!json.is_object()) throw Error("a kernel manifest is a JSON object", file);
  Faults faults;
  ManifestReader reader(json, file.string(), absolute, faults);
  Kernel kernel = reader.read();
  faults.raise();
  return kernel;
}

}  // namespace rooftune::kernel
