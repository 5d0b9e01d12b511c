// tune --kernel K: runs a study, or with --dry-run describes it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ranges>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/study_files.h"
#include "core/list.h"
#include "core/seconds_since.h"
#include "core/split.h"
#include "core/text.h"
#include "core/units.h"
#include "host/cards.h"
#include "host/host_platform.h"
#include "host/slurm_nodes.h"
#include "os/interruption.h"
#include "report/answer.h"
#include "report/figures.h"
#include "run/command_template.h"
#include "space/knob.h"
#include "store/record_reader.h"
#include "store/study_store.h"
#include "study/knowledge.h"
#include "study/modelled.h"
#include "study/prepare.h"

namespace rooftune::cli {
namespace {

std::string knob_lines(const SearchSpace& space) {
  std::string text;
  for (const Knob& knob : space.knobs()) {
    std::string values;
    for (const Value& value : knob.values)
      join(values, to_text(value) + (value == knob.fallback ? "*" : ""), " ");
    text += fmt::format("  {:<18} {}{}\n", knob.name, values,
                        knob.collapsed.empty() ? "" : "   (" + knob.collapsed + ")");
  }
  return text;
}

/// A first trial, for a GPU compiled and checked against the card.
struct FirstTrial {
  size_t number = 0;  ///< as proposed
  Configuration configuration;
  std::optional<GpuPlan> plan = {};
  std::optional<CallTime> time = {};  ///< what the plan's code needs
};

void print_input(const PreparedInput& input) {
  fmt::print("problem:");
  for (const auto& [name, value] : input.model.known()) fmt::print(" {}={}", name, to_text(value));
  fmt::print("{}\n", input.model.known().empty() ? " no parameters" : "");
  const Bound& bound = input.bound;
  if (!bound.known())
    return (void)fmt::print("bound: not known, {}\n", input.roofline.why_no_bound());
  fmt::print("bound: {} [{}, {}] by {} ({}: {})\n", to_text(bound.time), to_text(bound.low),
             to_text(bound.high), bound.ceiling, to_text(bound.source.kind), bound.source.text);
  for (const CeilingTime& part : bound.parts)
    fmt::print("  {:<6} {:>10}  {}\n", part.level, to_text(part.time), part.ceiling);
}

void print_program(const PlannedCommand& plan, const Program& program) {
  fmt::print("for the baseline:\n");
  if (plan.in_copy) fmt::print("  in a copy of this folder\n");
  if (!plan.build.empty()) fmt::print("  build  {}\n", quoted(plan.build));
  for (const auto& [name, value] : plan.environment) fmt::print("  set    {}={}\n", name, value);
  for (const auto& [name, text] : plan.files) {
    constexpr int shown = 40;
    fmt::print("  write  {}, in a folder of the run's own\n", name.string());
    const Texts lines = split(text);
    for (const std::string& line : std::views::take(lines, shown))
      fmt::print("         {}\n", line);
  }
  fmt::print("  run    {}\n", quoted(plan.run));
  if (!plan.check.empty()) fmt::print("  check  {}\n", quoted(plan.check));
  fmt::print("  metric {} [{}]\n", program.metric, program.unit);
}

/// What a study would try first.
struct DryRun {
  PreparedStudy& study;
  std::vector<FirstTrial> trials = {};  ///< those that should be fastest come first
  double compile_seconds = 0;           ///< elapsed, with several compilers at once

  /// The best configurations known from elsewhere.
  Configurations transferred() const {
    const fs::path& results = study.spec.results;
    const auto transfer = transfer_of(study, read_study(results, study.header), results);
    return transfer ? transfer->proposals : Configurations{};
  }

  /// The study's first trials: its baseline, the published steps on demand, then `proposed`
  /// proposals from the strategy as if nothing were tried: in the study, the second depends on the
  /// first result.
  Configurations first_trials(size_t proposed) const {
    const SearchSpace& space = *study.first().space;
    Knowledge knowledge = knowledge_of(study);
    knowledge.transferred = transferred();
    Configurations result{space.baseline()};
    for (const Configuration& one : first_configurations(study)) add_once(result, one);
    make_strategy(study.spec.strategy, std::move(knowledge))
        ->fill(result, result.size() + proposed, space, {}, study.spec.seed);
    return result;
  }

  void propose() {
    constexpr size_t proposed = 4, compiled = 48;
    constexpr double model_seconds = 8;
    HostRunner* const runner =
        study.backend.needs_gpu_compiler() ? &host_runner(*study.first().runner) : nullptr;
    if (!runner || !runner->not_compiled().empty()) {
      for (const Configuration& one : first_trials(proposed))
        trials.push_back({trials.size(), one});
      return;
    }
    const auto begin = SteadyClock::now();
    Configurations known = first_configurations(study);
    append(known, transferred());
    ModelledTimes asked = modelled(study, known, compiled, model_seconds);
    if (asked.empty())
      for (Configuration& one : first_trials(proposed)) asked.push_back({std::move(one), 0});
    for (const Modelled& one : asked) {
      FirstTrial& trial = trials.emplace_back();
      trial.number = trials.size() - 1;
      trial.configuration = one.configuration;
      trial.plan = runner->plan(one.configuration);
      trial.time = planned_time(*trial.plan, study.machine, study.first().bound.time);
    }
    compile_seconds = seconds_since(begin);
    stable_sort(trials, {}, [](const FirstTrial& trial) {
      return trial.time ? trial.time->time : Seconds(HUGE_VAL);
    });
  }

  std::string trials_text() const {
    std::string text;
    for (const auto& [number, configuration, plan, time] : trials) {
      text += fmt::format("  {} {}\n", number,
                          difference_text(configuration, study.first().space->baseline()));
      if (!plan) continue;
      if (time)
        text += fmt::format(
            "      expected {} [{}, {}], limited by {}; can reach {} by {} ({:.1f}x the bound)\n",
            to_text(time->time), to_text(time->low), to_text(time->high), time->limit,
            to_text(time->reachable), time->reached_by, time->reachable / study.first().bound.time);
      else if (!plan->not_followed.empty())
        text += fmt::format("      its time cannot be told: {}\n", plan->not_followed);
      if (!plan->guessed.empty())
        text += fmt::format("      unknown in its PTX, each taken for one instruction: {}\n",
                            joined(plan->guessed));
      text += fmt::format("      {}\n", plan_line(*plan, study.machine));
    }
    return text;
  }

  /// What to expect from the ten that should be tried first; empty where no time can be told.
  std::string advice() const {
    constexpr size_t first = 10;
    std::vector<CallTime> best;
    for (const FirstTrial& trial : trials)
      if (best.size() < first && trial.time) best.push_back(*trial.time);
    if (best.empty()) return {};
    const CallTime& fastest = best.front();
    return fmt::format(
        "try {} first, which should take {} to {} on this card, the first {} to {}; {} is what "
        "limits it; the bound of any code is {}, its own instructions need {}\n",
        best.size() == 1 ? "this" : fmt::format("these {}", best.size()), to_text(fastest.time),
        to_text(best.back().time), to_text(fastest.low), to_text(fastest.high), fastest.limit,
        to_text(study.first().bound.time), to_text(fastest.reachable));
  }

  /// How to turn a plan into a measurement.
  std::string how_to_measure() const {
    return fmt::format(
        "to measure: the same command without --dry-run on a computer with {} (tune list machines "
        "says what is here; --machine auto takes the card that is there)\n",
        study.machine.description);
  }

  void print_compiled() const {
    const HostRunner& runner = host_runner(*study.first().runner);
    if (!runner.not_compiled().empty())
      fmt::print("the kernels were not compiled: {}\n", runner.not_compiled());
    if (!trials.front().plan) return;
    const GpuCompiler& compiler = *runner.cache().gpu();
    fmt::print("{} compiled for {} by {} {} in {}\n{}", plural(trials.size(), "configuration"),
               compiler.architecture, compiler.row->name, compiler.version,
               to_text(Seconds(compile_seconds)), how_to_measure());
  }
};

int dry_run(const TuneOptions& options) {
  HostPlatform platform;
  PreparedStudy study = prepare(options.spec, platform, Purpose::plan);
  DryRun run{study};
  run.propose();
  fmt::print("{}: {} ({} back end) on {}, study {}\n", study.kernel.name, study.kernel.title,
             study.backend.name, study.machine.name, study.header.id);
  for (const auto& input : study.inputs) print_input(*input);
  if (study.objective)
    fmt::print("one configuration for {} inputs: {} is minimised\n", study.inputs.size(),
               described(study.objective->aim()));
  fmt::print("space: {} of {:.6g} configurations are allowed; * is the baseline\n{}",
             study.first().space->size(), study.first().space->cartesian_size(),
             knob_lines(*study.first().space));
  fmt::print(
      "first: the baseline{}, proposals of strategy {} (later ones depend on results):\n{}{}",
      study.spec.path            ? ", the published steps"
      : study.spec.start.empty() ? ""
                                 : ", your own",
      study.spec.strategy, run.trials_text(), run.advice());
  if (study.kernel.program)
    print_program(
        command_runner(*study.first().runner).evaluator().plan(study.first().space->baseline()),
        *study.kernel.program);
  else
    run.print_compiled();
  fmt::print("nothing was measured (dry run)\n");
  return 0;
}

/// How the result gets into an application; empty if it does not.
std::string way_to_use(const TunedStudy& tuned, const StudySpec& spec) {
  const StudyResult& result = tuned.result;
  if (!result.best || result.baseline_stands) return {};
  if (result.baseline && result.best->configuration == result.baseline->configuration) return {};
  const bool kept =
      !find_trial(result, result.best->trial)->measurement->memory(forbidden_memory).empty();
  if (result.best->gap.above_roof || kept)
    return "not yet of use: its time is in doubt, as the first sentence says\n";
  const StudyHeader& study = result.header;
  // For a card, a library's self-test needs a reference, which some imported kernels lack.
  const bool library =
      !spec.program && (!runs_on_gpu(study.backend) || !tuned.study->kernel.reference.empty());
  const bool kokkos = spec.program && spec.program->environment.contains("ROOFTUNE_KOKKOS_VALUES");
  const char* const format = library ? "library" : "json";
  // A program's space is often NAME.json, in this very folder.
  const std::string target = "tuned_" + study.kernel + (library ? "" : ".json");
  const bool elsewhere = spec.results != results_directory({});
  return fmt::format("use it     tune export --study {} --format {} -o {}{}\n",
                     study.id.substr(0, 8), format, target,
                     elsewhere ? " --results " + spec.results.string() : "") +
         (kokkos ? fmt::format("           ROOFTUNE_EXPORTS={} KOKKOS_TUNE_INTERNALS=1 "
                               "KOKKOS_TOOLS_LIBS={} {}\n",
                               target, spec.program->environment.at("KOKKOS_TOOLS_LIBS"),
                               spec.program->command)
                 : "");
}

}  // namespace

int tune_command(const TuneOptions& asked) {
  watch_interrupts();
  require_output(asked.json);
  TuneOptions options = asked;
  options.spec = with_connector(asked);
  if (const auto& program = options.spec.program)
    for (const auto& [text, option] :
         {std::pair(program->command, "--command"), std::pair(program->build, "--build")})
      for (const std::string& sign : signs_for_shell(text, option))
        fmt::print(stderr, "tune: warning: {}\n", sign);
  if (options.dry_run) return dry_run(options);
  if (is_other_node()) return serve_as_other_node(options.spec, print_note);
  const TunedStudy tuned = tune(options.spec, options.quiet ? Shown::nothing : Shown::all);
  if (!is_stdout(options.json)) {
    print_answer(tuned.result, options.verbose);
    if (!tuned.page.empty()) fmt::print("page       {}\n", tuned.page.string());
    fmt::print("{}", way_to_use(tuned, options.spec));
  }
  for (const auto& warning : tuned.warnings) fmt::print(stderr, "tune: warning: {}\n", warning);
  // Written last, so a full disk does not cost the summary.
  if (!options.json.empty()) write_output(options.json, json_text(to_json(tuned.result), 2) + "\n");
  if (tuned.interrupted) {
    fmt::print(stderr, "tune: interrupted; run the same command to go on\n");
    return int(ExitCode::interrupted);
  }
  const bool compared =
      tuned.result.best && tuned.result.stop.reason != StopReason::baseline_failed;
  return int(compared ? ExitCode::ok : ExitCode::failure);
}

}  // namespace rooftune::cli
