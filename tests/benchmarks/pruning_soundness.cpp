// Tests the proofs of pruning against real measurements: measures every configuration of a
// restricted space, then holds each against its least time, and searches the recorded times again
// with pruning on:
//   pruning_soundness tune=build/dev/bin/tune [cases=diffusion,diffusion3d,spmv] [minutes=6]
//   [out=soundness.json] [folder=soundness]
// The caller leaves the machine alone meanwhile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/file.h"
#include "store/study_record.h"
#include "study/find_study.h"
#include "study/machines.h"
#include "study/model.h"
#include "study/platform.h"
#include "study/search_loop.h"
#include "support/all_studies.h"
#include "tuner_run.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

/// A kernel, a problem, and the knobs that are not left at their defaults.
struct Case {
  std::string kernel, problem;
  std::map<std::string, Json> knobs;
};

std::vector<Case> all_cases() {
  return {{"diffusion",
           "n=8000000,steps=4",
           {{"staging", {"copy_back", "fused", "swap", "in_place"}},
            {"time_block", {2, 4}},
            {"threads", {1, 2}},
            {"simd_width", {0, 8}},
            {"nt_store", {false, true}},
            {"huge_pages", {false, true}},
            {"block", {0, 4096}}}},
          {"diffusion3d",
           "nx=192,ny=192,nz=192,steps=4",
           {{"staging", {"swap", "folded", "fused"}},
            {"time_block", {2, 4}},
            {"threads", {1, 2}},
            {"simd_width", {0, 8}},
            {"nt_store", {false, true}},
            {"huge_pages", {false, true}}}},
          {"spmv",
           "kind=fem3d",
           {{"format", {"csr", "sell", "bcsr"}},
            {"index_bits", {32, 16}},
            {"half", {false, true}},
            {"threads", {1, 2}},
            {"simd_width", {1, 8}}}}};
}

/// "staging in ['swap', 'fused']": texts keep their macros, so values are forbidden, not removed.
Json only(const std::string& knob, const Json& wanted) {
  std::string list;
  for (const Json& value : wanted) {
    const std::string text = value.is_string()    ? "'" + value.get<std::string>() + "'"
                             : value.is_boolean() ? (value.get<bool>() ? "True" : "False")
                                                  : value.dump();
    list += (list.empty() ? "" : ", ") + text;
  }
  return {{"expression", knob + " in [" + list + "]"}, {"reason", "restricted for this test"}};
}

/// A copy of the kernel whose space has the values of the case, and else the defaults.
std::filesystem::path restricted(const Case& one, const std::filesystem::path& folder) {
  const std::filesystem::path root = ROOFTUNE_SOURCE_DIR;
  const auto copy = folder / "kernels" / one.kernel;
  std::filesystem::remove_all(copy);
  std::filesystem::create_directories(copy.parent_path());
  std::filesystem::copy(root / "kernels" / one.kernel, copy,
                        std::filesystem::copy_options::recursive);
  const std::string name = one.kernel + ".openmp.json";
  Json space = read_json(root / "search_spaces" / name);
  for (Json& knob : space["knobs"]) {
    const auto wanted = one.knobs.find(knob.at("name"));
    if (wanted == one.knobs.end())
      knob["applicable"] = {{"if", "1 == 0"}, {"reason", "restricted for this test"}};
    else
      space["constraints"].push_back(only(wanted->first, wanted->second));
  }
  write_atomically(copy / name, space.dump(1));
  return copy;
}

/// A study on record with the model that it holds.
struct Recorded {
  StudyRecord study;
  SearchSpace space;
  LeastMovements stated;
  Roofline roofline;
  Bound bound;
  LeastTimeOf least;
};

std::unique_ptr<Recorded> recorded(const std::filesystem::path& results) {
  auto studies = read_studies(results);
  if (studies.size() != 1) throw Error("expected one study", results.string());
  StudyRecord study = std::move(studies.front());
  SearchSpace space = space_of(study);
  LeastMovements stated = least_movements_of(study, 0, space);
  const Roofline roofline = roofline_of(study, 0);
  auto result = std::make_unique<Recorded>(Recorded{
      std::move(study), std::move(space), std::move(stated), roofline, roofline.bound(), {}});
  result->least = least_times(result->space, result->stated, result->roofline);
  return result;
}

/// Every configuration against its least time.
struct Proofs {
  std::size_t measured = 0, failed = 0, proven = 0, below = 0, unsound = 0;
  std::size_t samples_below = 0;     ///< configurations whose fastest single sample is below
  double closest_sample = HUGE_VAL;  ///< the fastest single sample over the least time
  double closest = HUGE_VAL;         ///< least measured time over least possible time
  std::string closest_key;
};

Proofs proofs_of(const Recorded& all) {
  Proofs result;
  for (const Trial& trial : all.study.history.trials()) {
    if (!trial.ok()) {
      ++result.failed;
      continue;
    }
    ++result.measured;
    const auto least = all.least ? all.least(trial.configuration) : std::nullopt;
    if (!least) continue;
    ++result.proven;
    const Estimate& seconds = trial.measurement->seconds;
    result.below += seconds.value < least->time.value() ? 1 : 0;
    result.unsound += seconds.high < least->time.value() ? 1 : 0;
    // Other work only adds time: the fastest sample is the hardest test on a busy machine.
    const double sample = trial.measurement->best / least->time.value();
    result.samples_below += sample < 1 ? 1 : 0;
    result.closest_sample = std::min(result.closest_sample, sample);
    const double ratio = seconds.value / least->time.value();
    if (ratio >= result.closest) continue;
    result.closest = ratio;
    result.closest_key = trial.configuration.key();
  }
  return result;
}

/// Gives the recorded trials; races repeat the recorded times.
class Replayed : public Evaluator {
 public:
  explicit Replayed(const History& history) : history_(history) {}
  Trial evaluate(const Configuration& configuration, std::optional<double>) override {
    if (const Trial* trial = history_.find(configuration)) return *trial;
    throw Error("was not measured", configuration.key());
  }
  Rounds race(const std::vector<Configuration>& configurations, const RacePlan& how,
              const Between&) override {
    std::vector<double> seconds;
    for (const auto& one : configurations)
      seconds.push_back(history_.find(one)->measurement->seconds.value);
    Rounds result;
    result.seconds.assign(static_cast<std::size_t>(how.rounds), seconds);
    return result;
  }

 private:
  const History& history_;
};

/// Searches of the recorded times with pruning.
struct Searches {
  std::size_t searches = 0, certified = 0, refuted = 0, missed = 0, wrong = 0;
  double pruned = 0;  ///< mean share of the space
};

void search(const Recorded& all, const std::string& strategy, std::uint64_t seed,
            Searches& result) {
  Replayed evaluator(all.study.history);
  SearchOptions options;
  options.seed = seed;
  options.target_gap = 0.01;
  options.least_time = all.least;
  options.staircase = false;
  const auto how = make_strategy(strategy);
  StudyRecord record;
  Recorder recorder(record);
  Schedule schedule;
  const SearchEnd end =
      SearchLoop({all.space, *how, all.bound, evaluator, recorder, schedule}, options).run();
  const History& history = record.history;
  const Trial* found = history.best();
  std::uint64_t evaluated = 0;
  for (const Trial& trial : history.trials()) {
    evaluated += trial.outcome == Outcome::pruned ? 0 : 1;
    if (trial.outcome != Outcome::pruned) continue;
    const Trial* truth = all.study.history.find(trial.configuration);
    if (truth && truth->ok() && truth->measurement->seconds.high < found->measurement->seconds.low)
      ++result.wrong;
  }
  ++result.searches;
  result.certified += end.reason == StopReason::certified ? 1 : 0;
  result.refuted += end.refuted.empty() ? 0 : 1;
  const double optimum = all.study.history.best()->measurement->seconds.value;
  result.missed += found->measurement->seconds.value > optimum ? 1 : 0;
  result.pruned += 1 - static_cast<double>(evaluated) / static_cast<double>(all.space.size());
}

Searches searches_of(const Recorded& all) {
  Searches result;
  search(all, "exhaustive", 1, result);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) search(all, "random", seed, result);
  result.pruned /= static_cast<double>(result.searches);
  return result;
}

Json measure(const Case& one, const std::filesystem::path& tune,
             const std::filesystem::path& folder, const std::string& minutes) {
  const TunerRun tuner(tune, folder / one.kernel);
  const auto kernel = restricted(one, tuner.folder());
  const Json result =
      tuner.tuned({"--kernel", kernel.string(), "--problem", one.problem, "--strategy",
                   "exhaustive", "--no-pruning", "--no-staircase", "--counters", "none",
                   "--target-gap", "1", "--budget", minutes + "min"});
  const auto all = recorded(tuner.results());
  const Proofs proofs = proofs_of(*all);
  const bool complete = all->study.history.size() == all->space.size();
  const Searches searches = complete ? searches_of(*all) : Searches{};
  fmt::print(
      "{:<12} {:>5} of {:<5} {:>6} {:>7} {:>8} {:>8.3f} {:>8.3f} {:>9.1f} % {:>6}/{:<3} {:>6} "
      "{:>6}\n",
      one.kernel, proofs.measured, all->space.size(), proofs.failed, proofs.proven, proofs.unsound,
      proofs.closest, proofs.closest_sample, 100 * searches.pruned, searches.certified,
      searches.searches, searches.wrong, searches.missed);
  Json knobs = Json::object();
  for (const auto& [name, values] : one.knobs) knobs[name] = values;
  return {{"kernel", one.kernel},
          {"problem", one.problem},
          {"knobs", knobs},
          {"space", all->space.size()},
          {"complete", complete},
          {"measured", proofs.measured},
          {"failed", proofs.failed},
          {"with_least_time", proofs.proven},
          {"below_least_time", proofs.below},
          {"unsound", proofs.unsound},
          {"samples_below_least_time", proofs.samples_below},
          {"closest_sample", proofs.closest_sample},
          {"closest", {{"ratio", proofs.closest}, {"configuration", proofs.closest_key}}},
          {"searches",
           {{"number", searches.searches},
            {"mean_share_pruned", searches.pruned},
            {"certified", searches.certified},
            {"refuted", searches.refuted},
            {"optimum_missed", searches.missed},
            {"pruned_but_faster", searches.wrong}}},
          {"best_seconds", all->study.history.best()->measurement->seconds.value},
          {"bound_seconds", all->bound.time.value()},
          {"inconclusive", result.at("inconclusive")},
          {"environment", all->study.environment ? body_json(*all->study.environment) : Json()}};
}

}  // namespace

int main(int argc, char** argv) try {
  auto options = arguments(argc, argv,
                           {{"tune", "build/dev/bin/tune"},
                            {"cases", "diffusion,diffusion3d,spmv"},
                            {"minutes", "6"},
                            {"out", "soundness.json"},
                            {"folder", "soundness"}});
  const auto wanted = listed(options["cases"]);
  fmt::print("{:<12} {:>14} {:>6} {:>7} {:>8} {:>8} {:>8} {:>11} {:>10} {:>6} {:>6}\n", "kernel",
             "measured", "failed", "bounded", "unsound", "closest", "sample", "pruned", "certified",
             "wrong", "missed");
  Json cases = Json::array();
  for (const Case& one : all_cases()) {
    if (std::find(wanted.begin(), wanted.end(), one.kernel) == wanted.end()) continue;
    cases.push_back(measure(one, options["tune"], options["folder"], options["minutes"]));
  }
  const Json document{{"schema", "rooftune-soundness-1"},
                      {"surroundings", environment_now(load_machine("host").description)},
                      {"cases", cases}};
  write_atomically(options["out"], document.dump(1) + "\n");
  std::size_t unsound = 0;
  for (const Json& one : cases) unsound += one.at("unsound").get<std::size_t>();
  return unsound == 0 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "pruning_soundness: {}\n", error.what());
  return 2;
}
