// This extension's commands and options.
#include "cli/choices.h"
#include "cli/command_table.h"
#include "cli/options.h"
#include "night_commands/baseline_command.h"
#include "night_commands/bisect_command.h"
#include "night_commands/extension.h"
#include "night_commands/sweep_command.h"
#include "night_commands/sweep_outputs.h"
#include "night_commands/worker_command.h"

namespace rooftune::night_commands {
namespace {

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
  for (const char* other : {"--kernel", "--machine", "studies", "--input"})
    sweeps->excludes(report->get_option(other));
}

void add_commands(CLI::App& app, CommandLine& line) {
  add_command(app, line, "baseline", "What nights are held against: accept a result for good, list",
              baseline_command)
      .get_option("action")
      ->check(one_of({accept_action, "list"}));
  CLI::App& sweep = add_command(app, line, "sweep",
                                "Run a list of studies unattended; --continue resumes after a kill",
                                sweep_command);
  add_command(sweep, line, "bisect",
              "Find the commit that made a series slower, in a worktree of its own",
              bisect_command);
  add_command(app, line, "worker",
              "Run one shard of a sweep's plan; any scheduler may start it, any number of times",
              worker_command);
  add_report_of_sweeps(app, line);
}

}  // namespace

void add_nights() { extend_command_line(add_commands); }

}  // namespace rooftune::night_commands
