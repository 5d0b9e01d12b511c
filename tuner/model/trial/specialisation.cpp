#include "trial/specialisation.h"

#include <algorithm>

#include "trial/paired_time.h"
#include "trial/statistics.h"

namespace rooftune::trial {
namespace {

/// One trial may flatter a configuration, so several are raced.
constexpr std::size_t candidates = 3;

/// The fastest on one input among all measured there, dropped ones included.
std::vector<const Trial*> fastest(const History& history, std::size_t input,
                                  const Configuration& common) {
  std::vector<const Trial*> found;
  for (const Trial& trial : history.trials())
    if (trial.ok() && trial.measurement->inputs.size() > input &&
        !trial.measurement->inputs[input].samples.empty() && !(trial.configuration == common) &&
        history.find(trial.configuration) == &trial)
      found.push_back(&trial);
  const auto seconds = [&](const Trial* trial) {
    return trial->measurement->inputs[input].seconds.value;
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Trial* a, const Trial* b) { return seconds(a) < seconds(b); });
  if (found.size() > candidates) found.resize(candidates);
  return found;
}

/// Rounds common to all raced inputs.
std::size_t shared_rounds(const Specialisation& specialisation) {
  std::size_t shared = SIZE_MAX;
  for (const SpecialisedInput& input : specialisation.inputs)
    if (input.race.configurations.size() > 1) shared = std::min(shared, input.race.seconds.size());
  return shared == SIZE_MAX ? 0 : shared;
}

/// The objective of the common configuration over the objective with every input's own, in one
/// round.
double ratio_of_all(const Specialisation& specialisation, const Objective& objective,
                    std::size_t round) {
  std::vector<double> common, own;
  for (const SpecialisedInput& input : specialisation.inputs) {
    const bool alone = input.race.seconds.empty();
    common.push_back(alone ? input.common_seconds : input.race.seconds[round].front());
    own.push_back(alone ? input.common_seconds : input.race.seconds[round][input.winner()]);
  }
  return objective.time(common) / objective.time(own);
}

SpecialisedInput raced(const History& history, const Trial& chosen, std::size_t input,
                       Evaluator& evaluator, const SpecialisationLimits& limits) {
  SpecialisedInput own;
  own.common_seconds = chosen.measurement->inputs[input].seconds.value;
  own.race.looks = 1;
  own.race.configurations = {chosen.configuration};
  double round = own.common_seconds;
  for (const Trial* trial : fastest(history, input, chosen.configuration)) {
    own.race.configurations.push_back(trial->configuration);
    round += trial->measurement->inputs[input].seconds.value;
  }
  if (own.race.configurations.size() < 2) return own;
  const int rounds = round * many_rounds > limits.seconds ? few_rounds : many_rounds;
  append(own.race, evaluator.race(own.race.configurations, rounds, limits.seed));
  return own;
}

}  // namespace

std::optional<Specialisation> specialise(const History& history, const Configuration& common,
                                         const std::vector<Evaluator*>& inputs,
                                         const SpecialisationLimits& limits) {
  const Trial* chosen = history.find(common);
  if (!chosen || !chosen->ok() || chosen->measurement->inputs.size() != inputs.size() ||
      !chosen->measurement->complete())
    return std::nullopt;
  Specialisation specialisation;
  specialisation.common = common;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (limits.interrupted()) return std::nullopt;
    try {
      specialisation.inputs.push_back(raced(history, *chosen, i, *inputs[i], limits));
    } catch (const Interrupted&) {
      return std::nullopt;
    }
  }
  return specialisation;
}

SpecialisationGains gains(const Specialisation& specialisation, const Objective& objective) {
  double count = 1;
  bool complete = true;
  for (const SpecialisedInput& own : specialisation.inputs) {
    count += static_cast<double>(own.race.configurations.size() - 1);
    complete = complete && !own.failed();
  }
  const double confidence = 1 - 0.05 / count;
  SpecialisationGains result;
  bool any = false;
  for (const SpecialisedInput& own : specialisation.inputs) {
    const std::size_t winner = own.winner();
    std::vector<double> ratios;
    for (const auto& round : own.race.seconds) ratios.push_back(round.front() / round[winner]);
    any = any || winner != 0;
    if (own.failed())
      result.inputs.emplace_back(std::nullopt);
    else
      result.inputs.emplace_back(winner == 0 ? Estimate::exact(1)
                                             : median_ratio(ratios, confidence));
  }
  if (!complete) return result;
  std::vector<double> ratios;
  for (std::size_t round = 0; round < shared_rounds(specialisation); ++round)
    ratios.push_back(ratio_of_all(specialisation, objective, round));
  result.all = any ? median_ratio(ratios, confidence) : Estimate::exact(1);
  return result;
}

}  // namespace rooftune::trial
