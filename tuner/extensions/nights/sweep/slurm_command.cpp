#include "sweep/slurm_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/interrupted.h"
#include "core/text.h"
#include "os/interruption.h"
#include "sweep/launcher.h"
#include "sweep/slurm.h"

namespace rooftune::sweep {
namespace {

std::string name_of(const CommandJob& command, const std::string& words) {
  return "rooftune-tune-" + hash_hex(words + command.directory.string()).substr(0, 12);
}

std::string shell_words(const std::vector<std::string>& argv) {
  std::string words;
  for (const std::string& word : argv) words += (words.empty() ? "" : " ") + shell_word(word);
  return words;
}

class WatchedJob {
 public:
  explicit WatchedJob(const CommandJob& command)
      : command_(command),
        words_(shell_words(command.argv)),
        job_{name_of(command, words_), {}, {}, {}, command.words},
        // The command's output is shown as it comes.
        watch_({job_.name}, command.say, [](double) { return 1; }) {
    job_.script = command.folder / (job_.name + ".sh");
    job_.log = command.folder / (job_.name + ".log");
    code_ = command.folder / (job_.name + ".code");
    make_folders(command.folder);
    // The shell outlives the command to leave its code, and passes on Slurm's signal to end.
    write_atomically(
        job_.script,
        fmt::format("#!/bin/sh\ncd {} || exit 74\n{} &\n"
                    "trap 'kill -TERM $!' TERM USR1\nwait $!; code=$?\n"
                    "while kill -0 $! 2> /dev/null; do wait $!; code=$?; done\n"
                    "echo $code > {}\n",
                    shell_word(command.directory.string()), words_, shell_word(code_.string())));
  }

  int run() {
    bool live = is_live();
    if (!live) forget();
    for (int attempt = 1;; ++attempt) {
      if (!live) command_.say("slurm: submitted job " + submit(job_));
      while (is_live()) {
        show_news();
        pause();
      }
      pause();  // On a network file system the code may be seen later than the end of the job.
      show_news();
      const auto code = exit_code();
      if (code && *code != static_cast<int>(ExitCode::interrupted)) return *code;
      if (attempt >= most_attempts)
        throw Error(
            fmt::format("{} jobs ended before the command did", attempt), job_.log.string(),
            "its words are there; \"time\" in the machine file's \"slurm\" may be too short",
            ExitCode::unavailable);
      command_.say("slurm: the job ended before the command did; it goes on from the records");
      std::filesystem::remove(code_);
      live = false;
    }
  }

 private:
  bool is_live() {
    for (;; pause())
      if (const auto tasks = watch_.look()) {
        show(*tasks);
        return !tasks->empty();
      }
  }
  void show(const std::vector<SlurmTask>& tasks) {
    for (const SlurmTask& task : tasks) {
      const std::string line =
          task.state == "RUNNING"
              ? fmt::format("slurm: job {} runs on {}", task.job, task.node)
              : fmt::format("slurm: job {} is {} ({})", task.job, task.state, task.reason);
      if (line != said_) command_.say(line);
      said_ = line;
    }
  }
  void forget() {
    std::filesystem::remove(code_);
    std::filesystem::remove(job_.log);
  }
  void show_news() {
    const std::string log = text_if_readable(job_.log);
    if (log.size() > shown_) command_.show(log.substr(shown_));
    shown_ = std::max(shown_, log.size());
  }
  std::optional<int> exit_code() const {
    const std::string text = text_if_readable(code_);
    int code = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), code).ec != std::errc{})
      return std::nullopt;
    return code;
  }
  void pause() {
    watch_.pause();
    if (!interrupted()) return;
    command_.say("slurm: interrupted, cancelling the job; what was measured is kept");
    watch_.cancel_all();
    throw Interrupted{};
  }

  const CommandJob& command_;
  const std::string words_;
  SlurmJob job_;
  JobWatch watch_;
  std::filesystem::path code_;
  std::size_t shown_ = 0;
  std::string said_;
};

}  // namespace

int run_as_job(const CommandJob& command) {
  require_slurm();
  return WatchedJob(command).run();
}

}  // namespace rooftune::sweep
