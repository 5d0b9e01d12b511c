#include "cli/cluster_options.h"

#include <CLI/CLI.hpp>

#include "cli/choices.h"

namespace rooftune::cli {

void add_launcher(CLI::App& app, LauncherOptions& launcher) {
  app.add_option("--launcher", launcher.name,
                 "Where to run: local (here) or slurm (as jobs, on nodes that the machine file's "
                 "\"slurm\" asks for)")
      ->check(one_of({"local", "slurm"}))
      ->capture_default_str();
}

void add_exports(CLI::App& app, ExportsOptions& exports) {
  app.add_option("--exports", exports.places,
                 "Files or folders of exports that applications load; said is what is faster "
                 "(default: the plan's, else $ROOFTUNE_EXPORTS)")
      ->type_name("PLACES");
  app.add_flag("--update-exports", exports.update,
               "Put what a race has shown to be faster in an export's place; the old one stays");
}

void add_worker(CLI::App& app, CommandLine& line) {
  CLI::App* worker = app.add_subcommand(
      "worker", "Run one shard of a sweep's plan; any scheduler may start it, any number of times");
  worker->callback([&line] { line.command = CommandName::worker; });
  worker->add_option("plan", line.worker.plan, "Plan file (docs/sweeps.md)");
  worker
      ->add_option("--shard", line.worker.shard,
                   "Which of how many: 1/8 to 8/8 (default: 1/1, the whole plan)")
      ->type_name("N/M");
  worker->add_option("-m,--machine", line.worker.machine, "Only the studies of this machine")
      ->type_name("MACHINE");
  worker
      ->add_option("--sweep", line.worker.sweep,
                   "Folder of the run (default: the newest unfinished one of the plan, or a new "
                   "one)")
      ->type_name("DIR");
  worker->add_option("--results", line.worker.results, "Directory of records and pages")
      ->type_name("DIR");
  add_exports(*worker, line.worker.exports);
  worker->add_flag("-q,--quiet", line.worker.quiet, "Only what went wrong");
}

void add_records(CLI::App& app, CommandLine& line) {
  CLI::App* records = app.add_subcommand("records", "Check, join and clear the records");
  records->callback([&line] { line.command = CommandName::records; });
  records->require_subcommand(1);
  RecordsOptions& options = line.records;
  const auto action = [&](const char* name, const char* about, RecordsOptions::Action value) {
    CLI::App* sub = records->add_subcommand(name, about);
    sub->callback([&options, value] { options.action = value; });
    sub->add_option("--results", options.results, "Directory of records and pages")
        ->type_name("DIR");
    return sub;
  };
  using Action = RecordsOptions::Action;
  action("verify", "Read everything; say what is torn, damaged, twice there or of a newer version",
         Action::verify);
  action("merge", "Bring the records of other results folders here; again as often as you like",
         Action::merge)
      ->add_option("source", options.sources, "Results folders")
      ->required();
  CLI::App* gc = action(
      "gc", "Remove old records that no export, best-known file or baseline names", Action::gc);
  gc->add_option("--older-than", options.older_than, "Only what was last written before: 90d")
      ->type_name("AGE");
  gc->add_option("--keep", options.keep,
                 "Keep so many: studies of a kernel, back end, machine and problem, and runs that "
                 "a study has set aside")
      ->check(CLI::NonNegativeNumber);
  gc->add_option("--named-in", options.named_in,
                 "Also keep studies that these files or folders name (your exports)")
      ->type_name("PLACE");
  gc->add_flag("--dry-run", options.dry_run, "Only say what would be removed");
}

}  // namespace rooftune::cli
