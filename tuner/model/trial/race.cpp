#include "trial/race.h"

#include <algorithm>

#include "core/error.h"
#include "trial/statistics.h"

namespace rooftune::trial {
namespace {

/// [round][configuration]
using Figures = std::vector<std::vector<double>>;

std::vector<double> column(const Figures& rounds, std::size_t c) {
  std::vector<double> figures;
  for (const auto& round : rounds) figures.push_back(round[c]);
  return figures;
}

/// slow / fast, round by round: common drift of the machine cancels.
std::vector<double> paired_ratios(const Figures& rounds, std::size_t slow, std::size_t fast) {
  std::vector<double> ratios;
  for (const auto& round : rounds) ratios.push_back(round[slow] / round[fast]);
  return ratios;
}

Estimate over_rounds(const Figures& rounds, std::size_t c) {
  return quantile_over_time(column(rounds, c), 0.25, 0.95);
}

Figures rounds_from_json(const Json& json, const Race& race, const std::string& where,
                         Faults& faults) {
  Figures rounds;
  const auto time = [](const Json& one) { return one.is_number() && one.get<double>() > 0; };
  for (const auto& round : json) {
    if (!round.is_array() || round.empty() || round.size() != race.configurations.size() ||
        !std::all_of(round.begin(), round.end(), time)) {
      faults.add(where, "a round must hold one figure above 0 per configuration");
      break;
    }
    rounds.push_back(round.get<std::vector<double>>());
  }
  return rounds;
}

/// After Bonferroni for the number of comparisons and of looks.
double corrected_confidence(const Race& race) {
  const double comparisons =
      static_cast<double>(std::max<std::size_t>(1, race.configurations.size() - 1));
  return 1 - 0.05 / (comparisons * race.looks);
}

}  // namespace

void append(Race& race, const Rounds& rounds) {
  race.seconds.insert(race.seconds.end(), rounds.seconds.begin(), rounds.seconds.end());
  race.joules.insert(race.joules.end(), rounds.joules.begin(), rounds.joules.end());
  if (race.inputs.size() < rounds.inputs.size()) race.inputs.resize(rounds.inputs.size());
  for (std::size_t i = 0; i < rounds.inputs.size(); ++i)
    race.inputs[i].insert(race.inputs[i].end(), rounds.inputs[i].begin(), rounds.inputs[i].end());
  race.fault = rounds.fault;
}

Estimate seconds_under_roof(const Race& race, std::size_t configuration, const RacedRoof& roof,
                            double rate) {
  std::vector<double> seconds;
  for (std::size_t round = 0; round < race.seconds.size(); ++round)
    seconds.push_back(race.seconds[round][configuration] * roof.rates[round] / rate);
  return quantile_over_time(seconds, 0.5, 1 - 0.05 / static_cast<double>(race.roofs.size()));
}

Race on_input(const Race& race, std::size_t input) {
  Race result = race;
  result.seconds = race.inputs.at(input);
  result.inputs.clear();
  result.roofs.clear();
  return result;
}

Verdict judge_on_input(const Race& race, std::size_t input, const Verdict& whole) {
  const Race here = on_input(race, input);
  Verdict verdict = whole;
  verdict.speedup.reset();
  for (std::size_t c = 0; c < here.configurations.size(); ++c)
    verdict.seconds[c] = over_rounds(here.seconds, c);
  if (here.with_baseline)
    verdict.speedup =
        median_ratio(paired_ratios(here.seconds, 0, whole.winner), corrected_confidence(here));
  return verdict;
}

Verdict judge(const Race& race) {
  if (race.configurations.empty() || race.seconds.empty())
    throw Error("a race without rounds cannot be judged");
  const std::size_t count = race.configurations.size();
  const double confidence = corrected_confidence(race);

  const bool by_energy = !race.joules.empty();
  const Figures& ranked = by_energy ? race.joules : race.seconds;
  Verdict verdict;
  std::vector<double> medians;
  for (std::size_t c = 0; c < count; ++c) {
    verdict.seconds.push_back(over_rounds(race.seconds, c));
    if (by_energy) verdict.joules.push_back(over_rounds(race.joules, c));
    medians.push_back(median_ratio(paired_ratios(ranked, c, 0), confidence).value);
  }
  verdict.winner =
      static_cast<std::size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin());
  for (std::size_t c = 0; c < count; ++c) {
    if (c == verdict.winner) continue;
    if (median_ratio(paired_ratios(ranked, c, verdict.winner), confidence).low <= 1)
      verdict.ties.push_back(c);
  }
  if (race.with_baseline) {
    verdict.speedup = median_ratio(paired_ratios(race.seconds, 0, verdict.winner), confidence);
    if (by_energy)
      verdict.saving = median_ratio(paired_ratios(ranked, 0, verdict.winner), confidence);
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

RacedRoof read_roof(ObjectReader& reader, std::size_t rounds) {
  RacedRoof roof;
  roof.ceiling = reader.text("ceiling");
  for (const Json& rate : reader.member("rates")) {
    if (!rate.is_number() || !(rate.get<double>() > 0)) {
      reader.fault("rates", "must be numbers above 0");
      break;
    }
    roof.rates.push_back(rate.get<double>());
  }
  if (roof.rates.size() != rounds) reader.fault("rates", "there must be one per round");
  return roof;
}

}  // namespace

Json to_json(const Race& race) {
  Json json{{"with_baseline", race.with_baseline}, {"looks", race.looks}, {"fault", race.fault}};
  json["configurations"] = Json::array();
  for (const auto& configuration : race.configurations)
    json["configurations"].push_back(to_json(configuration));
  json["seconds"] = race.seconds;
  if (!race.joules.empty()) json["joules"] = race.joules;
  if (!race.inputs.empty()) json["inputs"] = race.inputs;
  for (const RacedRoof& roof : race.roofs)
    json["roofs"].push_back({{"ceiling", roof.ceiling}, {"rates", roof.rates}});
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
  const std::int64_t looks = reader.integer("looks", 3);
  if (looks < 1 || looks > 1000) reader.fault("looks", "must be 1 to 1000");
  race.looks = static_cast<int>(looks);
  race.fault = reader.text("fault", "");
  for (const auto& element : reader.member("configurations"))
    race.configurations.push_back(configuration_from_json(element, where));
  race.seconds = rounds_from_json(reader.member("seconds"), race, where + ": /seconds", faults);
  if (reader.has("joules"))
    race.joules = rounds_from_json(reader.member("joules"), race, where + ": /joules", faults);
  if (!race.joules.empty() && race.joules.size() != race.seconds.size())
    faults.add(where + ": /joules", "there must be as many rounds as of seconds");
  if (reader.has("inputs"))
    for (const auto& input : reader.member("inputs"))
      race.inputs.push_back(rounds_from_json(input, race, where + ": /inputs", faults));
  for (const auto& input : race.inputs)
    if (input.size() != race.seconds.size())
      faults.add(where + ": /inputs", "an input must have as many rounds as all together");
  reader.each("roofs", [&](ObjectReader& roof) {
    race.roofs.push_back(read_roof(roof, race.seconds.size()));
  });
  const Json& challengers = reader.member("challengers");
  reader.finish();
  faults.raise();
  for (const auto& element : challengers)
    race.challengers.push_back(challenger_from_json(element, where + ": /challengers"));
  return race;
}

}  // namespace rooftune::trial
