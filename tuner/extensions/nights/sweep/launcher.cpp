#include "sweep/launcher.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/number.h"
#include "core/pattern.h"
#include "core/seconds_since.h"
#include "core/split.h"
#include "core/text.h"
#include "os/interruption.h"
#include "os/subprocess.h"
#include "sweep/plan.h"

namespace rooftune::sweep {
namespace {

/// How long to wait for ending jobs after the last outcome [s].
constexpr double most_ending = 30;

/// [s] until the next look: short sweeps end soon, long ones do not burden the controller.
double usual_wait(double so_far) { return std::clamp(so_far / 20, 1.0, 30.0); }

/// How many looks at Slurm may fail in a row: a restart takes less.
constexpr int most_silence = 300;
/// A shard is submitted again while it advances; it is given up after so many jobs in a row without
/// a finished study.
constexpr int most_attempts = 3;

/// The job array for one machine's shards. Its name finds the jobs again after this process is
/// gone.
struct SlurmJob {
  std::string machine, name;
  /// The text, not a file: in a shared folder the file could change before Slurm reads it.
  std::string script;
  fs::path log;   ///< %a in its name becomes the task's number
  Indices tasks;  ///< numbers in its array, at most 1000
  Texts words;    ///< further options for sbatch
};

/// Slurm refuses arrays with higher numbers, unless an administrator has raised MaxArraySize.
constexpr size_t most_tasks = 1000;

/// Newer forms (--json) change from version to version; this form is as old as arrays.
constexpr const char* queue_format = "%F|%K|%T|%r|%N|%j";
/// Notice to end, as wall time before a job's time limit [s].
constexpr int warning = 60;

Finished run(Texts words, std::string input = {}) {
  Command command;
  command.argv = std::move(words);
  command.input = std::move(input);
  command.kept_output = size_t{64} << 20;
  // Jobs outlive us, and Ctrl-C must not end scancel.
  command.hands_over = true;
  return execute(command);
}

/// Returns Slurm's number. Throws Error with Slurm's words.
std::string submit(const SlurmJob& job) {
  // A job gets a whole node: neighbours would be measured as well. The user's options come last and
  // win.
  Texts words = Pattern(" ").split(
      "sbatch --parsable --requeue --open-mode=append --exclusive --nodes=1 --ntasks=1");
  append(words,
         {fmt::format("--signal=B:USR1@{}", warning), "--job-name=" + job.name,
          "--output=" + job.log.string(), fmt::format("--array={}", fmt::join(job.tasks, ","))});
  append(words, job.words);
  const Finished finished = run(std::move(words), job.script);
  if (!finished.status.ok())
    throw Unavailable(
        "Slurm took no job: " + text_before(finished.output, '\n'), "sbatch",
        "the member \"slurm\" of the machine file is what it is asked for; --shards makes "
        "fewer jobs");
  // "4711;cluster", possibly after lines from a site's plug-ins.
  std::string number;
  for (const std::string& line : split(finished.output))
    if (!line.empty()) number = text_before(line, ';');
  return number;
}

/// The tasks whose jobs have these names; nullopt, with the reason, when Slurm does not answer.
std::optional<SlurmTasks> queue(const Texts& names, std::string& reason) {
  const Finished finished =
      run({"squeue", "-h", "-r", "-o", queue_format, "-n", joined(names, ",")});
  if (finished.status.ok()) return parse_queue(finished.output);
  reason = finished.output.empty() ? finished.status.text() : text_before(finished.output, '\n');
  return std::nullopt;
}

/// Ends the jobs with these names; a missing one is no fault.
void cancel(const Texts& names) {
  for (const std::string& name : names) run({"scancel", "--name=" + name});
}

/// Ends one task.
void cancel(const SlurmTask& task) { run({"scancel", fmt::format("{}_{}", task.job, task.task)}); }

/// A shard of one machine's studies: the task with the shard's index in the machine's array.
struct ShardJob {
  size_t job = 0;
  Shard shard;
  Indices left;                                     ///< plan positions still without an outcome
  std::optional<SteadyClock::time_point> complete;  ///< since when nothing is left
  int attempts = 0;                                 ///< in a row without a further outcome
  bool cancelled = false;                           ///< and this was reported
  bool was_gone = false;  ///< Slurm did not have it at the last look either
};

class Launcher {
 public:
  Launcher(const Plan& plan, const ClusterSweep& sweep) : plan_(plan), sweep_(sweep) {
    folder_below(sweep.directory, "jobs");
    for (const std::string& machine : machines_of(plan)) add_machine(machine);
  }

  SweepSummary run() {
    std::set<size_t> earlier;
    for (const size_t i : indices(plan_.studies))
      if (outcome_of(plan_.studies[i].name, sweep_.directory)) earlier.insert(i);
    for (bool waiting = true; waiting;) {
      const auto live = look();
      if (live) {
        look_at_outcomes();
        cancel_ended(*live);
        waiting = submit_missing(*live);
        show(*live);
      }
      if (waiting && is_complete(most_ending)) {
        cancel_all();
        break;
      }
      if (waiting) pause();
      if (!interrupted()) continue;
      sweep_.say("slurm: interrupted, cancelling the jobs");
      cancel_all();
      look_at_outcomes();
      break;
    }
    SweepSummary all = summary();
    for (const size_t i : indices(all.studies)) all.studies[i].earlier = earlier.contains(i);
    return all;
  }

 private:
  /// Slurm's remaining tasks; tasks that Slurm cannot start are ended first, and so submitted anew.
  /// nullopt: Slurm does not answer now. Throws Error (ExitCode::unavailable) after `most_silence`
  /// such looks.
  std::optional<SlurmTasks> look() {
    std::string reason;
    auto live = queue(names(), reason);
    if (!live) {
      if (++silence_ == 1) sweep_.say("slurm: does not answer, waiting: " + reason);
      if (silence_ > most_silence)
        throw Unavailable("Slurm does not answer: " + reason, "squeue",
                          "jobs that it has go on; the same command goes on from there");
      return std::nullopt;
    }
    silence_ = 0;
    std::erase_if(*live, [&](const SlurmTask& task) {
      if (!task.is_stuck()) return false;
      sweep_.say(fmt::format("slurm: job {} cannot start ({}) and is submitted anew", task.job,
                             task.reason));
      cancel(task);
      return true;
    });
    return live;
  }

  /// Waits until the next look, or until the user interrupts.
  void pause() const {
    const double so_far = seconds_since(begin_);
    pollfd event{interruption_descriptor(), POLLIN, 0};
    poll(&event, 1, int(1000 * (sweep_.wait ? sweep_.wait(so_far) : usual_wait(so_far))));
  }

  /// Ends all jobs and returns when they are gone, or says how to end those that stay.
  void cancel_all() const {
    // Jobs save their measurements in the time that the site allows between SIGTERM and SIGKILL.
    constexpr int most_looks = 60;
    std::string reason;
    for (int look = 0; look < most_looks; ++look) {
      cancel(names());
      if (const auto live = queue(names(), reason); live && live->empty()) return;
      poll(nullptr, 0, 500);
    }
    sweep_.say("slurm: some jobs are still there: scancel --name=" + joined(names(), ","));
  }

  void add_machine(const std::string& machine) {
    const size_t studies = studies_of(plan_, machine, {}).size();
    const size_t count =
        std::min({sweep_.shards > 0 ? sweep_.shards : studies, studies, most_tasks});
    SlurmJob job;
    job.machine = machine;
    // The same run always gets the same name, so another call to the command finds its jobs.
    const std::string run = hash_hex(sweep_.directory.string()).substr(0, 12);
    job.name = fmt::format("rooftune-{}-{}-{}", run, jobs_.size(), count);
    job.script = script(job, count);
    job.log = sweep_.directory / "jobs" / (job.name + ".%a.log");
    job.words = sweep_.words(machine);
    for (size_t i = 1; i <= count; ++i)
      shards_.push_back({jobs_.size(), {i, count}, studies_of(plan_, machine, {i, count}), {}});
    jobs_.push_back(std::move(job));
  }

  std::string script(const SlurmJob& job, size_t count) const {
    std::string words;
    for (const std::string& word : sweep_.worker_words) words += " " + shell_word(word);
    // exec: Slurm's warning goes to the script's own process.
    return fmt::format(
        "#!/bin/sh\nexec {} worker {} --machine {} --shard $SLURM_ARRAY_TASK_ID/{} --sweep {} "
        "--results {}{}\n",
        shell_word(sweep_.program.string()), shell_word(sweep_.plan_file.string()),
        shell_word(job.machine), count, shell_word(sweep_.directory.string()),
        shell_word(sweep_.results.string()), words);
  }

  Texts names() const { return members(jobs_, &SlurmJob::name); }

  std::string log_of(const ShardJob& shard) const {
    std::string log = jobs_[shard.job].log.string();
    return log.replace(log.rfind("%a"), 2, std::to_string(shard.shard.index));
  }

  /// Removes studies that have an outcome by now.
  void look_at_outcomes() {
    for (ShardJob& shard : shards_) {
      const auto finished = std::erase_if(shard.left, [&](size_t position) {
        return outcome_of(plan_.studies[position].name, sweep_.directory).has_value();
      });
      if (finished > 0) shard.attempts = 0;
      if (shard.left.empty() && !shard.complete) shard.complete = SteadyClock::now();
    }
  }

  /// Submits shards that are neither finished nor known to Slurm; false when all have ended.
  bool submit_missing(const SlurmTasks& live) {
    bool waiting = false;
    std::map<size_t, Indices> tasks;
    for (ShardJob& shard : shards_) {
      const bool is_live = any_of(live, [&](const SlurmTask& task) { return is_of(task, shard); });
      const bool before = std::exchange(shard.was_gone, !is_live);
      if (is_live) waiting = true;
      if (is_live || shard.left.empty() || shard.attempts >= most_attempts) continue;
      waiting = true;
      // On a network file system the outcome may be seen only after the job has ended.
      if (shard.attempts > 0 && !before) continue;
      ++shard.attempts;
      shard.was_gone = false;
      tasks[shard.job].push_back(shard.shard.index);
    }
    for (auto& [place, numbers] : tasks) {
      SlurmJob& job = jobs_[place];
      job.tasks = std::move(numbers);
      const std::string number = submit(job);
      sweep_.say(fmt::format("slurm: submitted job {}, {} of {} studies on {}", number,
                             plural(job.tasks.size(), "shard"), plan_.name, job.machine));
    }
    return waiting;
  }

  bool is_of(const SlurmTask& task, const ShardJob& shard) const {
    return task.name == jobs_[shard.job].name && task.task == shard.shard.index;
  }

  /// Cancels jobs whose work is finished: if a job begins and ends while Slurm's controller is
  /// down, the restarted controller counts the job, and blocks its node, until the node registers
  /// again, possibly for half an hour.
  void cancel_ended(const SlurmTasks& live) {
    for (ShardJob& shard : shards_) {
      if (!shard.complete || seconds_since(*shard.complete) < sweep_.grace) continue;
      for (const SlurmTask& task : live) {
        if (!is_of(task, shard)) continue;
        if (!std::exchange(shard.cancelled, true))
          sweep_.say(fmt::format("slurm: cancelling job {}_{}, whose studies are done", task.job,
                                 task.task));
        cancel(task);
      }
    }
  }

  void show(const SlurmTasks& live) {
    size_t left = 0;
    for (const ShardJob& shard : shards_) left += shard.left.size();
    TextSet nodes, reasons;
    size_t running = 0;
    for (const SlurmTask& task : live) {
      const bool runs = task.runs();
      running += runs ? 1 : 0;
      (runs ? nodes : reasons).insert(runs ? task.node : task.reason);
    }
    std::string line = fmt::format("slurm: {} of {} studies are done", plan_.studies.size() - left,
                                   plan_.studies.size());
    if (running > 0) line += fmt::format(", {} jobs run on {}", running, joined(nodes, " "));
    if (live.size() > running)
      line += fmt::format(", {} wait ({})", live.size() - running, joined(reasons));
    if (line == shown_) return;
    shown_ = line;
    sweep_.say(line);
  }

  /// Whether every study has had an outcome for so long [s], whatever Slurm says about the jobs.
  bool is_complete(double seconds) const {
    return all_of(shards_, [&](const ShardJob& shard) {
      return shard.complete && seconds_since(*shard.complete) > seconds;
    });
  }

  SweepSummary summary() {
    SweepSummary summary = collected(plan_, sweep_.directory);
    for (const ShardJob& shard : shards_)
      for (const size_t position : shard.left)
        if (shard.attempts >= most_attempts)
          summary.studies[position].message =
              fmt::format("{} jobs ended without an outcome: {}", most_attempts, log_of(shard));
    return summary;
  }

  const Plan& plan_;
  const ClusterSweep& sweep_;
  std::vector<SlurmJob> jobs_;
  std::vector<ShardJob> shards_;
  std::string shown_;
  SteadyClock::time_point begin_ = SteadyClock::now();
  int silence_ = 0;
};

}  // namespace

SweepSummary run_on_slurm(const Plan& plan, const ClusterSweep& sweep) {
  if (plan.total)
    throw Error(fmt::format("the total of plan \"{}\" is the time of one process", plan.name),
                "--launcher slurm",
                "leave it out: \"time\" of the machine's \"slurm\" is a job's, and studies have "
                "budgets");
  require_slurm();
  const std::string started = utc_now();
  SweepSummary summary = Launcher(plan, sweep).run();
  summary.started = started;
  summary.finished = utc_now();
  write_summary(summary);
  return summary;
}

bool SlurmTask::is_stuck() const {
  // A task that a person holds (JobHeldUser, JobHeldAdmin) is not stuck: it will be released.
  return Pattern("requeued[ _]held|JobHoldMaxRequeue").search(reason).has_value();
}

void require_slurm() {
  for (const char* name : {"sbatch", "squeue", "scancel"})
    if (!find_program(name))
      throw Unavailable(fmt::format("there is no {} on PATH", name), "--launcher slurm",
                        "run it on a login node of the cluster; --launcher local needs no Slurm");
}

SlurmTasks parse_queue(const std::string& text) {
  SlurmTasks tasks;
  const Pattern bar("\\|");
  for (const std::string& line : split(text)) {
    const auto fields = bar.split(line);
    if (fields.size() != 6) continue;
    // "N/A" where there is no array.
    tasks.push_back({fields[5], fields[0], leading_number<size_t>(fields[1]).value_or(0), fields[2],
                     fields[3], fields[4]});
  }
  return tasks;
}

}  // namespace rooftune::sweep
