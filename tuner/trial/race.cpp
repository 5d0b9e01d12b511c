#include "trial/race.h"

#include <algorithm>

#include "core/error.h"
#include "trial/statistics.h"

namespace rooftune {
namespace {

std::vector<double> column(const Race& race, std::size_t c) {
  std::vector<double> seconds;
  for (const auto& round : race.seconds) seconds.push_back(round[c]);
  return seconds;
}

/// slow / fast, round by round: common drift of the machine cancels.
std::vector<double> paired_ratios(const Race& race, std::size_t slow, std::size_t fast) {
  std::vector<double> ratios;
  for (const auto& round : race.seconds) ratios.push_back(round[slow] / round[fast]);
  return ratios;
}

}  // namespace

Verdict judge(const Race& race) {
  if (race.configurations.empty() || race.seconds.empty())
    throw Error("a race without rounds cannot be judged");
  const std::size_t count = race.configurations.size();
  const double comparisons = static_cast<double>(std::max<std::size_t>(1, count - 1));
  const double confidence = 1 - 0.05 / (comparisons * race.looks);

  Verdict verdict;
  std::vector<double> medians;
  for (std::size_t c = 0; c < count; ++c) {
    verdict.seconds.push_back(quantile_interval(column(race, c), 0.25, 0.95));
    medians.push_back(median_ratio(paired_ratios(race, c, 0), confidence).value);
  }
  verdict.winner =
      static_cast<std::size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin());
  for (std::size_t c = 0; c < count; ++c) {
    if (c == verdict.winner) continue;
    if (median_ratio(paired_ratios(race, c, verdict.winner), confidence).low <= 1)
      verdict.ties.push_back(c);
  }
  if (race.with_baseline) {
    verdict.speedup = median_ratio(paired_ratios(race, 0, verdict.winner), confidence);
    verdict.baseline_stands =
        verdict.winner == 0 ||
        std::find(verdict.ties.begin(), verdict.ties.end(), std::size_t{0}) != verdict.ties.end();
  }
  return verdict;
}

namespace {

Challenger challenger_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader reader(json, where, faults);
  Challenger challenger;
  challenger.knob = reader.text("knob");
  challenger.factor = {reader.real("factor"), reader.real("low"), reader.real("high")};
  const Json& configuration = reader.member("configuration");
  reader.finish();
  faults.raise();
  challenger.configuration = configuration_from_json(configuration, where + "/configuration");
  return challenger;
}

}  // namespace

Json to_json(const Race& race) {
  Json json{{"with_baseline", race.with_baseline}, {"looks", race.looks}, {"fault", race.fault}};
  json["configurations"] = Json::array();
  for (const auto& configuration : race.configurations)
    json["configurations"].push_back(to_json(configuration));
  json["seconds"] = race.seconds;
  json["challengers"] = Json::array();
  for (const Challenger& challenger : race.challengers)
    json["challengers"].push_back({{"configuration", to_json(challenger.configuration)},
                                   {"knob", challenger.knob},
                                   {"factor", challenger.factor.value},
                                   {"low", challenger.factor.low},
                                   {"high", challenger.factor.high}});
  return json;
}

Race race_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader reader(json, where, faults);
  Race race;
  race.with_baseline = reader.truth("with_baseline", false);
  race.looks = static_cast<int>(reader.integer("looks", 3));
  race.fault = reader.text("fault", "");
  for (const auto& element : reader.member("configurations"))
    race.configurations.push_back(configuration_from_json(element, where));
  for (const auto& round : reader.member("seconds")) {
    if (!round.is_array() || round.size() != race.configurations.size()) {
      faults.add(where + ": /seconds", "a round must hold one time per configuration");
      break;
    }
    race.seconds.push_back(round.get<std::vector<double>>());
  }
  const Json& challengers = reader.member("challengers");
  reader.finish();
  faults.raise();
  for (const auto& element : challengers)
    race.challengers.push_back(challenger_from_json(element, where + ": /challengers"));
  return race;
}

}  // namespace rooftune
