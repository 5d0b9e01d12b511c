#include "sweep/slurm_command.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/interrupted.h"
#include "os/interruption.h"
#include "sweep/launcher.h"
#include "sweep/slurm.h"

namespace rooftune::inline sweep {
namespace {

constexpr int between_looks = 1000;  // [ms]
/// Looks in a row at a Slurm that does not answer.
constexpr int most_silent_looks = 300;

class WatchedJob {
 public:
  explicit WatchedJob(const CommandJob& command) : command_(command) {
    std::string words;
    for (const std::string& word : command.argv)
      words += (words.empty() ? "" : " ") + shell_word(word);
    job_.name = "rooftune-tune-" + hash_hex(words + command.directory.string()).substr(0, 12);
    job_.script = command.folder / (job_.name + ".sh");
    job_.log = command.folder / (job_.name + ".log");
    job_.words = command.words;
    code_ = command.folder / (job_.name + ".code");
    make_folders(command.folder);
    // The shell outlives the command to leave its code, and passes on Slurm's wish for an end.
    write_atomically(
        job_.script,
        fmt::format("#!/bin/sh\ncd {} || exit 74\n{} &\n"
                    "trap 'kill -TERM $!' TERM USR1\nwait $!; code=$?\n"
                    "while kill -0 $! 2> /dev/null; do wait $!; code=$?; done\n"
                    "echo $code > {}\n",
                    shell_word(command.directory.string()), words, shell_word(code_.string())));
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
    std::string reason;
    for (int look = 0; look < most_silent_looks; ++look) {
      if (const auto tasks = queue({job_.name}, reason)) {
        show(*tasks);
        return !tasks->empty();
      }
      pause();
    }
    throw Error("Slurm does not answer: " + reason, "squeue",
                "the job goes on; the same command finds it again", ExitCode::unavailable);
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
    pollfd event{interruption_descriptor(), POLLIN, 0};
    poll(&event, 1, between_looks);
    if (!interrupted()) return;
    command_.say("slurm: interrupted, cancelling the job; what was measured is kept");
    cancel(std::vector<std::string>{job_.name});
    throw Interrupted{};
  }

  const CommandJob& command_;
  SlurmJob job_;
  std::filesystem::path code_;
  std::size_t shown_ = 0;
  std::string said_;
};

}  // namespace

std::string shell_word(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

int run_as_job(const CommandJob& command) {
  require_slurm();
  return WatchedJob(command).run();
}

}  // namespace rooftune::inline sweep
