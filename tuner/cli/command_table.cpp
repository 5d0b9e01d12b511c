#include "cli/command_table.h"

#include <fmt/format.h>

#include <functional>

#include "cli/choices.h"
#include "cli/described_options.h"
#include "cli/options.h"
#include "cli/problem_words.h"
#include "core/units.h"
#include "core/version.h"
#include "kernel/manifest_reader.h"

namespace rooftune::cli {
namespace {

std::vector<AddCommands>& extensions() {
  static std::vector<AddCommands> all;
  return all;
}

const char* const exit_codes =
    R"(Exit codes: 0 done, 1 a study or check failed, 2 usage or bad input, 3 machine, device or service
not here, 74 files cannot be written, 75 the same command later, 130 interrupted.)";

constexpr Option results_option{"Directory of records and pages", "DIR"};
constexpr Option json_option{"As JSON"};
constexpr Option verbose_option{"The evidence too, not only the answer"};
constexpr Option input_option{"Of a study of several inputs, this one, from 1", "N",
                              "the farthest from its bound", 1};

void add_tune(CLI::App& app, TuneOptions& tune) {
  DescribedOptions add(app);
  StudySpec::fields(tune.spec, add);
  CLI::Option* json =
      add("json", tune.json, {"Write the result as JSON ('-': standard output)", "FILE"});
  add("dry_run", tune.dry_run, {"Print bound, space and first proposals; measure nothing"})
      ->excludes(json);
  add("q,quiet", tune.quiet, {"No progress, only the result"});
  add("v,verbose", tune.verbose, verbose_option);
}

/// Of several --metric the one without a name is the metric, else the first; the named ones are
/// figures.
std::function<void(const std::string&)> metric_reader(Program& program) {
  return [&program, stated = false](const std::string& text) mutable {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || !is_name(name)) {
      if (stated)
        throw Error(
            "two metrics without a name", "--metric",
            "one is tuned; further figures are named: --metric 'energy=regex:energy: (.*)'");
      program.metric = text;
      stated = true;
      return;
    }
    const std::string source = text.substr(equals + 1);
    if (!stated && program.figures.empty())
      program.metric = source.substr(0, source.size() - metric_words(source).source.size()) + name;
    if (!program.figures.try_emplace(name, source).second)
      throw Error(fmt::format("two figures are called {}", name), "--metric", "rename one");
  };
}

/// --command and its company, after the options of a study (--kernel, --backend, ...),
/// incompatible with these.
void add_program(CLI::App& app, TuneOptions& tune) {
  Program& program = tune.program;
  DescribedOptions add(app);
  std::vector<CLI::Option*> all;
  const auto visit = [&]<class T>(const char* name, T& member, const Option& option) {
    if (static_cast<const void*>(&member) == &program.figures) return;  // of --metric
    if (static_cast<const void*>(&member) == &program.metric)
      all.push_back(
          add.reads(name, option, metric_reader(program))->trigger_on_parse()->default_str("wall"));
    else if constexpr (std::same_as<T, std::map<std::string, std::string>>)
      all.push_back(
          add.reads(name, option,
                    [&program, &member, name](const std::string& text) {
                      const std::string typed = std::string("--") + name;
                      // The text of a variable or a pattern may hold commas.
                      if (&member == &program.environment)
                        return add_variable(text, typed, "BLOCK={BLOCK}", member);
                      const char* example =
                          &member == &program.work ? "'fp64=2*n'" : "'read=8*n,write=8*n'";
                      for (const auto& [word, formula] : assignments({text}, typed, example))
                        member[word] = to_text(formula);
                    })
              ->trigger_on_parse());
    else if constexpr (std::same_as<T, std::vector<std::string>>)
      all.push_back(
          add.reads(name, option, [&member](const std::string& text) { member.push_back(text); })
              ->trigger_on_parse());
    else
      all.push_back(add(name, member, option));
  };
  Program::fields(program, visit);
  CLI::Option* command = all.front();
  for (const char* other : {"--kernel", "--backend", "--amortize", "--objective", "--path"})
    command->excludes(app.get_option(other));
  all.push_back(
      add("kokkos", tune.kokkos,
          {"A Kokkos application: team sizes, vector lengths and tiles of its kernels, or only of "
           "the one with this label",
           "[LABEL]"})
          ->expected(0, 1));
  for (CLI::Option* option : all) {
    if (option != command) option->needs(command);
    option->group(program_group);
  }
}

void add_probe(CLI::App& app, CommandLine& line) {
  CLI::App& command = *app.add_subcommand(
      "probe", "Measure the ceilings of this host, or of a GPU, and write the machine file");
  ProbeOptionsLine& probe = options_of(command, line, probe_command);
  DescribedOptions add(command);
  add("gpu", probe.gpu,
      {"Measure a GPU: its index or UUID, else the first; its machine is called gpu", "CARD"})
      ->expected(0, 1);
  add("m,machine", probe.machine, {"Name of the machine file", "MACHINE"});
  add("o,output", probe.output, {"File to write instead of machines/<name>.json", "FILE"});
  add("full", probe.full, {"The whole lattice, under six minutes instead of one"});
  add("forget", probe.forget, {"Start anew: keep nothing of the earlier file of this machine"});
  add.reads(
      "budget",
      {"Most time: 90 or 90s, 2min", "TIME", "46 s; with --full 320 s, of a GPU 30 s and 2min"},
      [&](const std::string& text) { probe.seconds = parse_duration(text).value(); });
  add("q,quiet", probe.quiet, {"No progress"});
  add("v,verbose", probe.verbose, {"All ceilings, not only the roofs"});
}

void add_report(CLI::App& app, CommandLine& line) {
  ReportOptions& report = line.report;
  CLI::App& command = *app.add_subcommand(
      "report", "Write the page, chart or table of a study, of a machine or of sweeps");
  command.callback([&line] {
    line.run = [](const CommandLine& typed) { return report_command(typed.report); };
  });
  DescribedOptions add(command);
  add("k,kernel", report.kernel, {"Kernel of the latest study", "KERNEL"});
  add("m,machine", report.machine,
      {"Machine for a roofline of its own (without --kernel)", "MACHINE"});
  add("study", report.study, {"A particular study (its id or a prefix)", "ID"});
  add("results", report.results, results_option);
  add("input", report.input, input_option);
  add("v,verbose", report.verbose, verbose_option);
  add("o,output", report.outputs,
      {"HTML file to write (the SVG goes beside it); only the chart as .svg, only a table as "
       ".md",
       "FILE"})
      ->allow_extra_args(false);
}

void add_list(CLI::App& app, CommandLine& line) {
  CLI::App& command = *app.add_subcommand(
      "list", "List kernels, machines, strategies, knobs, counters, exporters and more");
  ListOptions& list = options_of(command, line, list_command);
  DescribedOptions add(command);
  add.position("what", list.what, "Subject of the list")->required()->check(one_of(listings()));
  add("k,kernel", list.kernel, {"knobs: only of this kernel", "KERNEL"});
  add("backend", list.backend, {"knobs: of this back end", "BACKEND"});
  add("json", list.json, json_option);
}

void add_check(CLI::App& app, CommandLine& line) {
  CLI::App& command =
      *app.add_subcommand("check", "Validate a kernel folder: manifest, builds, reference, bound");
  CheckOptions& check = options_of(command, line, check_command);
  DescribedOptions add(command);
  add.position("path", check.path, "Kernel folder or name")->required();
  add("problem", check.problem, {"Problem parameters: name=value[,...]", "K=V,..."});
  add("backend", check.backend, {"Only this back end", "BACKEND", "all"});
  add("m,machine", check.machine,
      {"GPU to compile CUDA kernels for; auto: run them on the card here", "MACHINE"});
  add("sample", check.sample,
      {"Also check this many configurations, more when values would be missing", "N", "", 0,
       100000});
  add("set", check.changes,
      {"Check only the baseline with these knobs changed (one --backend)", "K=V,... ..."});
  add("seed", check.seed, {"Seed of the sample, and of the emulation's order of threads", "N"});
  add("compile_only", check.compile_only,
      {"CUDA: compile for the GPU and say how it fits, run nothing"});
  add("emit_knobs", check.emit_knobs,
      {"Only write a header with the knobs' defaults, for editors", "FILE"});
  add("json", check.json, {"Write the findings as JSON", "FILE"});
}

void add_explain(CLI::App& app, CommandLine& line) {
  CLI::App& command =
      *app.add_subcommand("explain", "Tell the whole story of a trial: build, key, times, bound");
  ExplainOptions& explain = options_of(command, line, explain_command);
  add_study(command, explain.spec);
  DescribedOptions add(command);
  add("input", explain.input, input_option);
  add_study_id(command, explain.study, "latest");
  CLI::Option* trial =
      add.position("trial", explain.trial, "Number of the trial, 'best' or 'baseline'");
  CLI::Option* source =
      add("source", explain.source, {"Print only the kernel's source as compiled for this trial"});
  add("diff", explain.diff, {"Print only the difference of this source from the baseline's"})
      ->needs(trial)
      ->excludes(source);
  source->needs(trial);
}

void add_export(CLI::App& app, CommandLine& line) {
  CLI::App& command =
      *app.add_subcommand("export", "Write the best validated configuration for an application");
  ExportOptions& exported = options_of(command, line, export_command);
  add_study(command, exported.spec);
  DescribedOptions add(command);
  add("format", exported.format, {"Exporter (tune list exporters)", "EXPORTER"});
  add("o,output", exported.output,
      {"File to write, the folder of a library, or its installed .so to exchange", "FILE",
       "standard output"});
  add_study_id(command, exported.study, "best");
  add("as_recorded", exported.as_recorded,
      {"As it was recorded, also of another machine: not built, validated and timed again"});
  add("sizes", exported.sizes,
      {"Of a library: these sizes; where there is no study the bests of the others are raced",
       "[NAME=]N,..."});
  add("rollback", exported.rollback,
      {"Only put the one before the last exchange of this .json or .so back", "FILE"});
}

void add_bench(CLI::App& app, CommandLine& line) {
  CLI::App& command = *app.add_subcommand(
      "bench", "Compare the best found with the untuned form and other codes, interleaved");
  BenchOptions& bench = options_of(command, line, bench_command);
  add_study(command, bench.spec);
  DescribedOptions add(command);
  add("rounds", bench.rounds, {"Interleaved rounds", "N", "", 6, 10000});
  add_study_id(command, bench.study, "best");
  add("trial", bench.trials,
      {"Also these trials of the study; peers only by --peers", "TRIAL ..."});
  add("set", bench.changes,
      {"Also the best with these knobs changed; peers only by --peers", "K=V,... ..."});
  add("peers", bench.peers, {"Only these of the kernel's peers.json", "NAME,..."})->delimiter(',');
  add("json", bench.json, {"Write the comparison as JSON ('-': standard output)", "FILE"});
}

void add_doctor(CLI::App& app, CommandLine& line) {
  CLI::App& command = *app.add_subcommand(
      "doctor", "Say how this computer changes results or forbids them, with the cure");
  DoctorOptions& doctor = options_of(command, line, doctor_command);
  DescribedOptions add(command);
  add("json", doctor.json, json_option);
  add("results", doctor.results, results_option);
}

void add_records(CLI::App& app, CommandLine& line) {
  CLI::App& command = *app.add_subcommand("records", "Check, join and clear the records");
  RecordsOptions& records = options_of(command, line, records_command);
  command.require_subcommand(1);
  using Action = RecordsOptions::Action;
  const auto action = [&](const char* name, const char* about, Action value) {
    CLI::App* sub = command.add_subcommand(name, about);
    sub->callback([&records, value] { records.action = value; });
    DescribedOptions add(*sub);
    add("results", records.results, results_option);
    return add;
  };
  action("verify", "Read everything; report torn, damaged, repeated and newer records",
         Action::verify);
  action("merge", "Bring the records of other results folders here; again as often as you like",
         Action::merge)
      .position("source", records.sources, "Results folders")
      ->required();
  DescribedOptions gc = action("gc", "Remove old records", Action::gc);
  gc("older_than", records.older_than, {"Only those last written before: 90d", "AGE"});
  gc("keep", records.keep,
     {"Keep so many: studies of a kernel, back end, machine and problem, runs that a study has "
      "set aside, and outcomes of a study's nights",
      "N", "", 0});
  gc("dry_run", records.dry_run, {"Only list the records to remove"});
}

}  // namespace

void extend_command_line(AddCommands add) { extensions().push_back(add); }

void add_study(CLI::App& app, StudySpec& spec) {
  DescribedOptions options(app);
  StudySpec::selection(spec, options);
}

void add_study_id(CLI::App& app, std::string& id, const std::string& fallback) {
  const std::string usual = fmt::format("the {} that fits", fallback);
  DescribedOptions add(app);
  add("study", id, {"Id of a study, or how it begins", "ID", usual.c_str()});
}

void add_all(CLI::App& app, CommandLine& line, int width) {
  app.description("Rooftune: an autotuner that knows how fast a kernel could run.");
  app.name("tune");
  app.footer(exit_codes);
  app.set_version_flag("-V,--version", std::string("tune ") + version);
  set_help_format(app, width);
  app.require_subcommand(0, 1);
  add_tune(app, line.tune);
  add_program(app, line.tune);
  for (const AddCommands add : {add_probe, add_report, add_list, add_check, add_explain, add_export,
                                add_bench, add_doctor, add_records})
    add(app, line);
  for (const AddCommands add : extensions()) add(app, line);
}

}  // namespace rooftune::cli
