// Commands and options of this extension.
#include <memory>

#include "cli/choices.h"
#include "cli/command_table.h"
#include "cli/options.h"
#include "night_commands/extension.h"
#include "night_commands/options.h"

namespace rooftune::night_commands {
namespace {

void add_sweep(CLI::App& app, CommandLine& line) {
  CLI::App* sweep = app.add_subcommand(
      "sweep", "Run a list of studies unattended; --continue resumes after a kill");
  const auto options = std::make_shared<SweepOptions>();
  CLI::App* bisect = sweep->add_subcommand(
      "bisect", "Find the commit that made a series slower, in a worktree of its own");
  const auto search = std::make_shared<BisectOptions>();
  bisect->add_option("series", search->series, "Key of its baseline (tune baseline list)")
      ->required();
  DescribedOptions described_bisect(*bisect);
  BisectOptions::fields(*search, described_bisect);
  sweep->callback([&line, options, search, bisect] {
    line.run = [options, search, bisects = bisect->parsed()](const CommandLine&) {
      return bisects ? bisect_command(*search) : sweep_command(*options);
    };
  });
  sweep->add_option("plan", options->plan, "Plan file (docs/sweeps.md)");
  sweep
      ->add_option("--output", options->outputs,
                   "FORMAT=FILE, also several: this night as html, junit, json or github")
      ->allow_extra_args(false)
      ->type_name("FORMAT=FILE");
  sweep->add_flag("-q,--quiet", options->quiet, "Only the summary");
  sweep->add_flag("-v,--verbose", options->verbose, "The progress of each study too");
  DescribedOptions described(*sweep);
  SweepOptions::fields(*options, described);
}

void add_worker(CLI::App& app, CommandLine& line) {
  CLI::App* worker = app.add_subcommand(
      "worker", "Run one shard of a sweep's plan; any scheduler may start it, any number of times");
  const auto options = std::make_shared<WorkerOptions>();
  worker->callback([&line, options] {
    line.run = [options](const CommandLine&) { return worker_command(*options); };
  });
  worker->add_option("plan", options->plan, "Plan file (docs/sweeps.md)");
  DescribedOptions described(*worker);
  WorkerOptions::fields(*options, described);
  worker->add_flag("-q,--quiet", options->quiet, "Only what went wrong");
}

void add_baseline(CLI::App& app, CommandLine& line) {
  const auto options = std::make_shared<BaselineOptions>();
  CLI::App* baseline = app.add_subcommand(
      "baseline", "What nights are held against: accept a result for good, list");
  ExportOptions& accepted = options->choice;
  baseline->callback([&line, options, baseline] {
    complete(options->choice.spec, *baseline);
    line.run = [options](const CommandLine&) { return baseline_command(*options); };
  });
  add_study(*baseline, accepted.spec);
  const Words actions = words(BaselineAction{});
  baseline
      ->add_option_function<std::string>(
          "action",
          [options](const std::string& text) {
            options->action = enumerator<BaselineAction>("action", text);
          },
          "accept or list")
      ->required()
      ->check(one_of({actions.begin(), actions.end()}));
  DescribedOptions described(*baseline);
  described("study", accepted.study, best_study);
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
                                "FORMAT=FILE (html, junit, json, github), also several")
                            ->type_name("DIR");
  for (const char* other : {"--kernel", "--machine", "--study", "--input"})
    sweeps->excludes(report->get_option(other));
}

void add_commands(CLI::App& app, CommandLine& line) {
  add_baseline(app, line);
  add_sweep(app, line);
  add_worker(app, line);
  add_report_of_sweeps(app, line);
}

}  // namespace

void add_nights() { extend_command_line(add_commands); }

}  // namespace rooftune::night_commands
