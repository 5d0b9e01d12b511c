#include "cli/studyless_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/choices.h"
#include "cli/described_options.h"
#include "cli/list.h"
#include "core/units.h"
#include "search/strategy.h"

namespace rooftune::cli {

void add_probe(CLI::App& app, CommandLine& line) {
  CLI::App* probe = app.add_subcommand(
      "probe", "Measure the ceilings of this host, or of a GPU, and write the machine file");
  probe->callback(
      [&line] { line.run = [](const CommandLine& typed) { return probe_command(typed.probe); }; });
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
  report->callback([&line] {
    line.run = [](const CommandLine& typed) { return report_command(typed.report); };
  });
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
  for (const char* other : {"--machine", "--study", "--input"}) compared->excludes(other);
  report
      ->add_option("-o,--output", line.report.outputs,
                   "HTML file to write (the SVG goes beside it)")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

void add_plot(CLI::App& app, CommandLine& line) {
  CLI::App* plot = app.add_subcommand("plot", "Write a chart or table of studies for a paper");
  plot->callback(
      [&line] { line.run = [](const CommandLine& typed) { return plot_command(typed.plot); }; });
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
  check->callback(
      [&line] { line.run = [](const CommandLine& typed) { return check_command(typed.check); }; });
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
  list->callback(
      [&line] { line.run = [](const CommandLine& typed) { return list_command(typed.list); }; });
  list->add_option("what", line.list.what, fmt::format("{}", fmt::join(listings(), " | ")))
      ->required()
      ->check(one_of(listings()));
  list->add_option("-k,--kernel", line.list.kernel, "knobs: only of this kernel")
      ->type_name("KERNEL");
  list->add_option("--backend", line.list.backend, "knobs: of this back end")
      ->capture_default_str()
      ->type_name("BACKEND");
  list->add_flag("--json", line.list.json, "As JSON");
}

void add_doctor(CLI::App& app, CommandLine& line) {
  CLI::App* doctor = app.add_subcommand(
      "doctor", "Say what on this computer changes results or forbids them, and the cure");
  doctor->callback([&line] {
    line.run = [](const CommandLine& typed) { return doctor_command(typed.doctor); };
  });
  doctor->add_flag("--json", line.doctor.json, "As JSON");
  doctor->add_option("--results", line.doctor.results, "Directory of records and pages")
      ->type_name("DIR");
}

void add_glossary(CLI::App& app, CommandLine& line) {
  CLI::App* glossary =
      app.add_subcommand("glossary", "What a word of an answer or a report means, or all of them");
  glossary->callback([&line] {
    line.run = [](const CommandLine& typed) { return glossary_command(typed.glossary); };
  });
  glossary->add_option("word", line.glossary.word, "As it is printed: gap, bound, race ...");
}

void add_cache(CLI::App& app, CommandLine& line) {
  CLI::App* cache = app.add_subcommand("cache", "Size and age of the cache of built variants");
  cache->callback(
      [&line] { line.run = [](const CommandLine& typed) { return cache_command(typed.cache); }; });
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

void add_records(CLI::App& app, CommandLine& line) {
  CLI::App* records = app.add_subcommand("records", "Check, join and clear the records");
  records->callback([&line] {
    line.run = [](const CommandLine& typed) { return records_command(typed.records); };
  });
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
