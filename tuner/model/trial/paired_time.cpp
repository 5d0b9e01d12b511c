#include "trial/paired_time.h"

#include "core/error.h"

namespace rooftune::trial {

std::vector<double> ratios(const std::vector<PairedTime>& rounds) {
  std::vector<double> result;
  for (const auto& [first, second] : rounds) result.push_back(first / second);
  return result;
}

Json rounds_json(const std::vector<PairedTime>& rounds) {
  Json json = Json::array();
  for (const auto& [first, second] : rounds) json.push_back({first, second});
  return json;
}

std::vector<PairedTime> paired_times_from_json(const Json& json, const std::string& where) {
  std::vector<PairedTime> rounds;
  const auto time = [](const Json& one) { return one.is_number() && one.get<double>() > 0; };
  for (const Json& round : json) {
    if (!round.is_array() || round.size() != 2 || !time(round[0]) || !time(round[1]))
      throw Error("a round must be two times above 0", where);
    rounds.emplace_back(round[0].get<double>(), round[1].get<double>());
  }
  return rounds;
}

std::vector<std::string> moved_along(const Configuration& before, const Configuration& after,
                                     const std::string& moved) {
  std::vector<std::string> along;
  for (const auto& [name, value] : after.values())
    if (name != moved && !(value == before.at(name))) along.push_back(name);
  return along;
}

}  // namespace rooftune::trial
