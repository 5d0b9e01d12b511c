#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "cli/cluster_options.h"
#include "cli/problem_words.h"
#include "cli/program_options.h"
#include "cli/studyless_options.h"
#include "core/error.h"
#include "core/units.h"
#include "core/version.h"
#include "search/strategy.h"

namespace rooftune::inline cli {
namespace {

const char* const examples = R"(Examples:
  tune doctor                                     what here changes results, and the cure
  tune probe                                      measure this machine's ceilings
  tune --kernel spmv --machine host               tune SpMV here, two minutes
  tune --kernel spmv --problem matrix=A.mtx       on your own matrix
  tune --kernel triad --problem n=2000 --budget 40 --json out.json
  tune --kernel diffusion3d --dry-run             bound, space and first proposals only
  tune --command './app -b {B}' --space app.json  a whole program with its own build
  tune report --kernel spmv                       HTML page and SVG of the latest study
  tune report --machine host                      the machine's roofline and all its ceilings
  tune report --sweep results -o site             pages of all nights of all sweeps
  tune export --kernel spmv --format header -o spmv_best.h
  tune sweep nightly.json                         a list of studies, unattended, resumable
  tune check ./mykernel                           validate your own kernel folder
  tune cache clean --older-than 30                remove built variants that nobody used
Exit codes: 0 done, 1 a study or check failed, 2 usage or bad input, 3 machine, device or service not here,
  74 files cannot be written, 75 the same command later, 130 interrupted.)";

/// What people type of a study before it has its types.
struct StudyWords {
  std::vector<std::string> problem;
  std::string budget = "2min", objective, until_within, confidence, cache, path, results;
};

/// Of each command that takes a study.
struct AllWords {
  StudyWords tune, explain, export_, bench, baseline;
  ProgramWords program;
};

/// The words' values, once all are there.
void complete(StudySpec& spec, const StudyWords& words) {
  spec.inputs = problem_inputs(words.problem);
  spec.budget = parse_budget(words.budget);
  spec.certainty = parse_certainty(words.until_within, words.confidence, {spec.strategy});
  if (!words.objective.empty()) spec.objective = aim(words.objective);
  if (!words.cache.empty()) spec.warm = words.cache == "warm";
  spec.published_path = words.path == "published";
  spec.results = results_directory(words.results);
}

/// "5%" or "0.05", between 0 and 1.
double share_of(const std::string& text, const char* option) {
  std::size_t used = 0;
  double share = -1;
  try {
    share = std::stod(text, &used);
  } catch (const std::exception&) {
  }
  const std::string unit = share < 0 ? text : text.substr(used);
  if (unit == "%") share /= 100;
  if ((unit.empty() || unit == "%") && share > 0 && share < 1) return share;
  throw Error(fmt::format("\"{}\" is no share between 0 and 1", text), option, "for example 5%");
}

void add_study(CLI::App& app, StudySpec& study, StudyWords& words, bool searching) {
  app.add_option("-k,--kernel", study.kernel, "Kernel: a name (tune list kernels) or a folder");
  app.add_option("-m,--machine", study.machine,
                 "Machine: host, auto (the GPU here), or a name (tune list machines)")
      ->capture_default_str();
  app.add_option("--backend", study.backend,
                 "Back end of the kernel (default: cuda on a GPU, else openmp)");
  app.add_option("--gpu", study.card, "Card to run on: its index or UUID (default: the first)");
  app.add_option("--problem", words.problem,
                 "Problem parameters: name=value[,name=value...]; several times: one configuration "
                 "for all these inputs")
      ->type_name("K=V,...");
  app.add_option("--threads", study.threads, "Most threads a variant may use (default: all usable)")
      ->check(CLI::PositiveNumber);
  app.add_option("--cache", words.cache, "Cache state before a sample (default: the kernel's own)")
      ->check(CLI::IsMember({"warm", "cold"}));
  app.add_option("--amortize", study.amortize,
                 "Calls that share one conversion of the data layout (default: it is not counted)")
      ->check(CLI::PositiveNumber)
      ->type_name("CALLS");
  app.add_option("--results", words.results,
                 "Directory of records and pages (default: $ROOFTUNE_RESULTS or ./results)");
  if (!searching) return;
  app.add_option("--strategy", study.strategy, "Search strategy (tune list strategies)")
      ->capture_default_str();
  app.add_option("--seed", study.seed, "Seed of the search")->capture_default_str();
}

void add_tune(CLI::App& app, TuneOptions& tune, StudyWords& words) {
  StudySpec& spec = tune.spec;
  add_study(app, spec, words, true);
  app.add_option("--budget", words.budget,
                 "Evaluations (40), wall time (90s, 10min, 1h), device time (device=5min), or "
                 "several between commas")
      ->capture_default_str();
  app.add_option("--objective", words.objective,
                 "Of several inputs: mean (the geometric mean of their gaps, the default) or "
                 "minimax (the largest gap)")
      ->check(CLI::IsMember({"mean", "minimax"}));
  app.add_option("--until-within", words.until_within,
                 "Stop when likely no untried configuration is faster by more than this (5%)");
  app.add_option("--confidence", words.confidence, "How likely, for --until-within (default 95%)");
  app.add_option("--target-gap", spec.target_gap, "Stop when time/bound is at most this")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e9));
  app.add_option("--builders", spec.builders,
                 "Compilers at work at once, while nothing is timed (default: all usable CPUs)")
      ->check(CLI::PositiveNumber);
  app.add_option("--path", words.path,
                 "First run the steps of the literature in order (published), then search on")
      ->check(CLI::IsMember({"published"}));
  app.add_option("--json", tune.json, "Write the result as JSON ('-': standard output)")
      ->type_name("FILE");
  app.add_flag("--dry-run", tune.dry_run,
               "Print bound, space and first proposals; measure nothing");
  app.add_option("--counters", spec.counters,
                 "Who counts flops and bytes of best and baseline, once they are timed: auto, none "
                 "or a name (tune list counters)")
      ->capture_default_str();
  app.add_option("--count-sample", spec.count_sample,
                 "So many others across the measured times are counted too, in what is left of the "
                 "time")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  const auto off = [&](const char* name, bool& what, const char* about) {
    app.add_flag_callback(
        name, [&what] { what = false; }, about);
  };
  off("--no-anchors", spec.anchors,
      "Do not measure three ceilings again at the start and the end of the run");
  off("--no-pruning", spec.pruning, "Measure configurations even when they are proven to lose");
  off("--no-ablation", spec.ablation, "Do not measure the winner with each changed knob set back");
  off("--no-experiments", spec.experiments,
      "Do not measure what walls of traffic cost the winner and the baseline");
  off("--no-transfer", spec.transfer,
      "Do not begin with what was best in other studies of the kernel");
  app.add_flag_callback("--transfer",
                        [] {
                          throw Error("a study starts from the best known anyway", "--transfer",
                                      "leave it out; --no-transfer turns it off");
                        })
      ->group("");
  app.add_flag("--fresh", spec.fresh, "Start anew instead of resuming the same study");
  app.add_flag("--wait", spec.wait,
               "When another process runs the study, or times on the same cores, begin when it has "
               "ended");
  app.add_flag("--share-machine", spec.share_machine,
               "Take --threads cores that nobody times on (default: all that are free)");
  app.add_flag("-q,--quiet", tune.quiet, "No progress, only the result");
  app.add_flag("-v,--verbose", tune.verbose, "The evidence too, not only the answer");
  add_launcher(app, tune.launcher);
}

void add_commands(CLI::App& app, CommandLine& line, AllWords& words) {
  auto command = [&](const char* name, const char* about, CommandName value) {
    CLI::App* sub = app.add_subcommand(name, about);
    sub->callback([&line, value] { line.command = value; });
    return sub;
  };
  add_probe(app, line);
  add_report(app, line);
  add_plot(app, line);
  add_list(app, line);
  add_check(app, line);

  CLI::App* explain = command(
      "explain", "Tell the whole story of a trial: build, key, times, bound", CommandName::explain);
  add_study(*explain, line.explain.spec, words.explain, true);
  explain->add_option("--input", line.explain.input, input_help)->check(CLI::PositiveNumber);
  explain->add_flag("--current-model", line.explain.current_model, current_model_help);
  explain->add_option("--study", line.explain.study,
                      "Id of a study, or how it begins (default: the latest that fits)");
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

  CLI::App* exported = command(
      "export", "Write the best validated configuration for an application", CommandName::export_);
  add_study(*exported, line.export_.spec, words.export_, false);
  exported->add_option("--format", line.export_.format, "Exporter (tune list exporters)")
      ->capture_default_str();
  exported->add_option("-o,--output", line.export_.output,
                       "File to write (default: standard output), or the folder of a library");
  exported->add_option("--study", line.export_.study, study_help);
  exported
      ->add_option("--require", line.export_.require,
                   "Refuse a result that is less: validated (the default) or conclusive")
      ->check(CLI::IsMember({"validated", "conclusive"}));
  exported->add_flag_callback(
      "--no-verify", [&line] { line.export_.verify = false; },
      "Do not build, validate and time it again beside the baseline");
  exported->add_flag("--as-recorded", line.export_.as_recorded,
                     "Also a result of another machine than this, as it was recorded");

  CLI::App* baseline =
      command("baseline", "What nights are held against: accept a result for good, list, show",
              CommandName::baseline);
  ExportOptions& accepted = line.baseline.choice;
  add_study(*baseline, accepted.spec, words.baseline, false);
  baseline->add_option("action", line.baseline.action, "accept, list or show")
      ->required()
      ->check(CLI::IsMember({"accept", "list", "show"}));
  baseline->add_option("--study", accepted.study, study_help);
  baseline->add_option("--who", line.baseline.who, "Who accepts it (default: the user)");
  baseline->add_option("--why", line.baseline.why, "Why: for whoever reads the list in a year");
  baseline->add_flag("--json", line.baseline.json, "As JSON");

  CLI::App* bench =
      command("bench", "Compare the best found with the untuned form and other codes, interleaved",
              CommandName::bench);
  add_study(*bench, line.bench.spec, words.bench, false);
  bench->add_option("--rounds", line.bench.rounds, "Interleaved rounds")
      ->capture_default_str()
      ->check(CLI::Range(6, 10000));
  bench->add_option("--study", line.bench.study, study_help);
  bench->add_option("--trial", line.bench.trials,
                    "Also these trials of the study, by number; peers only where they are named");
  bench
      ->add_option("--set", line.bench.changes,
                   "Also the best with these knobs changed; peers only where they are named")
      ->type_name("K=V,... ...");
  bench->add_option("--peers", line.bench.peers, "Only these of the kernel's peers.json")
      ->delimiter(',');
  bench
      ->add_option("--json", line.bench.json, "Write the comparison as JSON ('-': standard output)")
      ->type_name("FILE");

  add_sweep(app, line);
  add_recorded(app, line);
  add_kokkos(app, line);
  add_doctor(app, line);
  add_cache(app, line);
  add_worker(app, line);
  add_records(app, line);
}

}  // namespace

std::optional<Certainty> parse_certainty(const std::string& until_within,
                                         const std::string& confidence,
                                         const std::vector<std::string>& strategies) {
  if (until_within.empty()) {
    if (confidence.empty()) return std::nullopt;
    throw Error("says how sure to be, but not of what", "--confidence", "add --until-within 5%");
  }
  Certainty certainty;
  certainty.share = share_of(until_within, "--until-within");
  if (!confidence.empty()) certainty.confidence = share_of(confidence, "--confidence");
  const bool model = std::any_of(strategies.begin(), strategies.end(), [](const std::string& name) {
    return strategy_row(name).tells_chance;
  });
  if (!model)
    throw Error(fmt::format("the strategy {} has no model that could tell", strategies.front()),
                "--until-within", "--strategy roofline or bayes_gp");
  return certainty;
}

std::string results_directory(const std::string& option) {
  if (!option.empty()) return option;
  const char* environment = std::getenv("ROOFTUNE_RESULTS");
  return environment && *environment ? environment : "results";
}

CommandLine parse(int argc, const char* const* argv) {
  CommandLine line;
  line.argv.assign(argv, argv + argc);
  CLI::App app("Rooftune: an autotuner that knows how fast a kernel could run.", "tune");
  app.footer(examples);
  app.set_version_flag("--version", std::string("tune ") + version);
  app.get_formatter()->column_width(34);
  app.require_subcommand(0, 1);
  AllWords words;
  add_tune(app, line.tune, words.tune);
  add_program(app, words.program);
  add_commands(app, line, words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    line.text = chosen.empty() ? app.help() : chosen.front()->help("tune");
    line.command = CommandName::help;
    return line;
  } catch (const CLI::CallForVersion&) {
    line.text = std::string("tune ") + version + "\n";
    line.command = CommandName::help;
    return line;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string help =
        chosen.empty() ? "tune --help shows commands, options and examples"
                       : "tune " + chosen.front()->get_name() + " --help shows what it takes";
    throw Error(error.what(), "command line", help);
  }
  if (app.count("--kokkos") > 0) line.tune.kokkos = words.program.kokkos;
  line.tune.spec.program = completed(words.program, line.tune.kokkos.has_value());
  if (app.get_subcommands().empty()) {
    if (line.tune.spec.kernel.empty() && !line.tune.spec.program) {
      if (argc > 1)
        throw Error("no kernel given", "command line",
                    "tune --kernel NAME; tune list kernels shows the names; tune --command tunes a "
                    "program");
      line.text = app.help();
    } else {
      line.command = CommandName::tune;
    }
  }
  if (line.command == CommandName::tune) complete(line.tune.spec, words.tune);
  if (line.command == CommandName::explain) complete(line.explain.spec, words.explain);
  if (line.command == CommandName::export_) complete(line.export_.spec, words.export_);
  if (line.command == CommandName::bench) complete(line.bench.spec, words.bench);
  if (line.command == CommandName::baseline) complete(line.baseline.choice.spec, words.baseline);
  line.tune.spec.command = line.argv;
  return line;
}

}  // namespace rooftune::inline cli
