// Commands and options of this extension.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/choices.h"
#include "cli/command_table.h"
#include "cli/options.h"
#include "night_commands/extension.h"
#include "night_commands/options.h"
#include "sweep/formats.h"

namespace rooftune::night_commands {
namespace {

constexpr const char* launcher_help =
    "Where to run: local (here) or slurm (as jobs, on nodes that the machine file's \"slurm\" "
    "asks for)";

/// Of `tune` itself: a study as a job.
void add_launcher(CLI::App& app, CommandLine& line) {
  app.add_option_function<std::string>(
         "--launcher",
         [&line](const std::string& launcher) {
           if (launcher == "slurm") line.tune.instead = tune_on_slurm;
         },
         launcher_help)
      ->check(one_of({"local", "slurm"}))
      ->default_str("local");
}

void add_exports(CLI::App& app, ExportsOptions& exports) {
  app.add_option("--exports", exports.places,
                 "Files or folders of exports that applications load; said is what is faster "
                 "(default: the plan's, else $ROOFTUNE_EXPORTS)")
      ->type_name("PLACES");
  app.add_flag("--update-exports", exports.update,
               "Put what a race has shown to be faster in an export's place; the old one stays");
}

void add_sweep(CLI::App& app, CommandLine& line) {
  CLI::App* sweep =
      app.add_subcommand("sweep", "Run a list of studies unattended; resumes after a kill");
  const auto options = std::make_shared<SweepOptions>();
  sweep->callback([&line, options] {
    line.run = [options](const CommandLine&) { return sweep_command(*options); };
  });
  sweep
      ->add_option("plan", options->plan,
                   "Plan file (docs/sweeps.md); \"status\" shows how all sweeps stand")
      ->required();
  sweep->add_option("--only", options->only, "Only these studies of the plan, between commas")
      ->delimiter(',')
      ->type_name("NAME,...");
  sweep->add_flag("--check", options->check, "Only check the plan and all that it names");
  sweep->add_flag("--dry-run", options->dry_run, "Only show what would run, in which order");
  sweep->add_option("--results", options->results, "Directory of records and pages")
      ->type_name("DIR");
  sweep->add_option("--json", options->json, "Write the summary as JSON too")->type_name("FILE");
  sweep
      ->add_option("--output", options->outputs,
                   "FORMAT=FILE, also several: this night for other programs (tune list outputs)")
      ->allow_extra_args(false)
      ->type_name("FORMAT=FILE");
  sweep
      ->add_option("--fail-on", options->fail_on,
                   "What ends with a code: never, regression (1), or also what is inconclusive (4)")
      ->capture_default_str()
      ->check(one_of({"never", "regression", "inconclusive"}));
  sweep->add_flag("--wait", options->wait,
                  "Wait for another process that runs the plan or one of its studies");
  sweep->add_flag("--share-machine", options->share_machine,
                  "Studies take cores that nobody times on, beside others");
  sweep->add_flag("-q,--quiet", options->quiet, "Only the summary");
  sweep->add_flag("-v,--verbose", options->verbose, "The progress of each study too");
  add_exports(*sweep, options->exports);
  sweep->add_option("--launcher", options->launcher, launcher_help)
      ->check(one_of({"local", "slurm"}))
      ->capture_default_str();
  sweep->add_option("--shards", options->shards,
                    "slurm: so many jobs for each machine (default: one for each study)");
}

void add_worker(CLI::App& app, CommandLine& line) {
  CLI::App* worker = app.add_subcommand(
      "worker", "Run one shard of a sweep's plan; any scheduler may start it, any number of times");
  const auto options = std::make_shared<WorkerOptions>();
  worker->callback([&line, options] {
    line.run = [options](const CommandLine&) { return worker_command(*options); };
  });
  worker->add_option("plan", options->plan, "Plan file (docs/sweeps.md)");
  worker
      ->add_option("--shard", options->shard,
                   "Which of how many: 1/8 to 8/8 (default: 1/1, the whole plan)")
      ->type_name("N/M");
  worker->add_option("-m,--machine", options->machine, "Only the studies of this machine")
      ->type_name("MACHINE");
  worker
      ->add_option("--sweep", options->sweep,
                   "Folder of the run (default: the newest unfinished one of the plan, or a new "
                   "one)")
      ->type_name("DIR");
  worker->add_option("--results", options->results, "Directory of records and pages")
      ->type_name("DIR");
  add_exports(*worker, options->exports);
  worker->add_flag("-q,--quiet", options->quiet, "Only what went wrong");
}

void add_baseline(CLI::App& app, CommandLine& line) {
  const auto options = std::make_shared<BaselineOptions>();
  CLI::App* baseline = app.add_subcommand(
      "baseline", "What nights are held against: accept a result for good, list, show");
  ExportOptions& accepted = options->choice;
  baseline->callback([&line, options, baseline] {
    complete(options->choice.spec, *baseline);
    line.run = [options](const CommandLine&) { return baseline_command(*options); };
  });
  add_study(*baseline, accepted.spec);
  baseline->add_option("action", options->action, "accept, list or show")
      ->required()
      ->check(one_of({"accept", "list", "show"}));
  add_study_id(*baseline, accepted.study, "best");
  baseline->add_option("--who", options->who, "Who accepts it (default: the user)")
      ->type_name("NAME");
  baseline->add_option("--why", options->why, "Why: for whoever reads the list in a year")
      ->type_name("TEXT");
  baseline->add_flag("--json", options->json, "As JSON");
}

/// tune report --sweep.
void add_report_of_sweeps(CLI::App& app, CommandLine& line) {
  CLI::App* report = app.get_subcommand("report");
  CLI::Option* sweeps = report
                            ->add_option_function<std::string>(
                                "--sweep",
                                [&line](const std::string& folder) {
                                  line.report.instead = [folder](const ReportOptions& options) {
                                    return report_sweeps(options, folder);
                                  };
                                },
                                "Folder of results or of a sweep: all nights and kernels; --output "
                                "takes a folder, or "
                                "FORMAT=FILE (tune list outputs), also several")
                            ->type_name("DIR");
  for (const char* other :
       {"--kernel", "--machine", "--study", "--input", "--current-model", "studies"})
    sweeps->excludes(report->get_option(other));
}

/// tune list outputs.
Table output_table(const ListOptions&) {
  Table table{{"name", "file", "summary"}};
  for (const SweepFormatRow& row : sweep_formats())
    table.push_back({row.name, row.file, row.summary});
  return table;
}

void add_commands(CLI::App& app, CommandLine& line) {
  add_baseline(app, line);
  add_sweep(app, line);
  add_worker(app, line);
  add_launcher(app, line);
  add_report_of_sweeps(app, line);
}

}  // namespace

void add_nights() {
  extend_command_line(add_commands);
  add_listing({"outputs", output_table});
}

}  // namespace rooftune::night_commands
