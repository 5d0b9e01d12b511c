// Whether a busy machine makes `tune` wrong or only unsure: the same search, many times, beside 0,
// 2 and 4 processes that stream through memory and compute. With strategy=random every run tries
// the same configurations, so that only noise tells the runs apart; at the end all of them are
// raced in quiet, which is the reference:
//   load_stability tune=build/dev/bin/tune [kernel=triad] [problem=n=2000000] [budget=16]
//   [repeats=20] [loads=0,2,4] [strategy=random] [rounds=40] [out=stability.json]
//   [folder=stability]
// The caller leaves the machine alone meanwhile.
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
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

/// A configuration this close to the reference's best is as good as it.
constexpr double as_good = 1.02;

[[noreturn]] void stream_for_ever() {
  std::vector<double> from(8u << 20, 1.0), to(8u << 20);
  for (double scale = 1;; scale += 1)
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = scale * from[i];
}

[[noreturn]] void compute_for_ever() {
  for (volatile double x = 1;;) {
    double a = x, b = x + 1, c = x + 2;
    for (int i = 0; i < 100000; ++i) a = a * 0.999 + b, b = b * 0.998 + c, c = c * 0.997 + a;
    x = a + b + c;
  }
}

/// Processes that keep the machine busy while this lives, streaming and computing in turn.
class Load {
 public:
  explicit Load(int processes) {
    for (int i = 0; i < processes; ++i) {
      const pid_t parent = getpid(), child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        i % 2 == 0 ? stream_for_ever() : compute_for_ever();
      }
      if (child > 0) children_.push_back(child);
    }
  }
  ~Load() {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::vector<pid_t> children_;
};

/// What one run declared.
struct Declared {
  int load = 0;
  Configuration winner;
  std::vector<Configuration> ties;
  bool baseline_stands = false;
  std::vector<std::string> inconclusive;
  std::map<std::string, std::string> ledger;  ///< entry -> state
  std::optional<Estimate> speedup;
  double seconds = 0, disturbed = 0;
};

Declared declared(const Json& result, int load, double seconds) {
  Declared run;
  run.load = load;
  run.seconds = seconds;
  run.winner = decoded<Configuration>(result.at("best").at("configuration"), "best");
  for (const Json& tie : result.at("ties"))
    run.ties.push_back(decoded<Configuration>(tie.at("configuration"), "tie"));
  run.baseline_stands = result.at("baseline_stands");
  for (const Json& reason : result.at("inconclusive")) run.inconclusive.push_back(reason);
  for (const Json& entry : result.at("ledger")) run.ledger[entry.at("name")] = entry.at("state");
  if (const Json& speedup = result.at("speedup"); speedup.is_object())
    run.speedup = Estimate{speedup.at("value"), speedup.at("low"), speedup.at("high")};
  return run;
}

using Options = std::map<std::string, std::string>;

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Json tuned(const Options& options, const std::string& folder) {
  std::vector<std::string> words{"--kernel",       options.at("kernel"),
                                 "--budget",       options.at("budget"),
                                 "--strategy",     options.at("strategy"),
                                 "--no-staircase", "--counters",
                                 "none",           "--fresh",
                                 "--no-transfer"};
  if (!options.at("problem").empty()) {
    words.push_back("--problem");
    words.push_back(options.at("problem"));
  }
  return TunerRun(options.at("tune"), folder).tuned(words);
}

/// All runs, the loads in turn, so that the hours of the day do not decide between them.
std::vector<Declared> all_runs(const Options& options) {
  std::vector<Declared> runs;
  const std::string folder = options.at("folder");
  tuned(options, folder + "/warm-up");  // builds every variant: later runs find them in the cache
  const int repeats = std::stoi(options.at("repeats"));
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (const std::string& word : listed(options.at("loads"))) {
      const Load load(std::stoi(word));
      const double begin = now();
      const Json result = tuned(options, fmt::format("{}/{}-{}", folder, word, repeat));
      runs.push_back(declared(result, std::stoi(word), now() - begin));
      fmt::print(stderr, "load {} repeat {}: {:.1f} s\n", word, repeat, runs.back().seconds);
    }
  return runs;
}

/// Paired ratios of every configuration to the best, in quiet.
struct Reference {
  Configuration best;
  std::map<std::string, Estimate> ratio;  ///< by key
  double rounds = 0;
};

Reference reference(const Options& options, const std::vector<Declared>& runs,
                    const std::vector<Configuration>& tried) {
  std::map<std::string, Configuration> all;
  for (const Configuration& one : tried) all.emplace(one.key(), one);
  for (const Declared& run : runs) {
    all.emplace(run.winner.key(), run.winner);
    for (const Configuration& tie : run.ties) all.emplace(tie.key(), tie);
  }
  std::vector<Configuration> configurations;
  for (const auto& [key, one] : all) configurations.push_back(one);
  const Rounds rounds =
      raced(options.at("tune"), options.at("kernel"), listed(options.at("problem")), configurations,
            std::stoi(options.at("rounds")));
  if (!rounds.fault.empty()) throw Error(rounds.fault, "reference race");
  const auto ratios = [&](std::size_t a, std::size_t b) {
    std::vector<double> result;
    for (const auto& round : rounds.seconds) result.push_back(round[a] / round[b]);
    return result;
  };
  std::size_t best = 0;
  for (std::size_t c = 1; c < configurations.size(); ++c)
    if (quantile(ratios(c, best), 0.5) < 1) best = c;
  Reference result;
  result.best = configurations[best];
  result.rounds = static_cast<double>(rounds.seconds.size());
  const double confidence = 1 - 0.05 / static_cast<double>(configurations.size());
  for (std::size_t c = 0; c < configurations.size(); ++c)
    result.ratio[configurations[c].key()] = median_ratio(ratios(c, best), confidence);
  return result;
}

/// The state of each ledger entry in most of the quietest runs.
std::map<std::string, std::string> usual_ledger(const std::vector<Declared>& runs) {
  int quietest = runs.front().load;
  for (const Declared& run : runs) quietest = std::min(quietest, run.load);
  std::map<std::string, std::map<std::string, int>> votes;
  for (const Declared& run : runs)
    if (run.load == quietest)
      for (const auto& [entry, state] : run.ledger) ++votes[entry][state];
  std::map<std::string, std::string> usual;
  for (const auto& [entry, states] : votes)
    usual[entry] = std::max_element(states.begin(), states.end(), [](const auto& a, const auto& b) {
                     return a.second < b.second;
                   })->first;
  return usual;
}

bool is_certain(const std::string& state) { return state == "broken" || state == "above"; }

/// Entries that the run calls broken or above and the quiet runs the other of the two.
int contradictions(const Declared& run, const std::map<std::string, std::string>& usual) {
  int count = 0;
  for (const auto& [entry, state] : run.ledger) {
    const auto known = usual.find(entry);
    if (known != usual.end() && is_certain(state) && is_certain(known->second))
      count += state != known->second ? 1 : 0;
  }
  return count;
}

/// How the runs beside one load came out.
struct Tally {
  int runs = 0, inconclusive = 0, right = 0, tied = 0, wrong = 0;
  int ledger_changed = 0;  ///< conclusive runs whose ledger contradicts the quiet ones
  int speedups = 0, covered = 0;
  double worst = 1;  ///< largest slowdown of a declared winner, conclusive or not
  double seconds = 0;
};

bool good(const Reference& truth, const Configuration& one) {
  return truth.ratio.at(one.key()).low <= as_good;
}

void judge(const Declared& run, const Reference& truth, const std::string& baseline,
           const std::map<std::string, std::string>& usual, Tally& tally) {
  ++tally.runs;
  tally.seconds = std::max(tally.seconds, run.seconds);
  tally.worst = std::max(tally.worst, truth.ratio.at(run.winner.key()).value);
  const bool tied = std::any_of(run.ties.begin(), run.ties.end(),
                                [&](const Configuration& tie) { return good(truth, tie); });
  if (!run.inconclusive.empty()) {
    ++tally.inconclusive;
  } else {
    ++(good(truth, run.winner) ? tally.right : tied ? tally.tied : tally.wrong);
    tally.ledger_changed += contradictions(run, usual) > 0 ? 1 : 0;
  }
  const auto known = truth.ratio.find(baseline);
  if (!run.speedup || known == truth.ratio.end()) return;
  ++tally.speedups;
  const Estimate& base = known->second;
  const Estimate& mine = truth.ratio.at(run.winner.key());
  tally.covered +=
      base.low / mine.high <= run.speedup->high && base.high / mine.low >= run.speedup->low ? 1 : 0;
}

Json to_json(const Tally& tally) {
  return {{"runs", tally.runs},
          {"inconclusive", tally.inconclusive},
          {"winner_right", tally.right},
          {"winner_among_declared_ties", tally.tied},
          {"winner_wrong", tally.wrong},
          {"ledger_contradicts_quiet", tally.ledger_changed},
          {"speedups", tally.speedups},
          {"speedups_that_cover_the_reference", tally.covered},
          {"largest_slowdown_of_a_winner", tally.worst},
          {"longest_run_seconds", tally.seconds}};
}

Json runs_json(const std::vector<Declared>& runs, const Reference& truth) {
  Json json = Json::array();
  for (const Declared& run : runs) {
    const Estimate& ratio = truth.ratio.at(run.winner.key());
    json.push_back({{"load", run.load},
                    {"winner", run.winner.key()},
                    {"over_reference", {ratio.value, ratio.low, ratio.high}},
                    {"ties", run.ties.size()},
                    {"inconclusive", run.inconclusive},
                    {"ledger", run.ledger},
                    {"seconds", run.seconds}});
  }
  return json;
}

/// Everything that the first run measured.
std::vector<Configuration> tried(const Options& options) {
  std::vector<Configuration> all;
  for (const StudyRecord& study : read_studies(options.at("folder") + "/warm-up/results"))
    for (const Trial& trial : study.history.trials())
      if (trial.ok()) all.push_back(trial.configuration);
  return all;
}

int measure(const Options& options) {
  const std::vector<Declared> runs = all_runs(options);
  const Json quiet = read_json(options.at("folder") + "/warm-up/result.json");
  const Configuration baseline =
      decoded<Configuration>(quiet.at("baseline").at("configuration"), "baseline");
  const Reference truth = reference(options, runs, tried(options));
  const auto usual = usual_ledger(runs);
  std::map<int, Tally> tallies;
  for (const Declared& run : runs) judge(run, truth, baseline.key(), usual, tallies[run.load]);
  fmt::print("{:>4} {:>5} {:>13} {:>6} {:>5} {:>6} {:>15} {:>14} {:>8} {:>8}\n", "load", "runs",
             "inconclusive", "right", "tied", "wrong", "ledger changed", "speed-up held", "worst",
             "longest");
  Json by_load = Json::object();
  for (const auto& [load, tally] : tallies) {
    by_load[std::to_string(load)] = to_json(tally);
    fmt::print("{:>4} {:>5} {:>13} {:>6} {:>5} {:>6} {:>15} {:>10}/{:<3} {:>7.3f}x {:>6.1f} s\n",
               load, tally.runs, tally.inconclusive, tally.right, tally.tied, tally.wrong,
               tally.ledger_changed, tally.covered, tally.speedups, tally.worst, tally.seconds);
  }
  Json settings = Json::object();
  for (const char* name : {"kernel", "problem", "budget", "repeats", "loads", "strategy", "rounds"})
    settings[name] = options.at(name);
  const Json document{{"schema", "rooftune-stability-1"},
                      {"surroundings", environment_now(load_machine("host").description)},
                      {"settings", settings},
                      {"reference", {{"best", truth.best.key()}, {"rounds", truth.rounds}}},
                      {"loads", by_load},
                      {"runs", runs_json(runs, truth)}};
  write_atomically(options.at("out"), document.dump(1) + "\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return measure(arguments(argc, argv,
                           {{"tune", "build/dev/bin/tune"},
                            {"kernel", "triad"},
                            {"problem", "n=2000000"},
                            {"budget", "16"},
                            {"repeats", "20"},
                            {"loads", "0,2,4"},
                            {"strategy", "random"},
                            {"rounds", "40"},
                            {"out", "stability.json"},
                            {"folder", "stability"}}));
} catch (const std::exception& error) {
  fmt::print(stderr, "load_stability: {}\n", error.what());
  return 2;
}
