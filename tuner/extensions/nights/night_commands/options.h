// What the user asked this extension's commands for.
#pragma once
#include <string>

#include "cli/options.h"
#include "core/list.h"
#include "core/option.h"
#include "sweep/sweep.h"

namespace rooftune::night_commands {

inline constexpr const char* accept_action = "accept";

struct BaselineOptions {
  StudySpec spec;
  std::string study, action, who, why;
  bool json = false;
  static void fields(auto& self, auto& visit) {
    visit.position("action", self.action, "accept or list")->required();
    ROOFTUNE_FIELD(study, best_study);
    ROOFTUNE_FIELD(who, {"Who accepts it", "NAME", "the user"});
    ROOFTUNE_FIELD(why, {"Why: for whoever reads the list in a year", "TEXT"});
    ROOFTUNE_FIELD(json, json_option);
  }
};

/// Which finding makes `tune sweep` end with an exit code.
ROOFTUNE_ENUM(FailOn, never, regression, inconclusive)
ROOFTUNE_ENUM(Launcher, local, slurm)

inline constexpr Option allowed_commands{
    "Run the programs and \"notify\" of a plan that other users may change"};
inline constexpr const char* plan_word = "Plan file (docs/sweeps.md)";

struct SweepOptions {
  std::string plan, results, json;
  FailOn fail_on = FailOn::inconclusive;
  bool quiet = false, verbose = false, wait = false;
  Texts outputs;  ///< FORMAT=FILE
  bool check = false, dry_run = false, goes_on = false;
  bool allow_commands = false;  ///< for a plan that others may change
  Begin begin() const { return goes_on ? Begin::continued : Begin::anew; }
  Launcher launcher = Launcher::local;
  size_t shards = 0;  ///< jobs for each machine; 0: one for each study
  static void fields(auto& self, auto& visit) {
    visit.position("plan", self.plan, plan_word);
    visit("output", self.outputs,
          {"FORMAT=FILE, also several: this night as html, junit, json or github", "FORMAT=FILE"})
        ->allow_extra_args(false);
    visit("q,quiet", self.quiet, {"Only the summary"});
    visit("v,verbose", self.verbose, {"The progress of each study too"});
    ROOFTUNE_FIELD(check, {"Only check the plan and all that it names"});
    ROOFTUNE_FIELD(dry_run, {"Only show what would run, in which order"});
    visit("continue", self.goes_on,
          {"Go on with the newest night, which ended early, in place of another one"});
    ROOFTUNE_FIELD(results, results_option);
    ROOFTUNE_FIELD(json, {"Write the summary as JSON too", "FILE"});
    ROOFTUNE_FIELD(
        fail_on,
        {"What ends with a code: never, regression (1), or also what is inconclusive (4)"});
    ROOFTUNE_FIELD(wait, {"Wait for another process that runs the plan or one of its studies"});
    ROOFTUNE_FIELD(allow_commands, allowed_commands);
    ROOFTUNE_FIELD(
        launcher, {"Where to run: local (here) or slurm (as jobs, on nodes that the machine file's "
                   "\"slurm\" asks for)"});
    ROOFTUNE_FIELD(shards, {"slurm: so many jobs for each machine", "N", "one for each study"});
  }
};

/// Without a plan a worker runs variants for the process that started it. Among a sweep's options
/// only those in fields() are set.
struct WorkerOptions : SweepOptions {
  std::string machine, sweep;
  std::string shard = "1/1";
  static void fields(auto& self, auto& visit) {
    visit.position("plan", self.plan, plan_word);
    ROOFTUNE_FIELD(shard, {"Which of how many: 1/8 to 8/8", "N/M", "1/1, the whole plan"});
    visit("m,machine", self.machine, {"Only the studies of this machine", "MACHINE"});
    ROOFTUNE_FIELD(
        sweep, {"Folder of the run", "DIR", "the newest unfinished one of the plan, or a new one"});
    ROOFTUNE_FIELD(results, results_option);
    ROOFTUNE_FIELD(allow_commands, allowed_commands);
    visit("q,quiet", self.quiet, {"Only what went wrong"});
  }
};

/// `tune sweep bisect`.
struct BisectOptions {
  std::string series;        ///< a baseline's key, or its beginning
  std::string bad = "HEAD";  ///< a revision in the kernel's repository
  std::string results;
  static void fields(auto& self, auto& visit) {
    visit.position("series", self.series, "Key of its baseline (tune baseline list)")->required();
    ROOFTUNE_FIELD(bad, {"A revision that is slower", "REVISION", "HEAD"});
    ROOFTUNE_FIELD(results, results_option);
  }
};

}  // namespace rooftune::night_commands
