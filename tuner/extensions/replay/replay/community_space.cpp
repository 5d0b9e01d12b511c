// Constrained search spaces as plain data.
#include "replay/community_space.h"

#include "core/error.h"
#include "space/search_space.h"

namespace rooftune::replay {
namespace {

Knob parameter(ObjectReader& object, Faults& faults) {
  Knob knob;
  knob.kind = Knob::Kind::argument;
  knob.name = object.text("name");
  const Json& values = object.member("values");
  if (!values.is_array() || values.empty()) object.fault("values", "expected a list of values");
  for (std::size_t i = 0; values.is_array() && i < values.size(); ++i) {
    if (values[i].is_structured() || values[i].is_null())
      faults.add(object.where("values") + "/" + std::to_string(i),
                 "expected a number, text or truth");
    else
      knob.values.push_back(value_from_json(values[i]));
  }
  if (!knob.values.empty()) knob.fallback = knob.values.front();
  return knob;
}

std::vector<Constraint> constraints(ObjectReader& object, Faults& faults) {
  std::vector<Constraint> all;
  const std::vector<std::string> texts = object.texts("constraints");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    try {
      all.push_back({Expression::parse(texts[i]), ""});
    } catch (const Error& error) {
      faults.add(object.where("constraints") + "/" + std::to_string(i), error.message(),
                 error.hint());
    }
  }
  return all;
}

}  // namespace

SearchSpace community_space_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader object(json, where, faults);
  const std::string name = object.text("name");
  std::vector<Knob> knobs;
  object.each("parameters",
              [&](ObjectReader& element) { knobs.push_back(parameter(element, faults)); });
  std::vector<Constraint> all = constraints(object, faults);
  faults.raise();
  return space_of_file(name, where, [&] {
    return SearchSpace::without_defaults(name, std::move(knobs), std::move(all), {});
  });
}

}  // namespace rooftune::replay
