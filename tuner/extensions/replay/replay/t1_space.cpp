#include "replay/t1_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/list.h"
#include "core/object_reader.h"
#include "space/space_reader.h"

namespace rooftune::replay {
namespace {

/// The list that a Python text gives. Throws Error.
ValueList python_list(const std::string& text) {
  const char* const cure =
      "a list in Python's form: [16, 32], range(1, 9), [2*i for i in range(1, 5)], sums of these";
  try {
    const Value value = Expression::parse(text).evaluate({});
    if (value.is_list()) return value.list();
  } catch (const Error& error) {
    throw Error(error.message(), "", error.hint().empty() ? cure : error.hint());
  }
  throw Error(fmt::format("\"{}\" gives no list of values", excerpt(text)), "", cure);
}

class T1Reader {
 public:
  void parameter(ObjectReader& object) {
    Knob knob;
    knob.kind = Knob::Kind::compile;
    knob.name = object.text("Name");
    const std::string type = object.text("Type", "");
    static const TextSet types{"int", "uint", "float", "bool", "string"};
    if (type.empty())
      deviation(fmt::format("parameter {} has no Type", knob.name));
    else if (!types.contains(type))
      deviation(fmt::format("parameter {} is of type \"{}\"", knob.name, excerpt(type)));
    try {
      knob.values = values(object, type);
    } catch (const Error& error) {
      object.fault("Values", fmt::format("parameter \"{}\": {}", knob.name, error.message()),
                   error.hint());
    }
    if (object.has("Default")) fallback(object, knob, type);
    defaulted_ = defaulted_ && object.has("Default");
    knobs.push_back(std::move(knob));
  }

  void condition(ObjectReader& object) {
    const std::string text = object.text("Expression");
    if (text.empty()) return;
    constraints.push_back({object.expression("Expression", text), ""});
    const Expression& condition = constraints.back().expression;
    const Json& listed = object.member("Parameters");
    for (const std::string& name : condition.names())
      if (!listed.is_array() || !contains(listed, Json(name)))
        deviation(fmt::format("condition \"{}\" does not list parameter {}", excerpt(text), name));
  }

  SearchSpace space(const std::string& name) const {
    if (defaulted_) {
      try {
        return SearchSpace(name, knobs, constraints, {});
      } catch (const Error&) {
        // Defaults for one size need not be allowed at another; the space itself may still be good.
      }
    }
    return SearchSpace::without_defaults(name, knobs, constraints, {});
  }

  Knobs knobs;
  std::vector<Constraint> constraints;
  Texts deviations;
  void deviation(std::string text) { add_once(deviations, std::move(text)); }

 private:
  ValueList values(ObjectReader& object, const std::string& type) {
    const Json& json = object.member("Values");
    ValueList list;
    if (json.is_string()) {
      list = python_list(json.get<std::string>());
    } else if (json.is_array()) {
      deviation("Values are a JSON list, not a text");
      for (const Json& value : json) list.push_back(value_from_json(value));
    } else {
      throw Error("is missing (a list in Python's form, as a text)");
    }
    if (list.empty()) throw Error("is empty");
    ValueList unique;
    std::set<Value> seen;
    for (Value& value : list) {
      if (type == "bool" && value.is_number()) value = Value(value.truth());
      if (seen.insert(value).second)
        unique.push_back(std::move(value));
      else
        deviation(fmt::format("value {} of a parameter stands twice", to_text(value)));
    }
    return unique;
  }

  void fallback(ObjectReader& object, Knob& knob, const std::string& type) {
    const Json& json = object.member("Default");
    if (json.is_null() || json.is_structured()) {
      deviation("a Default is no value");
      defaulted_ = false;
      return;
    }
    knob.fallback = value_from_json(json);
    if (type == "bool" && knob.fallback.is_number()) knob.fallback = Value(knob.fallback.truth());
    deviation("parameters have a Default");
  }

  bool defaulted_ = true;
};

/// KernelSpecification.KernelName, or the benchmark's name; may be empty.
std::string read_kernel(ObjectReader& root, T1Reader& reader) {
  static const TextSet languages{"OpenCL", "CUDA", "Vulkan", "Hypertuner"};
  std::string kernel;
  const bool there = root.object("KernelSpecification", [&](ObjectReader& object) {
    kernel = object.text("KernelName", "");
    const std::string language = object.text("Language", "");
    if (!languages.contains(language))
      reader.deviation(fmt::format("language \"{}\" is none of the form's", excerpt(language)));
  });
  if (!there) reader.deviation("KernelSpecification is missing");
  if (kernel.empty())
    root.object("General",
                [&](ObjectReader& object) { kernel = object.text("BenchmarkName", ""); });
  return kernel;
}

}  // namespace

bool is_t1(const Json& json) { return json.is_object() && json.contains("ConfigurationSpace"); }

T1Specification t1_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader root(json, where, faults);
  T1Reader reader;
  root.object("ConfigurationSpace", [&](ObjectReader& space) {
    if (!space.has("TuningParameters")) space.fault("TuningParameters", "is missing (an array)");
    space.each("TuningParameters", [&](ObjectReader& object) { reader.parameter(object); });
    // Files without conditions write null.
    if (!space.member("Conditions").is_null())
      space.each("Conditions", [&](ObjectReader& object) { reader.condition(object); });
  });
  const std::string kernel = read_kernel(root, reader);
  faults.raise();
  const std::string name = kernel.empty() ? where : kernel;
  return {space_of_file(name, where, [&] { return reader.space(name); }), reader.deviations};
}

SearchSpace plain_space_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader object(json, where, faults);
  const std::string name = object.text("name");
  Knobs knobs;
  object.each("parameters", [&](ObjectReader& parameter) {
    Knob& knob = knobs.emplace_back();
    knob.kind = Knob::Kind::argument;
    knob.name = parameter.text("name");
    const Json& values = parameter.member("values");
    if (!values.is_array() || values.empty())
      return parameter.fault("values", "expected a list of values");
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i].is_structured() || values[i].is_null())
        parameter.fault("values", i, "expected a number, text or truth");
      else
        knob.values.push_back(value_from_json(values[i]));
  });
  std::vector<Constraint> constraints;
  const Texts texts = object.get<Texts>("constraints");
  for (const size_t i : indices(texts)) {
    try {
      constraints.push_back({Expression::parse(texts[i]), ""});
    } catch (const Error& error) {
      object.fault("constraints", i, error.message(), error.hint());
    }
  }
  faults.raise();
  return space_of_file(name, where,
                       [&] { return SearchSpace::without_defaults(name, knobs, constraints, {}); });
}

}  // namespace rooftune::replay
