// How soon a study has a good configuration: best found over best known after so many seconds, by
// kernel and strategy, each study with an empty cache of artefacts:
//   time_to_good tune=build/dev/bin/tune [kernels=gpp,spmv,snap,diffusion3d] [problem=]
//   [at=15,30,60] [strategies=roofline,random] [seeds=1,2,3,4,5] [rounds=12] [more=]
//   [out=time_to_good.json] [folder=time_to_good]
// What was best at those moments is raced at the end, all of a kernel together, so that the moods
// of the machine do not decide. `more`: further options of tune ("--builders,1"). The caller leaves
// the machine alone meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "core/file.h"
#include "reference_race.h"
#include "study/machines.h"
#include "study/platform.h"
#include "support/all_studies.h"
#include "trial/statistics.h"
#include "tuner_run.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

using Options = std::map<std::string, std::string>;

/// One study: what was best after each of the times, and how many trials it had made.
struct Searched {
  std::string kernel, strategy, seed;
  std::vector<Configuration> best;
  std::vector<std::size_t> trials;
};

Searched searched(const Options& options, const std::string& kernel, const std::string& strategy,
                  const std::string& seed) {
  const std::vector<std::string> at = listed(options.at("at"));
  const std::filesystem::path folder =
      std::filesystem::path(options.at("folder")) / fmt::format("{}-{}-{}", kernel, strategy, seed);
  std::filesystem::remove_all(folder);
  setenv("ROOFTUNE_CACHE", (std::filesystem::absolute(folder) / "cache").c_str(), 1);
  std::vector<std::string> words{"--kernel",       kernel,       "--strategy", strategy,
                                 "--seed",         seed,         "--budget",   at.back() + "s",
                                 "--no-staircase", "--counters", "none",       "--no-anchors",
                                 "--no-transfer"};
  for (const std::string& word : listed(options.at("more"))) words.push_back(word);
  if (!options.at("problem").empty())
    words.insert(words.end(), {"--problem", options.at("problem")});
  const TunerRun tuner(options.at("tune"), folder);
  tuner.tuned(words);
  const auto studies = read_studies(tuner.results());
  if (studies.size() != 1) throw Error("expected one study", tuner.results().string());
  Searched result{kernel, strategy, seed, {}, {}};
  for (const std::string& moment : at) {
    double elapsed = 0;
    const Trial* best = nullptr;
    std::size_t count = 0;
    for (const Trial& trial : studies.front().history.trials()) {
      elapsed += trial.cost.total;
      // The baseline counts whenever it comes: without any tuning that is what there is.
      if (best && elapsed > std::stod(moment)) break;
      ++count;
      if (trial.ok() &&
          (!best || trial.measurement->seconds.value < best->measurement->seconds.value))
        best = &trial;
    }
    if (!best) throw Error("nothing was measured", folder.string());
    result.best.push_back(best->configuration);
    result.trials.push_back(count);
  }
  fmt::print(stderr, "{} {} seed {}: {} trials\n", kernel, strategy, seed, result.trials.back());
  std::filesystem::remove_all(folder / "cache");
  return result;
}

/// The median over the rounds of each configuration's time over the fastest's.
std::map<std::string, double> regrets(const Options& options, const std::string& kernel,
                                      const std::vector<Searched>& all) {
  std::map<std::string, Configuration> distinct;
  for (const Searched& one : all)
    for (const Configuration& best : one.best) distinct.emplace(best.key(), best);
  std::vector<Configuration> entrants;
  for (const auto& [key, one] : distinct) entrants.push_back(one);
  const Rounds rounds = raced(
      options.at("tune"), kernel,
      options.at("problem").empty() ? std::vector<std::string>{} : listed(options.at("problem")),
      entrants, std::stoi(options.at("rounds")));
  if (!rounds.fault.empty()) throw Error(rounds.fault, "race of " + kernel);
  const auto ratio = [&](std::size_t a, std::size_t b) {
    std::vector<double> ratios;
    for (const auto& round : rounds.seconds) ratios.push_back(round[a] / round[b]);
    return quantile(ratios, 0.5);
  };
  std::size_t best = 0;
  for (std::size_t c = 1; c < entrants.size(); ++c)
    if (ratio(c, best) < 1) best = c;
  std::map<std::string, double> result;
  for (std::size_t c = 0; c < entrants.size(); ++c) result[entrants[c].key()] = ratio(c, best);
  return result;
}

Json measured(const Options& options, const std::string& kernel) {
  std::vector<Searched> all;
  for (const std::string& seed : listed(options.at("seeds")))
    for (const std::string& strategy : listed(options.at("strategies")))
      all.push_back(searched(options, kernel, strategy, seed));
  const auto regret = regrets(options, kernel, all);
  const std::vector<std::string> at = listed(options.at("at"));
  Json json = Json::object();
  for (const std::string& strategy : listed(options.at("strategies"))) {
    std::string line = fmt::format("{:<14} {:<10}", kernel, strategy);
    for (std::size_t t = 0; t < at.size(); ++t) {
      std::vector<double> values, trials;
      for (const Searched& one : all) {
        if (one.strategy != strategy) continue;
        values.push_back(regret.at(one.best[t].key()));
        trials.push_back(static_cast<double>(one.trials[t]));
      }
      line += fmt::format("  {:>5.2f} [{:.2f}, {:.2f}]", quantile(values, 0.5),
                          *std::min_element(values.begin(), values.end()),
                          *std::max_element(values.begin(), values.end()));
      json[strategy][at[t]] = {{"regret", values}, {"trials", trials}};
    }
    fmt::print("{}\n", line);
  }
  return json;
}

int measure(const Options& options) {
  fmt::print("{:<14} {:<10}  best found over best known after {} s: median [least, most]\n",
             "kernel", "strategy", options.at("at"));
  Json kernels = Json::object();
  for (const std::string& kernel : listed(options.at("kernels")))
    kernels[kernel] = measured(options, kernel);
  Json settings = options;
  for (const char* path : {"tune", "out", "folder"}) settings.erase(path);
  const Json document{{"schema", "rooftune-time-to-good-1"},
                      {"surroundings", environment_now(load_machine("host").description)},
                      {"settings", settings},
                      {"kernels", kernels}};
  write_atomically(options.at("out"), document.dump(1) + "\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return measure(arguments(argc, argv,
                           {{"tune", "build/dev/bin/tune"},
                            {"kernels", "gpp,spmv,snap,diffusion3d"},
                            {"problem", ""},
                            {"strategies", "roofline,random"},
                            {"seeds", "1,2,3,4,5"},
                            {"at", "15,30,60"},
                            {"rounds", "12"},
                            {"more", ""},
                            {"out", "time_to_good.json"},
                            {"folder", "time_to_good"}}));
} catch (const std::exception& error) {
  fmt::print(stderr, "time_to_good: {}\n", error.what());
  return 2;
}
