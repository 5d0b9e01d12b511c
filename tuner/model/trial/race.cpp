// What a race concludes.
#include "trial/race.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/list.h"
#include "trial/staircase.h"
#include "trial/statistics.h"

namespace rooftune::trial {
namespace {

/// A race's rounds as far as they count.
class Counted {
 public:
  Counted(const Race& race, double confidence)
      : lost_(race.seconds.size(), Numbers(race.configurations.size(), 0)),
        confidence_(confidence) {
    for (const DisturbedSample& one : race.disturbed)
      lost_[one.round][one.configuration] = one.lost;
  }
  /// At the confidence that decides: 95 % for all comparisons and looks together.
  explicit Counted(const Race& race)
      : Counted(race, 1 - 0.05 / (double(std::max<size_t>(1, race.configurations.size() - 1)) *
                                  race.looks)) {}
  /// A configuration's figure: the lower quartile over the rounds, over its clean ones unless too
  /// few are.
  Estimate figure(const NumberRows& rounds, size_t c) const {
    Estimates all;
    for (const size_t r : indices(rounds))
      if (rounds[r][c] > 0) all.push_back(time(rounds, r, c));
    constexpr size_t enough = 5;
    if (const auto clean = points(all); clean.size() >= enough)
      return quantile_over_time(clean, 0.25, 0.95);
    return quantile_in_quiet(all, 0.25, 0.95);
  }
  /// slow / fast, round by round: drift that hits both cancels.
  Estimates ratios(const NumberRows& rounds, size_t slow, size_t fast) const {
    Estimates ratios;
    for (const size_t r : indices(rounds))
      if (rounds[r][slow] > 0 && rounds[r][fast] > 0)
        ratios.push_back(time(rounds, r, slow) / time(rounds, r, fast));
    return ratios;
  }
  bool is_clean(size_t round, size_t c) const { return lost_[round][c] == 0; }
  bool are_enough(size_t pairs) const { return trial::are_enough(pairs, confidence_); }
  Estimate ratio(const NumberRows& rounds, size_t slow, size_t fast) const {
    const auto pairs = ratios(rounds, slow, fast);
    return pairs.empty() ? Estimate::exact(1) : ratio_in_quiet(pairs, confidence_);
  }

 private:
  /// Waits cannot have made a sample slower than the code's fastest undisturbed one.
  Estimate time(const NumberRows& rounds, size_t round, size_t c) const {
    Estimate time = time_in_quiet(rounds[round][c], lost_[round][c]);
    if (time.low == time.value) return time;
    double fastest = HUGE_VAL;
    for (const size_t r : indices(rounds))
      if (rounds[r][c] > 0 && is_clean(r, c)) fastest = std::min(fastest, rounds[r][c]);
    if (fastest < time.value) time.low = std::max(time.low, fastest);
    return time;
  }

  NumberRows lost_;
  double confidence_;
};

bool above_zero(double figure) { return figure > 0; }
bool not_below_zero(double figure) { return figure >= 0; }

}  // namespace

void append(Race& race, const Rounds& rounds, const Indices& places) {
  const auto place = [&](size_t c) { return places.empty() ? c : places[c]; };
  const size_t before = race.seconds.size();
  const auto add = [&](NumberRows& to, const NumberRows& from) {
    for (const auto& round : from) {
      to.emplace_back(places.empty() ? round.size() : race.configurations.size(), 0);
      for (const size_t c : indices(round)) to.back()[place(c)] = round[c];
    }
  };
  add(race.seconds, rounds.seconds);
  if (race.inputs.size() < rounds.inputs.size()) race.inputs.resize(rounds.inputs.size());
  for (const size_t i : indices(rounds.inputs)) add(race.inputs[i], rounds.inputs[i]);
  for (const DisturbedSample& one : rounds.disturbed)
    race.disturbed.push_back({before + one.round, place(one.configuration), one.lost});
  race.fault = rounds.fault;
}

Estimate seconds_under_roof(const Race& race, size_t configuration, const RacedRoof& roof,
                            double rate, double share) {
  const Counted counted(race);
  Numbers all, clean;
  for (const size_t round : indices(race.seconds)) {
    const double seconds = race.seconds[round][configuration];
    if (!(seconds > 0)) continue;
    all.push_back(seconds * std::pow(roof.rates[round] / rate, share));
    if (counted.is_clean(round, configuration)) clean.push_back(all.back());
  }
  return quantile_over_time(clean.empty() ? all : clean, 0.5, 0.95);
}

std::optional<Estimate> paired_ratio(const Race& race, size_t first, size_t second) {
  const Counted counted(race, 0.95);
  if (counted.ratios(race.seconds, first, second).empty()) return std::nullopt;
  return counted.ratio(race.seconds, first, second);
}

Race only(const Race& race, const Indices& places) {
  Race result = race;
  result.configurations.clear();
  for (const size_t place : places) result.configurations.push_back(race.configurations[place]);
  const auto chosen = [&](NumberRows& rounds) {
    for (auto& round : rounds) {
      Numbers some;
      for (const size_t place : places) some.push_back(round[place]);
      round = std::move(some);
    }
  };
  chosen(result.seconds);
  for (NumberRows& input : result.inputs) chosen(input);
  result.disturbed.clear();
  for (DisturbedSample one : race.disturbed)
    if (const auto found = std::ranges::find(places, one.configuration); found != places.end()) {
      one.configuration = size_t(found - places.begin());
      result.disturbed.push_back(one);
    }
  return result;
}

Race on_input(const Race& race, size_t input) {
  Race result = race;
  result.seconds = race.inputs.at(input);
  result.inputs.clear();
  result.roofs.clear();
  return result;
}

Verdict judge_on_input(const Race& race, size_t input, const Verdict& whole) {
  const Race here = on_input(race, input);
  const Counted counted(here);
  Verdict verdict = whole;
  verdict.speedup.reset();
  for (const size_t c : indices(here.configurations))
    verdict.seconds[c] = counted.figure(here.seconds, c);
  if (here.with_baseline) verdict.speedup = counted.ratio(here.seconds, 0, whole.winner);
  return verdict;
}

Verdict judge(const Race& race) {
  if (race.configurations.empty() || race.seconds.empty())
    throw Error("a race without rounds cannot be judged");
  const size_t count = race.configurations.size();
  const Counted counted(race);
  const auto ratio = [&](size_t slow, size_t fast) {
    return counted.ratio(race.seconds, slow, fast);
  };
  // Each against the fastest so far: against a common one, its own noise would be in every ratio.
  const auto fastest_of = [&](const Indices& some) {
    size_t fastest = some.front();
    for (const size_t c : some)
      if (c != fastest && ratio(fastest, c).value > 1) fastest = c;
    return fastest;
  };
  Verdict verdict;
  Indices all, better;
  for (size_t c = 0; c < count; ++c) {
    all.push_back(c);
    if (race.with_baseline && c > 0 && ratio(0, c).low > 1) better.push_back(c);
    verdict.seconds.push_back(counted.figure(race.seconds, c));
  }
  const size_t fastest = fastest_of(better.empty() ? all : better);
  verdict.winner = fastest;
  for (size_t c = 0; c < count; ++c) {
    if (c == fastest) continue;
    const double low = ratio(c, fastest).low;
    if (low <= 1) verdict.ties.push_back(c);
    constexpr double certainly = 3;
    if (low > (race.with_baseline && c == 0 ? certainly : 1)) verdict.leaves.push_back(c);
  }
  if (!race.with_baseline) return verdict;
  verdict.speedup = ratio(0, fastest);
  verdict.baseline_stands = better.empty();
  constexpr double told_apart = 1.1;
  for (size_t c = 1; c < count && better.empty() && !verdict.doubt; ++c) {
    const Estimate gain = ratio(0, c);
    const bool rival = fastest == 0 ? gain.high > told_apart : c == fastest;
    if (!rival || !(gain.high > told_apart * gain.low)) continue;
    const auto pairs = counted.ratios(race.seconds, 0, c);
    verdict.doubt = gain;
    verdict.clean_pairs = points(pairs).size();
    verdict.disturbed =
        !counted.are_enough(verdict.clean_pairs) && counted.are_enough(pairs.size());
  }
  // A best that nobody can tell from the baseline is no reason to leave it.
  if (const auto tied = std::ranges::find(verdict.ties, size_t{0}); tied != verdict.ties.end())
    std::swap(*tied, verdict.winner);
  return verdict;
}

void Race::check(const Race& race, const Place& place) {
  const auto are_whole = [&](const char* name, const NumberRows& all) {
    const bool whole = all_of(all, [&](const auto& round) {
      return !round.empty() && round.size() == race.configurations.size() &&
             all_of(round, not_below_zero);
    });
    if (!whole) place.member(name).fault("a round must hold one figure per configuration");
    return whole;
  };
  bool whole = are_whole("seconds", race.seconds);
  for (const NumberRows& input : race.inputs) {
    whole = are_whole("inputs", input) && whole;
    if (input.size() != race.seconds.size())
      place.member("inputs").fault("an input must have as many rounds as all together");
  }
  if (!whole) return;
  for (size_t c = 0; c < race.configurations.size() && !race.seconds.empty(); ++c)
    if (!above_zero(race.seconds.front()[c]))
      return place.member("seconds").fault("the first round must have times above 0");
  for (const DisturbedSample& one : race.disturbed)
    if (one.round >= race.seconds.size() || one.configuration >= race.configurations.size())
      place.member("disturbed").fault("must be pairs of a round and a configuration");
  for (const RacedRoof& roof : race.roofs) {
    if (!all_of(roof.rates, above_zero))
      place.member("roofs").fault("rates must be numbers above 0");
    if (roof.rates.size() != race.seconds.size())
      place.member("roofs").fault("there must be one rate per round");
  }
}

}  // namespace rooftune::trial
