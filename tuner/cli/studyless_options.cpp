#include "cli/studyless_options.h"

#include <CLI/CLI.hpp>

#include "cli/choices.h"
#include "cli/cluster_options.h"
#include "cli/described_options.h"
#include "core/units.h"
#include "search/strategy.h"

namespace rooftune::cli {

void add_sweep(CLI::App& app, CommandLine& line) {
  CLI::App* sweep =
      app.add_subcommand("sweep", "Run a list of studies unattended; resumes after a kill");
  sweep->callback([&line] { line.command = CommandName::sweep; });
  sweep
      ->add_option("plan", line.sweep.plan,
                   "Plan file (docs/sweeps.md); \"status\" shows how all sweeps stand")
      ->required();
  sweep->add_option("--only", line.sweep.only, "Only these studies of the plan, between commas")
      ->delimiter(',')
      ->type_name("NAME,...");
  sweep->add_flag("--check", line.sweep.check, "Only check the plan and all that it names");
  sweep->add_flag("--dry-run", line.sweep.dry_run, "Only show what would run, in which order");
  sweep->add_option("--results", line.sweep.results, "Directory of records and pages")
      ->type_name("DIR");
  sweep->add_option("--json", line.sweep.json, "Write the summary as JSON too")->type_name("FILE");
  sweep
      ->add_option("--output", line.sweep.outputs,
                   "FORMAT=FILE, also several: this night for other programs (tune list outputs)")
      ->allow_extra_args(false)
      ->type_name("FORMAT=FILE");
  sweep
      ->add_option("--fail-on", line.sweep.fail_on,
                   "What ends with a code: never, regression (1), or also what is inconclusive (4)")
      ->capture_default_str()
      ->check(one_of({"never", "regression", "inconclusive"}));
  sweep->add_flag("--wait", line.sweep.wait,
                  "Wait for another process that runs the plan or one of its studies");
  sweep->add_flag("--share-machine", line.sweep.share_machine,
                  "Studies take cores that nobody times on, beside others");
  sweep->add_flag("-q,--quiet", line.sweep.quiet, "Only the summary");
  sweep->add_flag("-v,--verbose", line.sweep.verbose, "The progress of each study too");
  add_exports(*sweep, line.sweep.exports);
  add_launcher(*sweep, line.sweep.launcher);
  sweep->add_option("--shards", line.sweep.shards,
                    "slurm: so many jobs for each machine (default: one for each study)");
}

void add_probe(CLI::App& app, CommandLine& line) {
  CLI::App* probe = app.add_subcommand(
      "probe", "Measure the ceilings of this host, or of a GPU, and write the machine file");
  probe->callback([&line] { line.command = CommandName::probe; });
  auto* gpu =
      probe
          ->add_option_function<std::string>(
              "--gpu", [&line](const std::string& card) { line.probe.gpu = card; },
              "Measure a GPU: its index or UUID (default: the first); its machine is called gpu")
          ->expected(0, 1);
  probe->add_option("-m,--machine", line.probe.machine, "Name of the machine file")
      ->capture_default_str()
      ->type_name("MACHINE");
  probe
      ->add_option("-o,--output", line.probe.output,
                   "File to write instead of machines/<name>.json")
      ->type_name("FILE");
  auto* quick = probe->add_flag("--quick", line.probe.quick, "Under a minute (default)");
  auto* full = probe->add_flag("--full", line.probe.full, "The whole lattice, under six minutes")
                   ->excludes(quick);
  probe->add_flag("--forget", line.probe.forget,
                  "Start anew: what was faster in the earlier file of this machine is not kept");
  auto* verify =
      probe
          ->add_flag("--verify", line.probe.verify,
                     "Hold plain loops against the bounds of the machine file, and repair it")
          ->excludes(gpu)
          ->excludes(quick)
          ->excludes(full);
  probe->add_option_function<std::string>(
      "--budget",
      [&line](const std::string& text) { line.probe.seconds = parse_duration(text).value(); },
      "Time that it may take: 90 or 90s, 2min (default: 46 s; with --full 320 s, with --verify "
      "2min, of a GPU 30 s and 2min)");
  probe->add_option("--json", line.probe.json, "Write every loop of --verify to a file")
      ->needs(verify)
      ->type_name("FILE");
  probe->add_flag("-q,--quiet", line.probe.quiet, "No progress");
  probe->add_flag("-v,--verbose", line.probe.verbose, "All ceilings, not only the roofs");
}

void add_report(CLI::App& app, CommandLine& line) {
  CLI::App* report =
      app.add_subcommand("report", "Write the page of a study, a machine or many sweeps");
  report->callback([&line] { line.command = CommandName::report; });
  CLI::Option* compared = report->add_option(
      "studies", line.report.compared,
      "Two or more studies of a kernel to compare: ids, or folders of results (the latest there)");
  report->add_option("-k,--kernel", line.report.kernel, "Kernel whose latest study is drawn")
      ->type_name("KERNEL");
  report
      ->add_option("-m,--machine", line.report.machine,
                   "Machine whose roofline is drawn (without --kernel)")
      ->type_name("MACHINE");
  report->add_option("--study", line.report.study, "A particular study (its id or a prefix)")
      ->type_name("ID");
  report->add_option("--results", line.report.results, "Directory of records and pages")
      ->type_name("DIR");
  report->add_option("--input", line.report.input, input_help)->check(CLI::PositiveNumber);
  report->add_flag("--current-model", line.report.current_model, current_model_help);
  report->add_flag("-v,--verbose", line.report.verbose, "The evidence too, not only the answer");
  CLI::Option* of_sweeps =
      report
          ->add_option("--sweep", line.report.sweep,
                       "Folder of results or of a sweep: all nights and kernels")
          ->type_name("DIR");
  for (const char* other : {"--kernel", "--machine", "--study", "--input", "--current-model"})
    of_sweeps->excludes(other);
  for (const char* other : {"--machine", "--study", "--input", "--sweep"})
    compared->excludes(other);
  report
      ->add_option("-o,--output", line.report.outputs,
                   "HTML file to write (the SVG goes beside it); of sweeps a folder, or "
                   "FORMAT=FILE (tune list outputs), also several")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

void add_plot(CLI::App& app, CommandLine& line) {
  CLI::App* plot = app.add_subcommand("plot", "Write a chart or table of studies for a paper");
  plot->callback([&line] { line.command = CommandName::plot; });
  plot->add_option("studies", line.plot.studies,
                   "Studies: ids, or folders of results (default: the latest study)");
  plot->add_option("-k,--kernel", line.plot.kernel, "Kernel of the studies")->type_name("KERNEL");
  plot->add_option("--results", line.plot.results, "Directory of records and pages")
      ->type_name("DIR");
  plot->add_option("--chart", line.plot.chart, "roofline or convergence")
      ->check(one_of({"roofline", "convergence"}))
      ->capture_default_str();
  plot->add_option("-o,--output", line.plot.output,
                   "File: a chart as .svg, .pdf or .png, a table as .md or .tex")
      ->required()
      ->type_name("FILE");
}

void add_check(CLI::App& app, CommandLine& line) {
  CLI::App* check =
      app.add_subcommand("check", "Validate a kernel folder: manifest, builds, reference, bound");
  check->callback([&line] { line.command = CommandName::check; });
  check->add_option("path", line.check.path, "Kernel folder or name")->required();
  check->add_option("--problem", line.check.problem, "Problem parameters: name=value[,...]")
      ->type_name("K=V,...");
  check->add_option("--backend", line.check.backend, "Only this back end (default: all)")
      ->type_name("BACKEND");
  check
      ->add_option("-m,--machine", line.check.machine,
                   "GPU that CUDA kernels are compiled for; auto: run them on the card here")
      ->capture_default_str()
      ->type_name("MACHINE");
  check
      ->add_option("--sample", line.check.sample,
                   "Also check this many configurations, more when values would be missing")
      ->check(CLI::Range(0, 100000));
  check
      ->add_option("--set", line.check.changes,
                   "Check only the baseline with these knobs changed (one --backend)")
      ->type_name("K=V,... ...");
  check
      ->add_option("--seed", line.check.seed,
                   "Seed of the sample, and of the order in which the emulation runs threads")
      ->capture_default_str();
  check->add_flag("--compile-only", line.check.compile_only,
                  "CUDA: compile for the GPU and say what fits on it, run nothing");
  check
      ->add_option("--emit-knobs", line.check.emit_knobs,
                   "Only write a header with the knobs' defaults, for editors")
      ->type_name("FILE");
  check->add_option("--json", line.check.json, "Write what was found as JSON")->type_name("FILE");
}

void add_list(CLI::App& app, CommandLine& line) {
  CLI::App* list = app.add_subcommand(
      "list", "List kernels, machines, strategies, knobs, counters, exporters and more");
  list->callback([&line] { line.command = CommandName::list; });
  list->add_option("what", line.list.what,
                   "kernels | machines | strategies | knobs | backends | counters | exporters | "
                   "outputs (of sweeps)")
      ->required()
      ->check(one_of({"kernels", "machines", "strategies", "knobs", "backends", "counters",
                      "exporters", "outputs"}));
  list->add_option("-k,--kernel", line.list.kernel, "knobs: only of this kernel")
      ->type_name("KERNEL");
  list->add_option("--backend", line.list.backend, "knobs: of this back end")
      ->capture_default_str()
      ->type_name("BACKEND");
  list->add_flag("--json", line.list.json, "As JSON");
}

void add_recorded(CLI::App& app, CommandLine& line) {
  CLI::App* space =
      app.add_subcommand("space", "Size of a search space: Rooftune's, T1, plain or recorded");
  space->callback([&line] { line.command = CommandName::space; });
  space->add_option("file", line.space.file, "File of the space (plain or .gz)")->required();
  space->add_flag("--count", line.space.count, "How often each value is allowed, too");
  space->add_flag("--json", line.space.json, "As JSON");
  space->add_option("-m,--machine", line.space.machine, "Machine whose facts the space may name")
      ->capture_default_str()
      ->type_name("MACHINE");
  space->add_option("--problem", line.space.problem, "Problem parameters: name=value[,...]")
      ->type_name("K=V,...");

  CLI::App* replay = app.add_subcommand(
      "replay", "Compare strategies on recorded spaces (T4, cachefile, KTT output, records)");
  replay->callback([&line] { line.command = CommandName::replay; });
  replay->add_option("files", line.replay.files, "Recorded spaces (plain or .gz)")->required();
  line.replay.strategy = default_strategy;
  replay->add_option("--strategy", line.replay.strategy, "Strategies between commas, or all")
      ->capture_default_str()
      ->type_name("STRATEGY");
  replay->add_option("--seeds", line.replay.seeds, "Searches of each strategy")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  replay->add_option("--budget", line.replay.budget, "Evaluations of each search")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000000));
  replay
      ->add_option("--transfer", line.replay.transfer,
                   "Records of the kernel elsewhere: their best come first, their counters bound "
                   "times (strategy roofline)")
      ->type_name("FILE");
  replay
      ->add_option("-m,--machine", line.replay.machine,
                   "Card of the files, for bounds; default: the machine file that describes it")
      ->type_name("MACHINE");
  replay
      ->add_option("--block-size-names", line.replay.block_size_names,
                   "Knobs between commas whose product is the threads of a block, where a file has "
                   "them; default: block_size_x, block_size_y, block_size_z (strategy roofline)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("KNOB,...");
  DescribedOptions described(*replay);
  described("until_within", line.replay.until_within,
            {"End searches that are sure as `tune --until-within` does, e.g. 5%, and count how "
             "many of them were wrong",
             "SHARE"});
  described("confidence", line.replay.confidence,
            {"How likely, for --until-within", "SHARE", "95%"});
  replay->add_flag("--json", line.replay.json, "As JSON");

  CLI::App* imported =
      app.add_subcommand("import", "Read results of other tuners and write them in another form");
  imported->callback([&line] { line.command = CommandName::import_; });
  imported->add_option("file", line.import_.file, "T4, cachefile, KTT output or records (.gz too)")
      ->required();
  imported
      ->add_option("--format", line.import_.format,
                   "t4, cachefile or csv; kernel: a folder from a T1 file with its CUDA source")
      ->capture_default_str();
  imported
      ->add_option("-o,--output", line.import_.output, "File to write (default: standard output)")
      ->type_name("FILE");
}

void add_kokkos(CLI::App& app, CommandLine& line) {
  CLI::App* kokkos = app.add_subcommand(
      "kokkos", "Which kernels of a Kokkos application are worth tuning, from its profile");
  kokkos->callback([&line] { line.command = CommandName::kokkos; });
  kokkos
      ->add_option("profile", line.kokkos.profile,
                   "Written by an application under KOKKOS_TOOLS_LIBS=librooftune_kokkos.so")
      ->required();
  kokkos
      ->add_option("--work", line.kokkos.work,
                   "Work and traffic of one call of a kernel, by label (docs/exchange.md)")
      ->type_name("FILE");
  kokkos->add_option("-m,--machine", line.kokkos.machine, "Machine whose ceilings bound them")
      ->capture_default_str()
      ->type_name("MACHINE");
  kokkos->add_flag("--all", line.kokkos.all, "All kernels, not one screen of them");
}

void add_doctor(CLI::App& app, CommandLine& line) {
  CLI::App* doctor = app.add_subcommand(
      "doctor", "Say what on this computer changes results or forbids them, and the cure");
  doctor->callback([&line] { line.command = CommandName::doctor; });
  doctor->add_flag("--json", line.doctor.json, "As JSON");
  doctor->add_option("--results", line.doctor.results, "Directory of records and pages")
      ->type_name("DIR");
}

void add_glossary(CLI::App& app, CommandLine& line) {
  CLI::App* glossary =
      app.add_subcommand("glossary", "What a word of an answer or a report means, or all of them");
  glossary->callback([&line] { line.command = CommandName::glossary; });
  glossary->add_option("word", line.glossary.word, "As it is printed: gap, bound, race ...");
}

void add_cache(CLI::App& app, CommandLine& line) {
  CLI::App* cache = app.add_subcommand("cache", "Size and age of the cache of built variants");
  cache->callback([&line] { line.command = CommandName::cache; });
  cache->require_subcommand(1);
  cache->add_subcommand("status", "Where it is, what it holds, its limits");
  CLI::App* clean = cache->add_subcommand(
      "clean", "Remove what is beyond the limits, or these; never what a running tune may use");
  clean->callback([&line] { line.cache.clean = true; });
  CLI::Option* all = clean->add_flag("--all", line.cache.all, "Remove everything");
  clean
      ->add_option("--older-than", line.cache.older_than,
                   "Remove what was not used for so many days")
      ->check(CLI::NonNegativeNumber)
      ->type_name("DAYS")
      ->excludes(all);
  clean
      ->add_option("--limit", line.cache.limit,
                   "Remove what was not used for longest until so much is left (2 GB)")
      ->type_name("SIZE")
      ->excludes(all);
}

}  // namespace rooftune::cli
