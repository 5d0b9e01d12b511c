#include "cli/command_table.h"

#include <CLI/CLI.hpp>

#include "cli/choices.h"
#include "cli/described_options.h"
#include "cli/help_format.h"
#include "cli/studyless_options.h"
#include "core/error.h"
#include "core/version.h"

namespace rooftune::cli {
namespace {

std::vector<AddCommands>& extensions() {
  static std::vector<AddCommands> all;
  return all;
}

const char* const exit_codes =
    R"(Exit codes: 0 done, 1 a study or check failed, 2 usage or bad input, 3 machine, device or service
not here, 74 files cannot be written, 75 the same command later, 130 interrupted.)";

void add_tune(CLI::App& app, TuneOptions& tune) {
  DescribedOptions options(app);
  StudySpec::fields(tune.spec, options);
  app.add_flag_callback("--transfer",
                        [] {
                          throw Error("a study starts from the best known anyway", "--transfer",
                                      "leave it out; --no-transfer turns it off");
                        })
      ->group("");
  app.add_option("--json", tune.json, "Write the result as JSON ('-': standard output)")
      ->type_name("FILE");
  app.add_flag("--dry-run", tune.dry_run,
               "Print bound, space and first proposals; measure nothing");
  app.add_flag("-q,--quiet", tune.quiet, "No progress, only the result");
  app.add_flag("-v,--verbose", tune.verbose, "The evidence too, not only the answer");
}

void add_commands(CLI::App& app, CommandLine& line) {
  add_probe(app, line);
  add_report(app, line);
  add_plot(app, line);
  add_list(app, line);
  add_check(app, line);

  CLI::App* explain =
      app.add_subcommand("explain", "Tell the whole story of a trial: build, key, times, bound");
  explain->callback([&line, explain] {
    complete(line.explain.spec, *explain);
    line.run = [](const CommandLine& typed) { return explain_command(typed.explain); };
  });
  add_study(*explain, line.explain.spec);
  explain->add_option("--input", line.explain.input, input_help)->check(CLI::PositiveNumber);
  explain->add_flag("--current-model", line.explain.current_model, current_model_help);
  add_study_id(*explain, line.explain.study, "latest");
  CLI::Option* trial =
      explain->add_option("trial", line.explain.trial, "Number of the trial, 'best' or 'baseline'");
  CLI::Option* source =
      explain
          ->add_flag("--source", line.explain.source,
                     "Print the kernel's source as this trial compiles it, and nothing else")
          ->needs(trial);
  explain
      ->add_flag("--diff", line.explain.diff,
                 "Print what that source changes of the baseline's, and nothing else")
      ->needs(trial)
      ->excludes(source);

  CLI::App* exported =
      app.add_subcommand("export", "Write the best validated configuration for an application");
  exported->callback([&line, exported] {
    complete(line.export_.spec, *exported);
    line.run = [](const CommandLine& typed) { return export_command(typed.export_); };
  });
  add_study(*exported, line.export_.spec);
  exported->add_option("--format", line.export_.format, "Exporter (tune list exporters)")
      ->capture_default_str()
      ->type_name("EXPORTER");
  exported
      ->add_option("-o,--output", line.export_.output,
                   "File to write (default: standard output), or the folder of a library")
      ->type_name("FILE");
  add_study_id(*exported, line.export_.study, "best");
  exported
      ->add_option("--require", line.export_.require,
                   "Refuse a result that is less: validated (the default) or conclusive")
      ->check(one_of({"validated", "conclusive"}));
  exported->add_flag_callback(
      "--no-verify", [&line] { line.export_.verify = false; },
      "Do not build, validate and time it again beside the baseline");
  exported->add_flag("--as-recorded", line.export_.as_recorded,
                     "Also a result of another machine than this, as it was recorded");

  CLI::App* bench = app.add_subcommand(
      "bench", "Compare the best found with the untuned form and other codes, interleaved");
  bench->callback([&line, bench] {
    complete(line.bench.spec, *bench);
    line.run = [](const CommandLine& typed) { return bench_command(typed.bench); };
  });
  add_study(*bench, line.bench.spec);
  bench->add_option("--rounds", line.bench.rounds, "Interleaved rounds")
      ->capture_default_str()
      ->check(CLI::Range(6, 10000));
  add_study_id(*bench, line.bench.study, "best");
  bench
      ->add_option("--trial", line.bench.trials,
                   "Also these trials of the study; peers only where they are named")
      ->type_name("TRIAL ...");
  bench
      ->add_option("--set", line.bench.changes,
                   "Also the best with these knobs changed; peers only where they are named")
      ->type_name("K=V,... ...");
  bench->add_option("--peers", line.bench.peers, "Only these of the kernel's peers.json")
      ->delimiter(',')
      ->type_name("NAME,...");
  bench
      ->add_option("--json", line.bench.json, "Write the comparison as JSON ('-': standard output)")
      ->type_name("FILE");

  add_doctor(app, line);
  add_glossary(app, line);
  add_cache(app, line);
  add_records(app, line);
}

}  // namespace

void extend_command_line(AddCommands add) { extensions().push_back(add); }

void add_study(CLI::App& app, StudySpec& spec) {
  DescribedOptions options(app);
  StudySpec::selection(spec, options);
}

void add_study_id(CLI::App& app, std::string& id, const std::string& fallback) {
  app.add_option("--study", id,
                 "Id of a study, or how it begins (default: the " + fallback + " that fits)")
      ->type_name("ID");
}

void add_all(CLI::App& app, CommandLine& line, ProgramWords& program, int width) {
  app.description("Rooftune: an autotuner that knows how fast a kernel could run.");
  app.name("tune");
  app.footer(exit_codes);
  app.set_version_flag("--version", std::string("tune ") + version);
  set_help_format(app, width);
  app.require_subcommand(0, 1);
  add_tune(app, line.tune);
  add_program(app, program);
  add_commands(app, line);
  for (const AddCommands add : extensions()) add(app, line);
}

}  // namespace rooftune::cli
