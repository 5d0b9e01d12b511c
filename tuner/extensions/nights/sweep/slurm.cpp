#include <fmt/format.h>

#include <charconv>

#include "core/error.h"
#include "core/pattern.h"
#include "os/subprocess.h"
#include "sweep/launcher.h"

namespace rooftune::sweep {
namespace {

/// Newer forms (--json) change from version to version; this one is as old as arrays.
constexpr const char* queue_format = "%F|%K|%T|%r|%N|%j";
/// Notice to end, as wall time before a job's time limit [s].
constexpr int warning = 60;

Finished run(std::vector<std::string> words) {
  Command command;
  command.argv = std::move(words);
  command.kept_output = std::size_t{64} << 20;
  // Jobs outlive us, and Ctrl-C must not end scancel.
  command.hands_over = true;
  return execute(command);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

bool SlurmTask::is_stuck() const {
  // Not one held by a person (JobHeldUser, JobHeldAdmin): it will be released.
  for (const char* const word : {"requeued held", "requeued_held", "JobHoldMaxRequeue"})
    if (reason.find(word) != std::string::npos) return true;
  return false;
}

void require_slurm() {
  for (const char* name : {"sbatch", "squeue", "scancel"})
    if (!find_program(name))
      throw Error(fmt::format("there is no {} on PATH", name), "--launcher slurm",
                  "run it on a login node of the cluster; --launcher local needs no Slurm",
                  ExitCode::unavailable);
}

std::string submit(const SlurmJob& job) {
  // A node for itself: neighbours would be measured as well. Options of the user come last and win.
  std::vector<std::string> words{"sbatch",
                                 "--parsable",
                                 "--requeue",
                                 "--open-mode=append",
                                 "--exclusive",
                                 "--nodes=1",
                                 "--ntasks=1",
                                 fmt::format("--signal=B:USR1@{}", warning),
                                 "--job-name=" + job.name,
                                 "--output=" + job.log.string(),
                                 fmt::format("--array={}", fmt::join(job.tasks, ","))};
  words.insert(words.end(), job.words.begin(), job.words.end());
  words.push_back(job.script.string());
  const Finished finished = run(std::move(words));
  if (!finished.status.ok())
    throw Error("Slurm took no job: " + first_line(finished.output), "sbatch",
                "the member \"slurm\" of the machine file is what it is asked for; --shards makes "
                "fewer jobs",
                ExitCode::unavailable);
  // "4711;cluster", possibly after lines of a site's plug-ins.
  std::string number;
  for (const std::string& line : Pattern("\n").split(finished.output))
    if (!line.empty()) number = line.substr(0, line.find(';'));
  return number;
}

std::vector<SlurmTask> parse_queue(const std::string& text) {
  std::vector<SlurmTask> tasks;
  const Pattern bar("\\|");
  for (const std::string& line : Pattern("\n").split(text)) {
    const auto fields = bar.split(line);
    if (fields.size() != 6) continue;
    SlurmTask task;
    task.job = fields[0];
    // "N/A" where there is no array.
    std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), task.task);
    task.state = fields[2];
    task.reason = fields[3];
    task.node = fields[4];
    task.name = fields[5];
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::optional<std::vector<SlurmTask>> queue(const std::vector<std::string>& names,
                                            std::string& reason) {
  const Finished finished = run(
      {"squeue", "-h", "-r", "-o", queue_format, "-n", fmt::format("{}", fmt::join(names, ","))});
  if (finished.status.ok()) return parse_queue(finished.output);
  reason = finished.output.empty() ? finished.status.text() : first_line(finished.output);
  return std::nullopt;
}

void cancel(const std::vector<std::string>& names) {
  for (const std::string& name : names) run({"scancel", "--name=" + name});
}

void cancel(const SlurmTask& task) { run({"scancel", fmt::format("{}_{}", task.job, task.task)}); }

}  // namespace rooftune::sweep
