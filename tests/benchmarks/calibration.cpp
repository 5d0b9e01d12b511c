// Whether what a study says is true: machines whose noise is known, kernels whose times are known.
//
// calibration [--studies N] [--noise FILE]...   the table of errors and coverages, on stdout
// calibration --record FILE --machine FILE --seconds N   the noise of this host, for --noise
//
// A simulated machine has a mood m(t) >= 1 by which everything that waits for memory is slowed, and
// each window has noise of its own. A study is simulated as it is run: a probe, trials one after
// the other, a race whose rounds are spread, the ceiling's micro-kernel after each round. The truth
// of a ratio is that of a mood of 1, and kernels that wait for memory half of their time hold it
// only in part: the errors of a real machine are in it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <optional>

#include "core/file.h"
#include "core/json.h"
#include "core/rng.h"
#include "probe/probe.h"
#include "roofline/drift.h"
#include "roofline/machine_json.h"
#include "roofline/roofline.h"
#include "support/machine_builder.h"
#include "trial/evaluator.h"
#include "trial/staircase.h"
#include "trial/statistics.h"

using namespace rooftune;

namespace {

using Mood = std::function<double(double seconds)>;

/// How a machine's mood comes about.
struct Noise {
  std::string name;
  std::function<Mood(Rng&)> mood;
};

constexpr double horizon = 200;  // of one study [s]

/// Piecewise constant: `next` gives the length [s] and the value of each piece.
Mood pieces(Rng& rng, const std::function<std::pair<double, double>(Rng&)>& next) {
  std::vector<std::pair<double, double>> ends;
  for (double t = 0; t < horizon;) {
    const auto [length, value] = next(rng);
    t += length;
    ends.emplace_back(t, value);
  }
  return [ends](double t) {
    const auto found = std::lower_bound(ends.begin(), ends.end(), std::pair(t, 0.0));
    return found == ends.end() ? ends.back().second : found->second;
  };
}

double exponential(Rng& rng, double mean) { return -mean * std::log(1 - rng.unit()); }

Mood steps(Rng& rng) {
  const double depth = 0.3 * rng.unit();
  return pieces(rng, [depth](Rng& r) {
    return std::pair(exponential(r, 4), r.below(2) == 0 ? 1.0 : 1 + depth);
  });
}
Mood bursts(Rng& rng) {
  return pieces(rng, [](Rng& r) {
    const bool burst = r.below(8) == 0;
    return std::pair(exponential(r, burst ? 0.01 : 0.05), burst ? 1 + r.unit() : 1.0);
  });
}
Mood drift(Rng& rng) {
  const double depth = 0.3 * rng.unit(), period = 20 + 280 * rng.unit(), phase = rng.unit();
  return [=](double t) {
    return 1 + depth * 0.5 * (1 + std::sin(2 * std::numbers::pi * (t / period + phase)));
  };
}

std::vector<Noise> synthetic() {
  return {{"quiet", [](Rng&) -> Mood { return [](double) { return 1.0; }; }},
          {"steps of seconds, up to 30 %", steps},
          {"bursts of 10 ms, up to 2x", bursts},
          {"slow drift, up to 30 %", drift},
          {"all three", [](Rng& rng) -> Mood {
             return [a = steps(rng), b = bursts(rng), c = drift(rng)](double t) {
               return a(t) * b(t) * c(t);
             };
           }}};
}

/// Recorded rates [t, rate]: the mood is the best rate over the rate.
Noise recorded(const std::filesystem::path& file) {
  const Json json = read_json(file);
  std::vector<double> times = json.at("seconds").get<std::vector<double>>();
  std::vector<double> rates = json.at("rates").get<std::vector<double>>();
  const double best = *std::max_element(rates.begin(), rates.end());
  return {json.at("name").get<std::string>(), [=](Rng& rng) -> Mood {
            const double last = times.back(), offset = last * rng.unit();
            return [=](double t) {
              const double at = std::fmod(t + offset, last);
              const auto i = std::lower_bound(times.begin(), times.end(), at) - times.begin();
              return best / rates[static_cast<std::size_t>(i)];
            };
          }};
}

struct Kernel {
  double seconds;  ///< in a mood of 1
  double waits;    ///< share of that for memory
};

/// One study on one machine.
class Study {
 public:
  Study(const Noise& noise, std::uint64_t seed) : rng_(seed, 0), mood_(noise.mood(rng_)) {}

  double sample(const Kernel& kernel) {
    const double mood = mood_(now_);
    now_ += 1e-3;
    return kernel.seconds * (1 - kernel.waits + kernel.waits * mood) * own_noise();
  }
  double roof_rate() {
    std::vector<double> windows;
    for (int i = 0; i < 6; ++i) {
      windows.push_back(1 / (mood_(now_) * own_noise()));
      now_ += 0.7e-3;
    }
    return quantile(windows, 0.5);
  }
  void pass(double seconds) { now_ += seconds; }
  /// What the long run gives: the median over many moments of a figure of the mood.
  double truth(const std::function<double(double mood)>& figure) const {
    constexpr int moments = 400;
    std::vector<double> all;
    for (int i = 0; i < moments; ++i) all.push_back(figure(mood_(horizon * (i + 0.5) / moments)));
    return quantile(all, 0.5);
  }
  Rng& rng() { return rng_; }

 private:
  /// Disturbance only slows.
  double own_noise() { return 1 + exponential(rng_, 0.01); }

  Rng rng_;
  Mood mood_;
  double now_ = 0;
};

struct Tally {
  int studies = 0, speedup = 0, decided = 0, wrong_winner = 0, told = 0;
  int trials = 0, trial_alone = 0, trial_between = 0;
  int lines = 0, passed = 0, called_broken = 0, wrong_broken = 0;
};

bool holds(const Estimate& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

/// `race`: baseline and winner alone.
void count_lines(const Race& race, const Kernel& baseline, const Kernel& best, const Estimate& roof,
                 Tally& tally) {
  using namespace test;
  const Verdict verdict = judge(race);
  // One ceiling, of 1 B/s at best; five problems that put it before, between and behind the two.
  for (const double place : {0.5, 0.9, 1.15, 1.4, 1.9}) {
    const double limit = best.seconds * place;
    Machine machine = plain_machine();
    machine.ceilings = {stream("roof", "DRAM", 1, 1)};
    machine.ceilings[0].rate = roof;
    StairEvidence evidence;
    for (const std::size_t c : {0, 1})
      evidence.beside["roof"].push_back(
          {seconds_under_roof(race, c, race.roofs[0], roof.value),
           seconds_under_roof(race, c, race.roofs[0], roof.value, 0.5)});
    const Roofline roofline{Work{}, moved(limit, 0, false), machine, 1};
    const auto ledger =
        roofline.ledger({{verdict.seconds[0], {}}, {verdict.seconds[1], {}}}, evidence);
    ++tally.lines;
    const bool passed = best.seconds < limit && limit < baseline.seconds;
    const bool called = !ledger.empty() && ledger.front().passed_by;
    tally.called_broken += called;
    tally.wrong_broken += called && !passed;
    tally.passed += passed;
  }
}

/// A race in rounds, each in an order of its own, the roof after it; `after` says which leave, and
/// nothing to end it.
using AfterRound = std::function<std::optional<std::vector<std::size_t>>(const Race& race)>;
Race raced(Study& study, const std::vector<Kernel>& kernels, const AfterRound& after) {
  Race race;
  race.with_baseline = true;
  race.looks = 5;
  race.roofs.resize(1);
  race.configurations.resize(kernels.size());
  std::vector<bool> left(kernels.size());
  for (;;) {
    std::vector<double> round(kernels.size());
    const std::size_t first = study.rng().below(kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const std::size_t c = (first + i) % kernels.size();
      if (!left[c]) round[c] = study.sample(kernels[c]);
    }
    race.seconds.push_back(round);
    race.roofs[0].rates.push_back(study.roof_rate());
    study.pass(0.05);
    const auto leaves = after(race);
    if (!leaves) return race;
    for (const std::size_t c : *leaves) left[c] = true;
  }
}

/// The race of the staircase: until each ratio is known as closely as it is stated, and the
/// baseline is beaten.
Race staircase(Study& study, const std::vector<Kernel>& kernels) {
  return raced(study, kernels, [](const Race& race) -> std::optional<std::vector<std::size_t>> {
    auto leaves = settled(race, 1);
    if (judge(race).baseline_stands) std::erase(leaves, std::size_t{0});
    if (leaves.size() + 1 == race.configurations.size() || race.seconds.size() >= 16)
      return std::nullopt;
    return leaves;
  });
}

/// The race of baseline and finalists, where trials leave a doubt.
Race finalists(Study& study, const std::vector<Kernel>& kernels) {
  return raced(study, kernels, [](const Race& race) -> std::optional<std::vector<std::size_t>> {
    const std::size_t done = race.seconds.size();
    if (done != 10 && done != 20 && done != 30 && done != 60 && done != 120)
      return std::vector<std::size_t>{};
    const Verdict verdict = judge(race);
    if (verdict.decided() || (done >= 30 && !verdict.doubt) || done == 120) return std::nullopt;
    return verdict.leaves;
  });
}

void simulate(const Noise& noise, std::uint64_t seed, Tally& tally) {
  Study study(noise, seed);
  Rng& rng = study.rng();
  // Four finalists within 12 %, and a baseline; all wait for memory to some degree.
  std::vector<Kernel> kernels{{1e-3 * (1 + 1.5 * rng.unit()), 0.5 + 0.5 * rng.unit()}};
  for (int i = 0; i < 4; ++i) kernels.push_back({1e-3 * (1 + 0.12 * rng.unit()), 0});
  for (std::size_t i = 1; i < kernels.size(); ++i)
    kernels[i].waits = std::min(1.0, kernels[0].waits * (0.8 + 0.4 * rng.unit()));
  double fastest = 0, slowest = 1;
  for (int i = 0; i < 30; ++i) {
    const double rate = study.roof_rate();
    fastest = std::max(fastest, rate);
    slowest = std::min(slowest, rate);
    study.pass(1.3);
  }
  std::vector<Estimate> trials;
  for (const Kernel& kernel : kernels) {
    std::vector<double> samples;
    for (int i = 0; i < 60; ++i) samples.push_back(study.sample(kernel));
    trials.push_back(quantile_over_time(samples, 0.25, 0.95));
    study.pass(8);
  }
  study.pass(4);
  const auto best_trial = static_cast<std::size_t>(
      std::ranges::min_element(trials.begin() + 1, trials.end(), {}, &Estimate::value) -
      trials.begin());
  // Those in the race: the baseline, the best of the trials, finalists as fast.
  std::vector<std::size_t> in{0, best_trial};
  const bool clear = (trials[0] / trials[best_trial]).low > 1.1;
  for (std::size_t c = 1; c < kernels.size(); ++c)
    if (c != best_trial) in.push_back(c);
  std::vector<Kernel> chosen;
  for (const std::size_t c : in) chosen.push_back(kernels[c]);
  const Race race = clear ? staircase(study, chosen) : finalists(study, chosen);
  const Verdict verdict = judge(race);
  std::size_t top = verdict.winner;
  Race climb = race;
  if (clear) {
    StaircaseRace stairs;
    stairs.race = race;
    stairs.winner = 1;
    top = climbed(stairs).back();
    if (top == 0) top = 1;
    climb = only(race, {0, top});
  } else {
    if (top == 0) top = 1;
    climb = staircase(study, {chosen[0], chosen[top]});
  }
  const Estimate speedup = paired_ratio(climb, 0, 1).value();
  ++tally.studies;
  const auto seconds = [](const Kernel& kernel, double mood) {
    return kernel.seconds * (1 - kernel.waits + kernel.waits * mood);
  };
  const Kernel& winner = chosen[top];
  const double truth =
      study.truth([&](double mood) { return seconds(kernels[0], mood) / seconds(winner, mood); });
  tally.speedup += holds(speedup, truth);
  tally.told += speedup.low > 1 || speedup.high < 1.05;
  tally.decided += verdict.decided();
  const auto long_run = [&](const Kernel& kernel) {
    return study.truth([&](double mood) { return seconds(kernel, mood); });
  };
  double best = HUGE_VAL;
  for (const Kernel& kernel : kernels) best = std::min(best, long_run(kernel));
  const Kernel& said = clear ? winner : chosen[verdict.winner];
  tally.wrong_winner += verdict.decided() && long_run(said) > 1.02 * best;
  std::vector<double> ratios;
  for (std::size_t c = 0; c < in.size(); ++c)
    ratios.push_back(verdict.seconds[c].value / trials[in[c]].value);
  for (std::size_t c = 0; c < in.size(); ++c) {
    ++tally.trials;
    const Estimate& trial = trials[in[c]];
    const double again = verdict.seconds[c].value;
    std::vector<double> others = ratios;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(c));
    const double factor = between_runs(others).value_or(1);
    tally.trial_alone += holds(trial, again);
    tally.trial_between += holds({0, trial.value / factor, trial.value * factor}, again);
  }
  count_lines(climb, kernels[0], winner, {fastest, slowest, fastest}, tally);
}

std::string share(int part, int all) {
  return all == 0 ? "-" : fmt::format("{:.1f} %", 100.0 * part / all);
}

void print_row(const std::string& name, const Tally& t) {
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, t.studies,
             share(t.speedup, t.studies), share(t.told, t.studies),
             share(t.wrong_winner, t.decided), share(t.trial_alone, t.trials),
             share(t.trial_between, t.trials), share(t.called_broken - t.wrong_broken, t.passed),
             share(t.wrong_broken, t.called_broken));
}

void record(const std::map<std::string, std::string>& options) {
  const Machine machine = read_machine(options.at("machine"));
  const std::string& ceiling = options.at("ceiling");
  RoofBench bench(machine.ceilings, {ceiling});
  if (bench.names().empty()) throw Error("cannot run here", ceiling);
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  Json json{{"name", options.count("name") ? options.at("name") : ceiling}};
  std::vector<double> times, rates;
  while (seconds() < std::stod(options.at("seconds"))) {
    rates.push_back(bench.rates().front());
    times.push_back(seconds());
  }
  json["seconds"] = times;
  json["rates"] = rates;
  write_atomically(options.at("record"), json_text(json) + "\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options{{"studies", "1000"}};
  std::vector<Noise> noises = synthetic();
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = std::string(argv[i]).substr(2);
    if (name == "noise")
      noises.push_back(recorded(argv[i + 1]));
    else
      options[name] = argv[i + 1];
  }
  try {
    if (options.count("record")) {
      record(options);
      return 0;
    }
    fmt::print(
        "| noise | studies | speed-up covered | told apart | wrong winner | trial alone | "
        "trial, between runs | passed, said | passed, wrong |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const Noise& noise : noises) {
      Tally tally;
      for (std::uint64_t seed = 0; seed < std::stoull(options.at("studies")); ++seed)
        simulate(noise, seed, tally);
      print_row(noise.name, tally);
    }
  } catch (const Error& error) {
    fmt::print(stderr, "calibration: {}\n", error.what());
    return 2;
  }
  return 0;
}
