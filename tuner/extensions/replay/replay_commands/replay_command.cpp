// tune replay: compares strategies on recorded spaces, without a compiler or a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "cli/command_table.h"
#include "core/fields.h"
#include "core/list.h"
#include "core/pattern.h"
#include "os/parallel.h"
#include "replay/replay.h"
#include "replay_commands/extension.h"
#include "search/block_knobs.h"

namespace rooftune::replay_commands {
namespace {

struct ReplayOptions {
  Texts files;
  std::string strategy = default_strategy;  ///< names between commas, or "all"
  size_t seeds = 50, budget = 400;
  /// Knobs whose product is the threads per block; empty: the names that are customary.
  Texts block_size_names;
  bool json = false;
  static void fields(auto& self, auto& visit) {
    visit.position("files", self.files, "Recorded spaces (plain or .gz)")->required();
    ROOFTUNE_FIELD(strategy, {"Strategies between commas, or all", "STRATEGY"});
    ROOFTUNE_FIELD(seeds, {"Searches of each strategy", "N", "", 1, 100000});
    ROOFTUNE_FIELD(budget, {"Evaluations of each search", "N", "", 1, 10000000});
    ROOFTUNE_FIELD(
        block_size_names,
        {"Knobs between commas whose product is the threads of a block, where a file has them; "
         "default: block_size_x, block_size_y, block_size_z (strategy roofline)",
         "KNOB,..."})
        ->delimiter(',')
        ->allow_extra_args(false);
    ROOFTUNE_FIELD(json, json_option);
  }
};

const Indices shown_evaluations{25, 50, 100, 200, 400};

struct Row {
  std::string name;  ///< the strategy's
  size_t seeds = 0;
  EvaluationsToTarget to_5_percent, to_1_percent;
  NamedNumbers fraction_of_optimum;  ///< on the curve, at shown_evaluations
  double score = 0;
  Numbers curve;  ///< mean fraction of the optimum after each evaluation
  ROOFTUNE_FIELDS(name, seeds, to_5_percent, to_1_percent, fraction_of_optimum, score, curve)
};

/// The strategies on one file.
struct Comparison {
  std::string file;
  double optimum = 0;
  std::string optimum_unit = "s";
  Configuration optimum_configuration;
  uint64_t configurations = 0;
  double share_within_5_percent = 0;  ///< of all configurations: a random draw's chance
  size_t budget = 0;
  Texts block_size_names;  ///< their product: threads per block
  std::vector<Row> strategies;
  Texts deviations;
  static void fields(auto& self, auto& visit) {
    visit.schema("rooftune-replay-1", "");
    ROOFTUNE_EACH(visit, self, file, optimum, optimum_unit, optimum_configuration, configurations,
                  share_within_5_percent, budget, block_size_names, strategies, deviations)
  }
};

/// What a strategy costs without knowledge about the kernel: geometric means of the medians over
/// the files, and the mean score.
struct Means {
  std::string name;
  double to_5_percent = 0, to_1_percent = 0, score = 0;
  ROOFTUNE_FIELDS(name, to_5_percent, to_1_percent, score)
};

Texts chosen_strategies(const std::string& text) {
  Texts names;
  if (text == "all")
    for (const StrategyRow& row : strategies()) names.emplace_back(row.name);
  else
    names = Pattern(",").split(text);
  if (names.empty()) names = {text};
  for (const std::string& name : names) strategy_row(name);
  return names;
}

/// Every seed is a separate search, so threads share nothing but the recording.
ConvergenceTraces searches(const Replay& replay, const std::string& strategy,
                           const Knowledge& known, const ReplayOptions& options) {
  const BenchmarkSpace benchmark{
      replay.space, [&](const Configuration& c, uint64_t seed) { return replay.evaluate(c, seed); },
      [&](uint64_t index) { return replay.truth[index]; }, replay.optimum};
  ConvergenceTraces all(options.seeds);
  in_parallel(all.size(), std::max(1u, std::thread::hardware_concurrency()), [&](size_t s) {
    all[s] = convergence(benchmark, *make_strategy(strategy, known), s + 1, options.budget);
  });
  return all;
}

/// Knobs whose product is the threads per block: those in `named` that the recording has, else
/// those that the community names so; without either none.
Texts recorded_block_knobs(const Recording& recording, const Texts& named) {
  Texts found;
  for (const std::string& name : named)
    if (contains(recording.knobs, name, &Knob::name)) found.push_back(name);
  if (!found.empty()) return found;
  return community_block_knobs(recording.knobs);
}

/// Throws Error unless each name in `named` is a knob in at least one recording and all its values
/// there are positive numbers.
void check_block_knobs(const Texts& files, const std::vector<Recording>& recordings,
                       const Texts& named) {
  if (named.empty()) return;
  TextSet open(named.begin(), named.end());
  Texts known;
  for (const size_t i : indices(files))
    for (const Knob& knob : recordings[i].knobs) {
      add_once(known, knob.name);
      if (!contains(named, knob.name)) continue;
      open.erase(knob.name);
      for (const Value& value : knob.values)
        if (!value.is_number() || value.is_bool() || !(value.real() > 0))
          throw Error(fmt::format("\"{}\" may be {}, which is no number of threads", knob.name,
                                  to_text(value)),
                      files[i] + ": --block-size-names", "knobs whose values are positive numbers");
    }
  if (!open.empty())
    throw Error(fmt::format("no replayed file has a knob \"{}\"", *open.begin()),
                "--block-size-names", "of: " + joined(known));
}

Comparison comparison(const std::string& file, const Recording& recording,
                      const ReplayOptions& options) {
  const Replay replay(recording, file);
  Comparison result;
  result.file = file;
  result.optimum = replay.optimum;
  result.optimum_configuration = replay.space.configuration(replay.optimum_index);
  result.configurations = replay.space.size();
  result.budget = options.budget;
  result.deviations = recording.deviations;
  const Numbers times = replay.times();
  const auto within = std::ranges::upper_bound(times, 1.05 * result.optimum);
  result.share_within_5_percent = double(within - times.begin()) / double(result.configurations);
  Knowledge known;
  known.block_knobs = result.block_size_names =
      recorded_block_knobs(recording, options.block_size_names);
  for (const std::string& name : chosen_strategies(options.strategy)) {
    const auto traces = searches(replay, name, known, options);
    Row& row = result.strategies.emplace_back();
    row.name = name;
    row.seeds = options.seeds;
    row.to_5_percent = evaluations_to_target(traces, 0.05, options.budget);
    row.to_1_percent = evaluations_to_target(traces, 0.01, options.budget);
    row.score = community_score(traces, times, result.optimum, options.budget);
    for (size_t n = 1; n <= options.budget; ++n) row.curve.push_back(mean_fraction(traces, n));
    for (const size_t at : shown_evaluations)
      if (at <= options.budget) row.fraction_of_optimum[std::to_string(at)] = row.curve[at - 1];
  }
  return result;
}

std::string reached(const EvaluationsToTarget& reach, size_t budget) {
  const bool open = reach.censored > 0 && reach.median >= double(budget);
  return fmt::format("{}{:g} [{:g}, {:g}]{}", open ? ">" : "", reach.median, reach.q25, reach.q75,
                     reach.censored > 0 ? fmt::format(" {} never", reach.censored) : "");
}

void print(const Comparison& one) {
  fmt::print("{}: {} configurations, optimum {:.6g} s, {:.3g} % of them within 5 %\n", one.file,
             one.configurations, one.optimum, 100 * one.share_within_5_percent);
  for (const std::string& deviation : one.deviations) fmt::print("  note: {}\n", deviation);
  if (!one.block_size_names.empty())
    fmt::print("  threads of a block: {}\n", joined(one.block_size_names, " x "));
  const auto shown = filtered(shown_evaluations, [&](size_t at) { return at <= one.budget; });
  fmt::print("  {:<12}  {:<26}  {:<26}  {:<6}", "strategy", "to 5 %: median [quartiles]", "to 1 %",
             "score");
  for (const size_t at : shown) fmt::print("  @{:<5}", at);
  fmt::print("\n");
  for (const Row& row : one.strategies) {
    fmt::print("  {:<12}  {:<26}  {:<26}  {:<6.3f}", row.name,
               reached(row.to_5_percent, one.budget), reached(row.to_1_percent, one.budget),
               row.score);
    for (const size_t at : shown) fmt::print("  {:.4f}", row.curve[at - 1]);
    fmt::print("\n");
  }
}

std::vector<Means> means_of(const std::vector<Comparison>& comparisons) {
  std::vector<Means> all;
  const auto n = double(comparisons.size());
  for (const size_t r : indices(comparisons.front().strategies)) {
    Means& mean = all.emplace_back();
    for (const Comparison& comparison : comparisons) {
      const Row& row = comparison.strategies[r];
      mean.name = row.name;
      mean.to_5_percent += std::log(row.to_5_percent.median) / n;
      mean.to_1_percent += std::log(row.to_1_percent.median) / n;
      mean.score += row.score / n;
    }
    mean.to_5_percent = std::exp(mean.to_5_percent);
    mean.to_1_percent = std::exp(mean.to_1_percent);
  }
  return all;
}

int replay_command(const ReplayOptions& options) {
  chosen_strategies(options.strategy);  // a wrong name is a fault before any file is read
  std::vector<Recording> recordings;
  for (const std::string& file : options.files) recordings.push_back(read_recording(file));
  check_block_knobs(options.files, recordings, options.block_size_names);
  std::vector<Comparison> all;
  for (const size_t i : indices(recordings)) {
    all.push_back(comparison(options.files[i], recordings[i], options));
    if (!options.json) print(all.back());
  }
  const bool several = all.size() > 1;
  if (options.json) {
    const Json json = several ? Json{{"schema", "rooftune-replays-1"},
                                     {"files", encode(all)},
                                     {"means", encode(means_of(all))}}
                              : encode(all.front());
    fmt::print("{}\n", json_text(json, 2));
  } else if (several) {
    fmt::print("geometric means of the medians over {} files, mean score:\n", all.size());
    for (const Means& one : means_of(all))
      fmt::print("  {:<12}  to 5 % {:<8.1f}  to 1 % {:<8.1f}  score {:.3f}\n", one.name,
                 one.to_5_percent, one.to_1_percent, one.score);
  }
  return 0;
}

}  // namespace

void add_strategies(CLI::App& app, CommandLine& line) {
  add_command(app, line, "replay",
              "Compare strategies on recorded spaces (T4, cachefile, KTT output)", replay_command);
}

}  // namespace rooftune::replay_commands
