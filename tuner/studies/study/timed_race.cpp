#include "study/timed_race.h"

#include <algorithm>

#include "core/list.h"
#include "os/interruption.h"

namespace rooftune::study {

std::optional<bool> run_rounds(Race& race, const TimedRace& how,
                               const std::function<AfterRound(const Race& until_now)>& next) {
  const SearchOptions& options = how.options;
  const Roofs roofs = options.roofs ? options.roofs(how.best, how.baseline) : Roofs{};
  std::vector<RacedRoof> read;
  for (const std::string& name : roofs.names) read.push_back({name, {}});
  Race until_now = race;
  Rounds rounds;
  const auto after = [&](const Rounds& all) {
    options.throw_if_interrupted();
    const Numbers rates = read.empty() ? Numbers() : roofs.rates();
    for (const size_t i : indices(rates)) read[i].rates.push_back(rates[i]);
    until_now = race;
    append(until_now, all);
    return next(until_now);
  };
  const bool ended = in_time(how.limit, [&] {
    rounds = how.evaluator.race(race.configurations, {how.rounds, options.seed}, after);
  });
  if (!rounds.refuted.empty()) return std::nullopt;
  if (ended)
    append(race, rounds);
  else
    race = std::move(until_now);
  // A failed round has no reading, and separate inputs do not run at the same moments.
  if (!race.inputs.empty()) return ended;
  race.roofs = filtered(read, [](const RacedRoof& roof) {
    return none_of(roof.rates, [](double rate) { return rate <= 0; });
  });
  for (RacedRoof& roof : race.roofs) roof.rates.resize(race.seconds.size());
  return ended;
}

}  // namespace rooftune::study
