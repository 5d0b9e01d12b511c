// Records of experiments as JSON.
// The caller names the place of its input.
#include "trial/experiment.h"

namespace rooftune::trial {
namespace {

Experiment experiment_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader reader(json, where, faults);
  Experiment one;
  one.wall = reader.text("wall");
  one.subject = reader.text("subject");
  one.knob = reader.text("knob", "");
  one.per = reader.text("per", "");
  one.in_front = reader.truth("in_front", true);
  one.absent_because = reader.text("absent_because", "");
  one.along = reader.texts("along");
  const Json &contender = reader.member("contender"), &other = reader.member("other");
  const Json &from = reader.member("from"), &to = reader.member("to");
  const Json &problem = reader.member("problem"), &rounds = reader.member("rounds");
  faults.raise();
  one.contender = configuration_from_json(contender, where + "/contender");
  one.other = configuration_from_json(other, where + "/other");
  if (!one.knob.empty() && !from.is_null()) one.from = value_from_json(from);
  if (!one.knob.empty() && !to.is_null()) one.to = value_from_json(to);
  for (const auto& [name, value] : problem.items()) one.problem[name] = value_from_json(value);
  one.rounds = paired_times_from_json(rounds, where + "/rounds");
  return one;
}

}  // namespace

Json to_json(const std::vector<Experiment>& experiments) {
  Json all = Json::array();
  for (const Experiment& one : experiments) {
    Json problem = Json::object();
    for (const auto& [name, value] : one.problem) problem[name] = to_json(value);
    all.push_back({{"wall", one.wall},
                   {"subject", one.subject},
                   {"contender", to_json(one.contender)},
                   {"knob", one.knob},
                   {"from", to_json(one.from)},
                   {"to", to_json(one.to)},
                   {"along", one.along},
                   {"other", to_json(one.other)},
                   {"problem", problem},
                   {"per", one.per},
                   {"in_front", one.in_front},
                   {"absent_because", one.absent_because},
                   {"rounds", rounds_json(one.rounds)}});
  }
  return {{"experiments", all}};
}

std::vector<Experiment> experiments_from_json(const Json& json, const std::string& where) {
  if (!json.is_object() || !json.contains("experiments") || !json.at("experiments").is_array())
    throw Error("expected {\"experiments\": [...]}", where);
  std::vector<Experiment> all;
  for (const Json& one : json.at("experiments"))
    all.push_back(experiment_from_json(one, where + "/experiments/" + std::to_string(all.size())));
  return all;
}

}  // namespace rooftune::trial
