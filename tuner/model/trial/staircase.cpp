#include "trial/staircase.h"

#include <algorithm>
#include <cmath>

#include "core/list.h"

namespace rooftune::trial {

void StaircaseRace::check(const StaircaseRace& race, const Place& place) {
  if (race.winner >= race.race.configurations.size())
    place.member("winner").fault("must be the place of a configuration in the race");
}

int clean_rounds(const Race& race, size_t first, size_t second) {
  int count = 0;
  for (const size_t round : indices(race.seconds)) {
    const auto& seconds = race.seconds[round];
    const bool disturbed = any_of(race.disturbed, [&](const DisturbedSample& one) {
      return one.round == round && (one.configuration == first || one.configuration == second);
    });
    count += seconds[first] > 0 && seconds[second] > 0 && !disturbed ? 1 : 0;
  }
  return count;
}

Indices settled(const Race& race, size_t winner) {
  constexpr int fewest = 3;
  constexpr double stated = 0.03;
  Indices result;
  for (const size_t c : indices(race.configurations)) {
    if (c == winner || clean_rounds(race, c, winner) < fewest) continue;
    const auto ratio = paired_ratio(race, c, winner);
    const double tolerance = stated * (1 + std::abs(std::log(ratio->value)));
    if (ratio->high <= (1 + tolerance) * ratio->low) result.push_back(c);
  }
  return result;
}

Indices climbed(const StaircaseRace& staircase) {
  constexpr double least_gain = 1.01;
  const Race& race = staircase.race;
  Indices kept{0};
  const auto gain = [&](size_t c) {
    return paired_ratio(race, kept.back(), c).value_or(Estimate::exact(0));
  };
  const auto sure = [&](size_t c) { return gain(c).low > 1 && gain(c).value >= least_gain; };
  for (size_t c = 1; c < race.configurations.size(); ++c) {
    // A gain that noise may have made is joined with the next, the winner's with the one before.
    const bool is_top = c == staircase.winner && gain(c).value >= least_gain;
    while (is_top && kept.size() > 1 && !sure(c)) kept.pop_back();
    if (sure(c) || is_top || (staircase.given && c <= staircase.winner)) kept.push_back(c);
  }
  // A report shows times beside the top's, and by these a step may gain less than by the pair's
  // ratio.
  const size_t top = kept.back();
  for (size_t i = kept.size() - 1; i > 1 && !staircase.given; --i) {
    const auto before = paired_ratio(race, kept[i - 1], top),
               after = paired_ratio(race, kept[i], top);
    const double own = kept[i] == top ? 1 : after ? after->value : 0;
    if (before && own > 0 && before->value < least_gain * own)
      kept.erase(kept.begin() + ptrdiff_t(i - 1));
  }
  return kept;
}

}  // namespace rooftune::trial
