// tune --launcher slurm: one study as a job.
#include <fmt/format.h>

#include <cstdio>

#include "night_commands/options.h"
#include "night_commands/planned_study.h"
#include "os/paths.h"
#include "sweep/slurm_command.h"

namespace rooftune::night_commands {

int tune_on_slurm(const TuneOptions& options) {
  CommandJob job;
  const std::vector<std::string>& typed = options.spec.command;
  job.argv = {self().string()};
  for (std::size_t i = 1; i < typed.size(); ++i)
    if (typed[i] == "--launcher")
      ++i;
    else if (!typed[i].starts_with("--launcher="))
      job.argv.push_back(typed[i]);
  job.directory = std::filesystem::current_path();
  job.folder = std::filesystem::absolute(options.spec.results) / "jobs";
  job.words = slurm_words(options.spec.machine);
  job.show = [](const std::string& text) {
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  job.say = [&](const std::string& line) {
    if (!options.quiet) fmt::print(stderr, "{}\n", line);
  };
  return run_as_job(job);
}

}  // namespace rooftune::night_commands
