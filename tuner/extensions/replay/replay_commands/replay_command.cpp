// tune replay: strategies against each other on recorded spaces, without a compiler or a GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "os/parallel.h"
#include "replay/replay.h"
#include "replay/strategy_benchmark.h"
#include "replay_commands/options.h"
#include "replay_commands/replay_certainty.h"
#include "replay_commands/replay_knowledge.h"
#include "study/machines.h"

namespace rooftune::replay_commands {
namespace {

const std::vector<std::size_t> shown_evaluations{25, 50, 100, 200, 400};

struct Row {
  std::string strategy;
  std::vector<ConvergenceTrace> traces;
  EvaluationsToTarget five, one;
  double score = 0;
  std::optional<Calibration> calibration;  ///< where searches may end because they are sure
};

struct Contest {
  std::string file;
  double optimum = 0;
  Configuration best;
  std::uint64_t size = 0;
  double share_within_five = 0;  ///< of all configurations: the chance of one random draw
  std::vector<std::string> deviations;
  std::optional<ReplayKnowledge> elsewhere;
  std::string bounding_machine;  ///< empty: nothing is bounded
  std::optional<PruningCheck> pruning;
  std::vector<std::string> block_knobs;  ///< their product: threads of a block
  std::optional<Certainty> until;        ///< when searches may end because they are sure
  std::vector<Row> rows;
};

std::vector<std::string> chosen_strategies(const std::string& text) {
  std::vector<std::string> names;
  if (text == "all") {
    for (const StrategyRow& row : strategies()) names.emplace_back(row.name);
    return names;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    make_strategy(names.back());
    begin = end + 1;
  }
  return names;
}

/// Every seed is a separate search, so threads share nothing but the recording.
std::vector<Declared> searches(const Replay& replay, const std::string& strategy,
                               const Knowledge& known, const ReplayOptions& options,
                               const std::optional<Certainty>& until) {
  std::vector<Declared> all(options.seeds);
  in_parallel(all.size(), std::max(1u, std::thread::hardware_concurrency()), [&](std::size_t s) {
    const auto mine = make_strategy(strategy, known);
    Replay seeded(replay, s + 1);
    const BenchmarkSpace contest{
        replay.space(),
        [&](const Configuration& c, std::uint64_t) { return seeded.evaluate(c, std::nullopt); },
        [&](std::uint64_t index) { return replay.truth(index); }, replay.optimum()};
    if (until)
      all[s] = trace_until_sure(contest, *mine, s + 1, options.budget, *until);
    else
      all[s].trace = convergence_trace(contest, *mine, s + 1, options.budget);
  });
  return all;
}

/// The card of a recording, if a machine file describes it.
std::optional<Machine> machine_of(const Recording& recording, const ReplayOptions& options) {
  if (!options.machine.empty()) return load_machine(options.machine);
  for (const auto& [name, machine] : readable_machines())
    if (machine.gpu && machine.gpu->describes(recording.device)) return machine;
  return std::nullopt;
}

void look_elsewhere(Contest& contest, const Recording& recording, const Replay& replay,
                    const ReplayOptions& options) {
  if (options.transfer.empty()) return;
  const auto machine = machine_of(recording, options);
  contest.elsewhere.emplace(read_recording(options.transfer), replay, machine);
  contest.pruning = contest.elsewhere->check(replay);
  if (contest.pruning) contest.bounding_machine = machine->name;
}

Replay replay_of(const std::string& file, const Recording& recording) {
  try {
    return Replay(recording, 0);
  } catch (const Error& error) {
    throw Error(error.message(), file, "a replay needs a configuration that has a time");
  }
}

Contest contest(const std::string& file, const Recording& recording, const ReplayOptions& options,
                const std::optional<Certainty>& until) {
  const Replay replay = replay_of(file, recording);
  Contest result;
  result.file = file;
  result.until = until;
  result.optimum = replay.optimum();
  result.best = replay.space().configuration(replay.optimum_index());
  result.size = replay.space().size();
  result.deviations = recording.deviations;
  const std::vector<double> times = replay.times();
  const auto within = std::upper_bound(times.begin(), times.end(), 1.05 * result.optimum);
  result.share_within_five =
      static_cast<double>(within - times.begin()) / static_cast<double>(result.size);
  look_elsewhere(result, recording, replay, options);
  Knowledge known = result.elsewhere ? result.elsewhere->knowledge() : Knowledge();
  result.block_knobs = recorded_block_knobs(recording, options.block_size_names);
  known.block_knobs = result.block_knobs;
  for (const std::string& name : chosen_strategies(options.strategy)) {
    Row row;
    row.strategy = name;
    const auto ended = searches(replay, name, known, options, until);
    for (const Declared& search : ended) row.traces.push_back(search.trace);
    if (until) row.calibration = calibration(ended, until->share);
    row.five = evaluations_to_target(row.traces, 0.05, options.budget);
    row.one = evaluations_to_target(row.traces, 0.01, options.budget);
    row.score = community_score(row.traces, times, result.optimum, options.budget);
    result.rows.push_back(std::move(row));
  }
  return result;
}

Json reach_json(const EvaluationsToTarget& reach) {
  return Json{{"median", reach.median},
              {"q25", reach.q25},
              {"q75", reach.q75},
              {"censored", reach.censored},
              {"median_interval", {reach.low, reach.high}}};
}

Json transfer_json(const Contest& contest, const ReplayOptions& options) {
  Json json{{"file", options.transfer}, {"shared", contest.elsewhere->shared()}};
  if (contest.pruning)
    json["bounds"] = {{"machine", contest.bounding_machine},
                      {"counted", contest.pruning->counted},
                      {"hopeless", contest.pruning->hopeless},
                      {"wrongly_hopeless", contest.pruning->wrong},
                      {"beaten", contest.pruning->beaten}};
  return json;
}

Json contest_json(const Contest& contest, const ReplayOptions& options) {
  Json rows = Json::array();
  for (const Row& row : contest.rows) {
    Json fractions = Json::object();
    for (const std::size_t at : shown_evaluations)
      if (at <= options.budget) fractions[std::to_string(at)] = mean_fraction(row.traces, at);
    Json curve = Json::array();
    for (std::size_t n = 1; n <= options.budget; ++n) curve.push_back(mean_fraction(row.traces, n));
    rows.push_back({{"name", row.strategy},
                    {"seeds", options.seeds},
                    {"to_5_percent", reach_json(row.five)},
                    {"to_1_percent", reach_json(row.one)},
                    {"fraction_of_optimum", fractions},
                    {"score", row.score},
                    {"curve", curve}});
    if (row.calibration) rows.back()["certain"] = to_json(*row.calibration, *contest.until);
  }
  Json json{{"schema", "rooftune-replay-1"},
            {"file", contest.file},
            {"optimum", contest.optimum},
            {"optimum_unit", "s"},
            {"optimum_configuration", to_json(contest.best)},
            {"configurations", contest.size},
            {"share_within_5_percent", contest.share_within_five},
            {"budget", options.budget},
            {"block_size_names", contest.block_knobs},
            {"strategies", rows},
            {"deviations", contest.deviations}};
  if (contest.elsewhere) json["transfer"] = transfer_json(contest, options);
  return json;
}

std::string reached(const EvaluationsToTarget& reach, std::size_t budget) {
  const bool open = reach.censored > 0 && reach.median >= static_cast<double>(budget);
  return fmt::format("{}{:g} [{:g}, {:g}]{}", open ? ">" : "", reach.median, reach.q25, reach.q75,
                     reach.censored > 0 ? fmt::format(" {} never", reach.censored) : "");
}

void print(const Contest& contest, const ReplayOptions& options) {
  fmt::print("{}: {} configurations, optimum {:.6g} s, {:.3g} % of them within 5 %\n", contest.file,
             contest.size, contest.optimum, 100 * contest.share_within_five);
  for (const std::string& deviation : contest.deviations) fmt::print("  note: {}\n", deviation);
  if (!contest.block_knobs.empty())
    fmt::print("  threads of a block: {}\n", fmt::join(contest.block_knobs, " x "));
  if (contest.elsewhere)
    fmt::print("  transfer: {} configurations are also in {}\n", contest.elsewhere->shared(),
               options.transfer);
  if (const auto& pruning = contest.pruning)
    fmt::print(
        "  bounds from its counters on {}: {} of {} that ran cannot beat the optimum ({:.1f} %)\n"
        "    wrongly so: {}; faster than their bound: {}\n",
        contest.bounding_machine, pruning->hopeless, pruning->counted,
        100.0 * static_cast<double>(pruning->hopeless) / static_cast<double>(pruning->counted),
        pruning->wrong, pruning->beaten);
  fmt::print("  {:<12}  {:<26}  {:<26}  {:<6}", "strategy", "to 5 %: median [quartiles]", "to 1 %",
             "score");
  for (const std::size_t at : shown_evaluations)
    if (at <= options.budget) fmt::print("  @{:<5}", at);
  fmt::print("\n");
  for (const Row& row : contest.rows) {
    fmt::print("  {:<12}  {:<26}  {:<26}  {:<6.3f}", row.strategy,
               reached(row.five, options.budget), reached(row.one, options.budget), row.score);
    for (const std::size_t at : shown_evaluations)
      if (at <= options.budget) fmt::print("  {:.4f}", mean_fraction(row.traces, at));
    fmt::print("\n");
    if (row.calibration) fmt::print("    {}\n", to_text(*row.calibration));
  }
}

/// Geometric means over the files: the cost of a strategy without knowledge of the kernel.
struct Mean {
  std::string strategy;
  double five = 0, one = 0, score = 0;
  std::optional<Calibration> calibration;  ///< of all files together
};

std::vector<Mean> means(const std::vector<Contest>& contests) {
  std::vector<Mean> all;
  const auto n = static_cast<double>(contests.size());
  for (std::size_t r = 0; r < contests.front().rows.size(); ++r) {
    Mean mean;
    mean.strategy = contests.front().rows[r].strategy;
    for (const Contest& contest : contests) {
      mean.five += std::log(contest.rows[r].five.median) / n;
      mean.one += std::log(contest.rows[r].one.median) / n;
      mean.score += contest.rows[r].score / n;
    }
    std::vector<Calibration> calibrations;
    for (const Contest& contest : contests)
      if (const auto& one = contest.rows[r].calibration) calibrations.push_back(*one);
    if (!calibrations.empty()) mean.calibration = pooled(calibrations);
    mean.five = std::exp(mean.five);
    mean.one = std::exp(mean.one);
    all.push_back(mean);
  }
  return all;
}

}  // namespace

int replay_command(const ReplayOptions& options) {
  const auto until =
      certainty(options.until_within, options.confidence, chosen_strategies(options.strategy));
  std::vector<Recording> recordings;
  for (const std::string& file : options.files) recordings.push_back(read_recording(file));
  check_block_knobs(options.files, recordings, options.block_size_names);
  std::vector<Contest> contests;
  Json all = Json::array();
  for (std::size_t i = 0; i < recordings.size(); ++i) {
    contests.push_back(contest(options.files[i], recordings[i], options, until));
    if (options.json)
      all.push_back(contest_json(contests.back(), options));
    else
      print(contests.back(), options);
  }
  if (contests.size() == 1) {
    if (options.json) fmt::print("{}\n", json_text(all.front(), 2));
    return 0;
  }
  Json summary = Json::array();
  if (!options.json)
    fmt::print("geometric means of the medians over {} files, mean score:\n", contests.size());
  for (const Mean& mean : means(contests)) {
    summary.push_back({{"name", mean.strategy},
                       {"to_5_percent", mean.five},
                       {"to_1_percent", mean.one},
                       {"score", mean.score}});
    if (mean.calibration) summary.back()["certain"] = to_json(*mean.calibration, *until);
    if (!options.json)
      fmt::print("  {:<12}  to 5 % {:<8.1f}  to 1 % {:<8.1f}  score {:.3f}\n", mean.strategy,
                 mean.five, mean.one, mean.score);
    if (!options.json && mean.calibration) fmt::print("    {}\n", to_text(*mean.calibration));
  }
  if (options.json)
    fmt::print(
        "{}\n",
        json_text({{"schema", "rooftune-replays-1"}, {"files", all}, {"means", summary}}, 2));
  return 0;
}

}  // namespace rooftune::replay_commands
