// Configurations: their key and their JSON.
#include "space/configuration.h"

#include <fmt/format.h>

#include "core/error.h"

namespace rooftune::space {

const Value& Configuration::at(const std::string& knob) const {
  const auto found = values_.find(knob);
  if (found != values_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) names.push_back(name);
  throw Error(fmt::format("the configuration has no knob \"{}\"", knob), {},
              did_you_mean(knob, names, ""));
}

std::string Configuration::key() const {
  std::string key;
  for (const auto& [name, value] : values_)
    key += (key.empty() ? "" : " ") + name + "=" + to_text(value);
  return key;
}

Json to_json(const Configuration& configuration) {
  Json object = Json::object();
  for (const auto& [name, value] : configuration.values()) object[name] = to_json(value);
  return object;
}

void decode(const Json& json, const Place& place, Configuration& configuration) {
  if (!json.is_object()) return place.unexpected("an object", json);
  for (const auto& [name, member] : json.items()) {
    Value value;
    if (member.is_structured() || member.is_null())
      place.member(name).fault("expected a number, text or truth");
    else
      decode(member, place.member(name), value);
    configuration.set(name, std::move(value));
  }
}

std::string difference_text(const Configuration& configuration, const Configuration& baseline) {
  std::string text;
  for (const auto& [name, value] : configuration.values())
    if (!baseline.has(name) || !(baseline.at(name) == value))
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, to_text(value));
  return text.empty() ? "(baseline)" : text;
}

}  // namespace rooftune::space
