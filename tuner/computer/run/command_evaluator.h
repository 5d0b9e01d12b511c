// The evaluator of a whole program: builds it where it has knobs of a build, runs it as its user
// does, and takes its time from the clock or from its output.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/filesystem.h"
#include "core/rng.h"
#include "kernel/kernel.h"
#include "os/subprocess.h"
#include "run/command_template.h"
#include "run/metric.h"
#include "run/printed_output.h"
#include "run/program_builds.h"
#include "trial/evaluator.h"

namespace rooftune::run {

/// The run planned for a configuration.
struct PlannedCommand {
  std::vector<std::string> build, run, check;  ///< words; empty: there is none
  std::map<std::string, std::string> environment;
  bool in_copy = false;  ///< in a copy of the user's folder, named by {BUILD_DIR}
  /// Input files made for the run: names and contents.
  std::vector<std::pair<fs::path, std::string>> files;
};

class CommandEvaluator : public Evaluator {
 public:
  /// `kernel` stands for a program (program_kernel); `scratch` holds its builds. Throws Error
  /// naming the option: unreadable words, pattern, pointer or unit, a missing program.
  CommandEvaluator(const Kernel& kernel, Facts problem, int builders, fs::path scratch);
  /// Set once. Throws Error for a placeholder without a knob or parameter, and for a knob without
  /// effect.
  void use(const SearchSpace& space);
  void build(const std::vector<Configuration>& configurations) override;
  /// Throws Error where the baseline ends well without a readable figure: no other configuration
  /// will do better then.
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override;
  Rounds race(const std::vector<Configuration>& configurations, int rounds, uint64_t seed,
              const Between& between = {}) override;
  PlannedCommand plan(const Configuration& configuration) const;

 private:
  /// One run and its output.
  struct Run {
    Outcome outcome = Outcome::ok;
    std::string detail;           ///< why not ok
    std::vector<double> seconds;  ///< of the metric
    Printed printed;
    double wall = 0;  ///< [s]
    Figures figures;  ///< the further ones
  };
  std::vector<std::string> value(const Configuration& configuration, const std::string& name) const;
  /// `folder`: of the build.
  CommandTemplate::Lookup lookup(const Configuration& configuration,
                                 const fs::path& folder = {}) const;
  Command command(const CommandTemplate& words, const Configuration& configuration,
                  const fs::path& folder) const;
  /// The folder of runs with input files of their own, where no copy for a build serves.
  void make_run_folder();
  /// In the folder as it was built.
  Run run_once(const Configuration& configuration, const ProgramBuild& build, double limit) const;
  /// The same, again while it fails and `retries` are left: a scheduler, a network or a file system
  /// may have failed and not the program.
  Run run(const Configuration& configuration, const ProgramBuild& build, double limit,
          int& retries) const;
  void read(const Finished& finished, Run& run) const;
  /// Runs the command for checking a result, and may make it a wrong one.
  void check(const Configuration& configuration, const ProgramBuild& build, Run& run) const;
  /// Holds its output against the baseline's, and may make it a wrong one.
  void compare(const Configuration& configuration, Run& run);
  /// Two runs of the baseline, where none was measured here.
  void learn_baseline();
  /// Limit of a run [s]: of a possibly slow one, of one timed before.
  double limit_first(std::optional<double> incumbent) const;
  double limit_again(const Configuration& configuration) const;
  /// `slower` times a known time of a run, within the bounds of every run.
  double limit(std::optional<double> known, double slower) const;
  void measure(const Configuration& configuration, const ProgramBuild& build,
               std::optional<double> incumbent, Trial& trial);
  void conclude(std::vector<Sample> samples, const std::vector<Figures>& figures, double wall,
                Trial& trial);
  /// One run of each, in an order of its own; `last`: each is checked. `result` names the failures.
  std::vector<double> round(const std::vector<Configuration>& configurations,
                            const std::vector<ProgramBuild>& builds, Rng rng, bool last,
                            int& retries, Rounds& result) const;
  void require_known(const std::string& name, const std::string& option) const;
  void require_used(const Knob& knob) const;

  Program program_;
  Facts problem_;
  ProgramBuilds builds_;
  CommandTemplate command_, check_command_;
  InputTemplates templates_;
  fs::path scratch_;
  PreparedFolder run_folder_;
  std::map<std::string, CommandTemplate> environment_;
  Metric metric_;
  ProgramFigures figures_;
  OutputCheck output_check_;
  PrintedOutput printed_;  ///< of the baseline
  std::optional<SearchSpace> space_;
  /// Metric and wall time of a run of the fastest so far [s].
  std::optional<std::pair<double, double>> fastest_;
  std::map<std::string, double> walls_;  ///< of a measured run, by key [s]
};

}  // namespace rooftune::run
