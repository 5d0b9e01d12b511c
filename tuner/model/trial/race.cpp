#include "trial/race.h"

#include <algorithm>

#include "core/error.h"
#include "trial/statistics.h"

namespace rooftune::trial {
namespace {

/// [round][configuration]
using Figures = std::vector<std::vector<double>>;

/// The rounds of a race as far as they count.
class Counted {
 public:
  explicit Counted(const Race& race)
      : clean_(race.seconds.size(), std::vector<bool>(race.configurations.size(), true)),
        comparisons_(std::max<std::size_t>(1, race.configurations.size() - 1)),
        confidence_(1 - 0.05 / (static_cast<double>(comparisons_) * race.looks)) {
    for (const auto& [round, c] : race.disturbed) clean_[round][c] = false;
  }
  /// The clean ones of a configuration's figures; all where too few are. Left-out ones are 0.
  std::vector<double> figures(const Figures& rounds, std::size_t c) const {
    std::vector<double> all, clean;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      if (rounds[r][c] <= 0) continue;
      all.push_back(rounds[r][c]);
      if (clean_[r][c]) clean.push_back(rounds[r][c]);
    }
    constexpr std::size_t enough = 5;
    return clean.size() >= enough ? clean : all;
  }
  /// slow / fast, round by round: common drift of the machine cancels.
  std::vector<double> ratios(const Figures& rounds, std::size_t slow, std::size_t fast,
                             bool with_disturbed = false) const {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < rounds.size(); ++r)
      if (rounds[r][slow] > 0 && rounds[r][fast] > 0 &&
          (with_disturbed || (clean_[r][slow] && clean_[r][fast])))
        ratios.push_back(rounds[r][slow] / rounds[r][fast]);
    return ratios;
  }
  bool are_enough(std::size_t pairs) const {
    return quantile_coverage(pairs, 0.5, confidence_) >= confidence_ - 1e-12;
  }
  /// Of too few clean pairs it tells nothing apart.
  Estimate ratio(const Figures& rounds, std::size_t slow, std::size_t fast) const {
    if (const auto clean = this->ratios(rounds, slow, fast); are_enough(clean.size()))
      return median_ratio(clean, confidence_);
    Estimate all = Estimate::exact(1);
    if (const auto any = ratios(rounds, slow, fast, true); !any.empty())
      all = median_ratio(any, confidence_);
    return {all.value, std::min(all.low, 1.0), std::max(all.high, 1.0)};
  }

 private:
  std::vector<std::vector<bool>> clean_;
  std::size_t comparisons_;
  double confidence_;
};

Estimate over_rounds(const std::vector<double>& seconds) {
  return quantile_over_time(seconds, 0.25, 0.95);
}

bool above_zero(double figure) { return figure > 0; }
bool not_below_zero(double figure) { return figure >= 0; }

}  // namespace

void append(Race& race, const Rounds& rounds, const std::vector<std::size_t>& places) {
  const auto place = [&](std::size_t c) { return places.empty() ? c : places[c]; };
  const std::size_t before = race.seconds.size();
  const auto add = [&](Figures& to, const Figures& from) {
    for (const auto& round : from) {
      to.emplace_back(places.empty() ? round.size() : race.configurations.size(), 0);
      for (std::size_t c = 0; c < round.size(); ++c) to.back()[place(c)] = round[c];
    }
  };
  add(race.seconds, rounds.seconds);
  add(race.joules, rounds.joules);
  if (race.inputs.size() < rounds.inputs.size()) race.inputs.resize(rounds.inputs.size());
  for (std::size_t i = 0; i < rounds.inputs.size(); ++i) add(race.inputs[i], rounds.inputs[i]);
  for (const auto& [round, c] : rounds.disturbed)
    race.disturbed.emplace_back(before + round, place(c));
  race.fault = rounds.fault;
}

Estimate seconds_under_roof(const Race& race, std::size_t configuration, const RacedRoof& roof,
                            double rate) {
  std::vector<double> seconds;
  for (std::size_t round = 0; round < race.seconds.size(); ++round)
    if (race.seconds[round][configuration] > 0)
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
  const Counted counted(here);
  Verdict verdict = whole;
  verdict.speedup.reset();
  for (std::size_t c = 0; c < here.configurations.size(); ++c)
    verdict.seconds[c] = over_rounds(counted.figures(here.seconds, c));
  if (here.with_baseline) verdict.speedup = counted.ratio(here.seconds, 0, whole.winner);
  return verdict;
}

Verdict judge(const Race& race) {
  if (race.configurations.empty() || race.seconds.empty())
    throw Error("a race without rounds cannot be judged");
  const std::size_t count = race.configurations.size();
  const Counted counted(race);
  const bool by_energy = !race.joules.empty();
  const Figures& ranked = by_energy ? race.joules : race.seconds;
  const auto ratio = [&](std::size_t slow, std::size_t fast) {
    return counted.ratio(ranked, slow, fast);
  };
  // Each against the fastest so far: against a common one, its own noise would be in every ratio.
  const auto fastest_of = [&](const std::vector<std::size_t>& some) {
    std::size_t fastest = some.front();
    for (const std::size_t c : some)
      if (c != fastest && ratio(fastest, c).value > 1) fastest = c;
    return fastest;
  };
  Verdict verdict;
  std::vector<std::size_t> all, better;
  for (std::size_t c = 0; c < count; ++c) {
    all.push_back(c);
    if (race.with_baseline && c > 0 && ratio(0, c).low > 1) better.push_back(c);
    verdict.seconds.push_back(over_rounds(counted.figures(race.seconds, c)));
    if (by_energy) verdict.joules.push_back(over_rounds(counted.figures(race.joules, c)));
  }
  const std::size_t fastest = fastest_of(better.empty() ? all : better);
  verdict.winner = fastest;
  for (std::size_t c = 0; c < count; ++c) {
    if (c == fastest) continue;
    const double low = ratio(c, fastest).low;
    if (low <= 1) verdict.ties.push_back(c);
    constexpr double certainly = 3;
    if (low > (race.with_baseline && c == 0 ? certainly : 1)) verdict.leaves.push_back(c);
  }
  if (!race.with_baseline) return verdict;
  verdict.speedup = counted.ratio(race.seconds, 0, fastest);
  if (by_energy) verdict.saving = ratio(0, fastest);
  verdict.baseline_stands = better.empty();
  constexpr double told_apart = 1.1;
  for (std::size_t c = 1; c < count && better.empty() && !verdict.doubt; ++c) {
    const Estimate gain = ratio(0, c);
    const std::size_t clean = counted.ratios(ranked, 0, c).size();
    const bool unknown =
        !counted.are_enough(clean) && counted.are_enough(counted.ratios(ranked, 0, c, true).size());
    const bool rival = fastest == 0 ? unknown || gain.high > told_apart : c == fastest;
    if (!rival || !(unknown || gain.high > told_apart * gain.low)) continue;
    verdict.doubt = gain;
    verdict.clean_pairs = clean;
    verdict.disturbed = unknown;
  }
  // A best that nobody can tell from the baseline is no reason to leave it.
  if (const auto tied = std::find(verdict.ties.begin(), verdict.ties.end(), std::size_t{0});
      tied != verdict.ties.end())
    std::swap(*tied, verdict.winner);
  return verdict;
}

void Race::check(const Race& race, const Place& place) {
  const auto rounds = [&](const char* name, const Figures& all, const char* unlike) {
    for (const auto& round : all)
      if (round.empty() || round.size() != race.configurations.size() ||
          !std::all_of(round.begin(), round.end(), not_below_zero))
        return place.member(name).fault("a round must hold one figure per configuration");
    if (all.size() != race.seconds.size()) place.member(name).fault(unlike);
  };
  rounds("seconds", race.seconds, "");
  if (!race.joules.empty())
    rounds("joules", race.joules, "there must be as many rounds as of seconds");
  for (const Figures& input : race.inputs)
    rounds("inputs", input, "an input must have as many rounds as all together");
  for (std::size_t c = 0; c < race.configurations.size() && !race.seconds.empty(); ++c)
    if (!above_zero(race.seconds.front()[c]))
      return place.member("seconds").fault("the first round must have times above 0");
  for (const auto& [round, c] : race.disturbed)
    if (round >= race.seconds.size() || c >= race.configurations.size())
      place.member("disturbed").fault("must be pairs of a round and a configuration");
  for (const RacedRoof& roof : race.roofs) {
    if (!std::all_of(roof.rates.begin(), roof.rates.end(), above_zero))
      place.member("roofs").fault("rates must be numbers above 0");
    if (roof.rates.size() != race.seconds.size())
      place.member("roofs").fault("there must be one rate per round");
  }
}

}  // namespace rooftune::trial
