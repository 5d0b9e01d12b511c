// One command as a job of Slurm, watched from its terminal.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::sweep {

struct CommandJob {
  std::vector<std::string> argv;    ///< the program by its path, as the nodes see it
  std::filesystem::path directory;  ///< where it runs
  std::filesystem::path folder;     ///< of script, output and exit code; shared with the nodes
  std::vector<std::string> words;   ///< further options of sbatch
  std::function<void(const std::string&)> show;  ///< output of the command, as it comes
  std::function<void(const std::string&)> say;   ///< one line per change
};

/// Submits the command, or finds the job of an earlier call, and returns its exit code. A job ended
/// without one, or by its time limit, is submitted again, at most three times in all. Throws Error
/// when Slurm is missing, takes no job or loses it, and Interrupted, the job cancelled, at an
/// interruption by the user.
int run_as_job(const CommandJob& command);

}  // namespace rooftune::sweep
