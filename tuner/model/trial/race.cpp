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

bool above_zero(double figure) { return figure > 0; }

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
    const auto tied = std::find(verdict.ties.begin(), verdict.ties.end(), std::size_t{0});
    verdict.baseline_stands = verdict.winner == 0 || tied != verdict.ties.end();
    // A best that nobody can tell from the baseline is no reason to leave it.
    if (tied != verdict.ties.end()) std::swap(*tied, verdict.winner);
  }
  return verdict;
}

void Race::check(const Race& race, const Place& place) {
  const auto rounds = [&](const char* name, const Figures& all, const char* unlike) {
    for (const auto& round : all)
      if (round.empty() || round.size() != race.configurations.size() ||
          !std::all_of(round.begin(), round.end(), above_zero))
        return place.member(name).fault("a round must hold one figure above 0 per configuration");
    if (all.size() != race.seconds.size()) place.member(name).fault(unlike);
  };
  rounds("seconds", race.seconds, "");
  if (!race.joules.empty())
    rounds("joules", race.joules, "there must be as many rounds as of seconds");
  for (const Figures& input : race.inputs)
    rounds("inputs", input, "an input must have as many rounds as all together");
  for (const RacedRoof& roof : race.roofs) {
    if (!std::all_of(roof.rates.begin(), roof.rates.end(), above_zero))
      place.member("roofs").fault("rates must be numbers above 0");
    if (roof.rates.size() != race.seconds.size())
      place.member("roofs").fault("there must be one rate per round");
  }
}

}  // namespace rooftune::trial
