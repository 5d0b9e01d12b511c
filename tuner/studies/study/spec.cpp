#include "study/spec.h"

#include <fmt/format.h>

#include <algorithm>

namespace rooftune::study {
namespace {

InputSpec input_of(const Json& json, const Place& place) {
  InputSpec input;
  if (!json.is_object()) {
    place.unexpected("an object of parameters", json);
    return input;
  }
  for (const auto& [name, value] : json.items()) {
    if (value.is_primitive() && !value.is_null())
      input.parameters.insert_or_assign(name, value_from_json(value));
    else
      place.member(name).fault("must be a number, text or truth");
  }
  input.name = name_of(input.parameters);
  return input;
}

}  // namespace

std::string name_of(const Facts& parameters) {
  std::string name;
  for (const auto& [key, value] : parameters)
    name += (name.empty() ? "" : ",") + key + "=" + to_text(value);
  return name;
}

void decode(const Json& json, const Place& place, std::vector<InputSpec>& inputs) {
  inputs.clear();
  if (!json.is_array()) {
    inputs.push_back(input_of(json, place));
    return;
  }
  for (std::size_t i = 0; i < json.size(); ++i)
    inputs.push_back(input_of(json[i], place.element(i)));
  if (inputs.size() < 2) place.fault("a list holds several inputs", "one input is an object");
}

std::optional<Certainty> certainty(const std::optional<Fraction>& until_within,
                                   const std::optional<Fraction>& confidence,
                                   const std::vector<std::string>& strategies) {
  if (!until_within) {
    if (!confidence) return std::nullopt;
    throw Error("says how sure to be, but not of what", "--confidence", "add --until-within 5%");
  }
  const bool model = std::any_of(strategies.begin(), strategies.end(), [](const std::string& name) {
    return strategy_row(name).tells_chance;
  });
  if (!model)
    throw Error(fmt::format("the strategy {} has no model that could tell", strategies.front()),
                "--until-within", "--strategy roofline or bayes_gp");
  Certainty certainty;
  certainty.share = until_within->value;
  if (confidence) certainty.confidence = confidence->value;
  return certainty;
}

std::optional<Certainty> certainty(const StudySpec& spec) {
  return certainty(spec.until_within, spec.confidence, {spec.strategy});
}

}  // namespace rooftune::study
