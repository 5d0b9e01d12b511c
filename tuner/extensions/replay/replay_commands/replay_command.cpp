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

const std::vector<size_t> shown_evaluations{25, 50, 100, 200, 400};

struct Row {
  std::string strategy;
  size_t seeds = 0;
  EvaluationsToTarget five, one;
  NamedNumbers fractions;  ///< on the curve, at shown_evaluations
  double score = 0;
  Numbers curve;  ///< mean fraction of the optimum after each evaluation
  static void fields(auto& self, auto& visit) {
    visit("name", self.strategy)("seeds", self.seeds)("to_5_percent", self.five);
    visit("to_1_percent", self.one)("fraction_of_optimum", self.fractions)("score", self.score);
    ROOFTUNE_FIELD(curve);
  }
};

/// The strategies on one file.
struct Comparison {
  std::string file;
  double optimum = 0;
  Configuration best;
  uint64_t size = 0, budget = 0;
  double share_within_five = 0;  ///< share of all configurations: a random draw's chance
  Texts deviations;
  Texts block_knobs;  ///< their product: threads per block
  std::vector<Row> rows;
  static void fields(auto& self, auto& visit) {
    visit.schema("rooftune-replay-1", "")("file", self.file)("optimum", self.optimum);
    visit("optimum_unit", std::string("s"))("optimum_configuration", self.best);
    visit("configurations", self.size)("share_within_5_percent", self.share_within_five);
    ROOFTUNE_FIELD(budget)("block_size_names", self.block_knobs)("strategies", self.rows);
    ROOFTUNE_FIELD(deviations);
  }
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
std::vector<ConvergenceTrace> searches(const Replay& replay, const std::string& strategy,
                                       const Knowledge& known, const ReplayOptions& options) {
  const BenchmarkSpace benchmark{
      replay.space, [&](const Configuration& c, uint64_t seed) { return replay.evaluate(c, seed); },
      [&](uint64_t index) { return replay.truth[index]; }, replay.optimum};
  std::vector<ConvergenceTrace> all(options.seeds);
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
                "--block-size-names", fmt::format("of: {}", joined(known)));
}

Comparison comparison(const std::string& file, const Recording& recording,
                      const ReplayOptions& options) {
  const Replay replay(recording, file);
  Comparison result;
  result.file = file;
  result.optimum = replay.optimum;
  result.best = replay.space.configuration(replay.optimum_index);
  result.size = replay.space.size();
  result.budget = options.budget;
  result.deviations = recording.deviations;
  const Numbers times = replay.times();
  const auto within = std::ranges::upper_bound(times, 1.05 * result.optimum);
  result.share_within_five = double(within - times.begin()) / double(result.size);
  Knowledge known;
  known.block_knobs = result.block_knobs =
      recorded_block_knobs(recording, options.block_size_names);
  for (const std::string& name : chosen_strategies(options.strategy)) {
    Row row;
    row.strategy = name;
    row.seeds = options.seeds;
    const auto traces = searches(replay, name, known, options);
    row.five = evaluations_to_target(traces, 0.05, options.budget);
    row.one = evaluations_to_target(traces, 0.01, options.budget);
    row.score = community_score(traces, times, result.optimum, options.budget);
    for (size_t n = 1; n <= options.budget; ++n) row.curve.push_back(mean_fraction(traces, n));
    for (const size_t at : shown_evaluations)
      if (at <= options.budget) row.fractions[std::to_string(at)] = row.curve[at - 1];
    result.rows.push_back(std::move(row));
  }
  return result;
}

std::string reached(const EvaluationsToTarget& reach, size_t budget) {
  const bool open = reach.censored > 0 && reach.median >= double(budget);
  return fmt::format("{}{:g} [{:g}, {:g}]{}", open ? ">" : "", reach.median, reach.q25, reach.q75,
                     reach.censored > 0 ? fmt::format(" {} never", reach.censored) : "");
}

void print(const Comparison& comparison, const ReplayOptions& options) {
  fmt::print("{}: {} configurations, optimum {:.6g} s, {:.3g} % of them within 5 %\n",
             comparison.file, comparison.size, comparison.optimum,
             100 * comparison.share_within_five);
  for (const std::string& deviation : comparison.deviations) fmt::print("  note: {}\n", deviation);
  if (!comparison.block_knobs.empty())
    fmt::print("  threads of a block: {}\n", joined(comparison.block_knobs, " x "));
  fmt::print("  {:<12}  {:<26}  {:<26}  {:<6}", "strategy", "to 5 %: median [quartiles]", "to 1 %",
             "score");
  for (const size_t at : shown_evaluations)
    if (at <= options.budget) fmt::print("  @{:<5}", at);
  fmt::print("\n");
  for (const Row& row : comparison.rows) {
    fmt::print("  {:<12}  {:<26}  {:<26}  {:<6.3f}", row.strategy,
               reached(row.five, options.budget), reached(row.one, options.budget), row.score);
    for (const size_t at : shown_evaluations)
      if (at <= options.budget) fmt::print("  {:.4f}", row.curve[at - 1]);
    fmt::print("\n");
  }
}

/// Geometric means over the files: what a strategy costs without knowledge about the kernel.
Json summarise(const std::vector<Comparison>& comparisons, const ReplayOptions& options) {
  Json summary = Json::array();
  if (!options.json)
    fmt::print("geometric means of the medians over {} files, mean score:\n", comparisons.size());
  const auto n = double(comparisons.size());
  for (const size_t r : indices(comparisons.front().rows)) {
    const std::string& strategy = comparisons.front().rows[r].strategy;
    double five = 0, one = 0, score = 0;
    for (const Comparison& comparison : comparisons) {
      const Row& row = comparison.rows[r];
      five += std::log(row.five.median) / n;
      one += std::log(row.one.median) / n;
      score += row.score / n;
    }
    five = std::exp(five);
    one = std::exp(one);
    summary.push_back(
        {{"name", strategy}, {"to_5_percent", five}, {"to_1_percent", one}, {"score", score}});
    if (!options.json)
      fmt::print("  {:<12}  to 5 % {:<8.1f}  to 1 % {:<8.1f}  score {:.3f}\n", strategy, five, one,
                 score);
  }
  return summary;
}

int replay_command(const ReplayOptions& options) {
  chosen_strategies(options.strategy);  // a wrong name is a fault before any file is read
  std::vector<Recording> recordings;
  for (const std::string& file : options.files) recordings.push_back(read_recording(file));
  check_block_knobs(options.files, recordings, options.block_size_names);
  std::vector<Comparison> comparisons;
  Json all = Json::array();
  for (const size_t i : indices(recordings)) {
    comparisons.push_back(comparison(options.files[i], recordings[i], options));
    if (options.json)
      all.push_back(encode(comparisons.back()));
    else
      print(comparisons.back(), options);
  }
  if (comparisons.size() == 1) {
    if (options.json) fmt::print("{}\n", json_text(all.front(), 2));
    return 0;
  }
  const Json summary = summarise(comparisons, options);
  if (options.json)
    fmt::print(
        "{}\n",
        json_text({{"schema", "rooftune-replays-1"}, {"files", all}, {"means", summary}}, 2));
  return 0;
}

}  // namespace

void add_strategies(CLI::App& app, CommandLine& line) {
  add_command(app, line, "replay",
              "Compare strategies on recorded spaces (T4, cachefile, KTT output)", replay_command);
}

}  // namespace rooftune::replay_commands
