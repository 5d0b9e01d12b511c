// tune worker PLAN: one shard of a sweep, started by a scheduler, any number of times.
#include "night_commands/worker_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
#include "core/list.h"
#include "night_commands/sweep_command.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "study/machines.h"
#include "study/platform.h"
#include "sweep/launcher.h"
#include "sweep/plan.h"

namespace rooftune::night_commands {
namespace {

/// Without this check every node in a cluster would measure, and write the same file.
void require_probed(const Plan& plan) {
  for (const std::string& machine : machines_of(plan))
    if (!machine_file(machine))
      throw Error(fmt::format("machine \"{}\" of the plan has no file yet", machine),
                  "--launcher slurm",
                  fmt::format("measure one node of its type, as a job: srun --exclusive tune probe "
                              "--machine {}",
                              machine));
}

void print_end(const SweepSummary& summary, const Shard& shard, size_t studies) {
  const auto count = [&](StudyOutcome::State state) {
    return std::ranges::count(summary.studies, state, &StudyOutcome::state);
  };
  for (const StudyOutcome& study : summary.studies)
    if (study.state == StudyOutcome::State::failed)
      fmt::print(stderr, "tune: {} failed: {}\n", study.name, study.message);
  fmt::print(stderr, "shard {}/{}: {} of {} studies have an outcome, {} of them failed{}\n",
             shard.index, shard.count,
             ptrdiff_t(summary.studies.size()) - count(StudyOutcome::State::interrupted), studies,
             count(StudyOutcome::State::failed),
             summary.complete() ? "" : "; interrupted, the same command goes on");
}

}  // namespace

SweepSummary sweep_on_slurm(const Plan& plan, const SweepOptions& options,
                            const fs::path& results) {
  require_probed(plan);
  const FileLock lock = lock_sweep(plan, results, options.wait);
  ClusterSweep sweep;
  sweep.plan_file = fs::absolute(options.plan);
  sweep.results = results;
  sweep.directory = open_run(plan, results, options.begin());
  sweep.program = self();
  sweep.shards = options.shards;
  if (options.allow_commands) sweep.worker_words.emplace_back("--allow-commands");
  sweep.words = [](const std::string& machine) {
    const auto request = load_machine(machine).slurm;
    return request ? request->words() : Texts{};
  };
  sweep.say = [&](const std::string& line) {
    if (!options.quiet) print_note(line);
  };
  return run_on_slurm(plan, sweep);
}

int worker_command(const WorkerOptions& options) {
  if (options.plan.empty())
    throw Error("no plan given", "command line", "tune worker PLAN.json --shard 1/8");
  watch_interrupts();
  const Plan plan = allowed_plan(options);
  const Shard shard = parse_shard(options.shard);
  const auto studies = studies_of(plan, options.machine, shard);
  const fs::path results = fs::absolute(results_directory(options.results));
  const fs::path directory =
      options.sweep.empty() ? open_run(plan, results) : fs::absolute(options.sweep);
  require_run_of(plan, directory);
  SweepOptions sweep = options;
  sweep.wait = true;
  // In the order in which a sweep here would take them.
  Indices order = in_order(plan, last_nights(runs_of(plan, results), plan));
  std::erase_if(order, [&](size_t one) { return !contains(studies, one); });
  const SweepSummary summary =
      run_part(plan, directory, order, planned_runner(plan, sweep, results), sweep_log(sweep));
  if (!options.quiet || !summary.complete()) print_end(summary, shard, studies.size());
  // A study left out, since cores were busy or the plan's time was over, is not done.
  const bool done = summary.complete() && !summary.has(StudyOutcome::State::left);
  return int(done ? ExitCode::ok : ExitCode::busy);
}

}  // namespace rooftune::night_commands
