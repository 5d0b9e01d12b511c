// tune check PATH: finds all faults in a kernel folder before a study needs it.
#include <fmt/format.h>

#include <algorithm>

#include "build/flags.h"
#include "build/includes.h"
#include "cli/console.h"
#include "cli/options.h"
#include "core/list.h"
#include "core/units.h"
#include "counters/provider.h"
#include "host/cards.h"
#include "host/host_platform.h"
#include "kernel/kernel.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "roofline/contradiction.h"
#include "roofline/machine_json.h"
#include "roofline/roofline.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "study/find_study.h"
#include "study/machines.h"
#include "study/model.h"
#include "study/platform.h"

namespace rooftune::cli {
namespace {

/// This host's machine file after a probe; else the system's report, without ceilings.
Machine known_host() {
  const auto file = machine_file(host_machine);
  return file ? read_machine(*file) : unprobed_host();
}

void print_bound(const Kernel& kernel, const Facts& facts, const Machine& machine) {
  const Roofline roofline{work(kernel, facts), traffic(kernel, facts), machine, machine.cores};
  for (const auto& [precision, flops] : roofline.work.least)
    fmt::print("  least work    {:.6g} {} ({})\n", flops.value(), work_unit(precision), precision);
  const Traffic& bytes = roofline.traffic;
  fmt::print("  least traffic {} read, {} written, {} touched\n", to_text(bytes.read),
             to_text(bytes.write), to_text(bytes.footprint));
  if (machine.ceilings.empty()) {
    fmt::print("  bound         not known, {}\n", roofline.why_no_bound());
    return;
  }
  const Bound limit = roofline.bound();
  fmt::print("  bound         {} by {}{}{}\n", to_text(limit.time), limit.ceiling,
             limit.missing.empty() ? "" : "; a study measures the ceiling of its ",
             joined(limit.missing));
}

/// Without a compiler only the emulation can be checked: nothing is loaded on a card then.
void choose_compiler(ArtefactCache& cache, const Machine& machine, const std::string& runtime,
                     bool on_card) {
  try {
    use_gpu_compiler(cache, machine, runtime);
    fmt::print("{}: kernels compiled for {} by {} {}\n", runtime, cache.gpu()->architecture,
               cache.gpu()->row->name, cache.gpu()->version);
  } catch (const Error& error) {
    if (on_card || error.code() != ExitCode::unavailable) throw;
    fmt::print("{}: kernels NOT compiled for the card, {}\n", runtime, error.message());
  }
}

/// Checks one of a kernel's back ends and prints its findings.
class BackendCheck {
 public:
  BackendCheck(const Kernel& kernel, const Backend& backend, const CheckOptions& options,
               const Machine& host, ArtefactCache& cache)
      : kernel_(kernel),
        backend_(backend),
        options_(options),
        cache_(cache),
        on_gpu_(backend.needs_gpu_compiler()),
        threads_(host.cores),
        on_card_(on_gpu_ && options.machine == card_machine),
        machine_(host) {}

  /// Returns false on any fault; skips a back end that is missing here.
  bool run(const Facts& parameters) {
    report_["name"] = backend_.name;
    Facts facts = parameters;
    if (!available(facts)) return true;
    report_["machine"] = machine_.name;
    if (on_gpu_ && cache_.gpu()) report_[cache_.gpu()->row->key] = cache_.gpu()->version;
    report_["configurations"] = Json::array();
    const TemporaryDirectory scratch;
    HostEvaluator evaluator(Study{kernel_, backend_, parameters, threads_, 0, gpu_}, cache_,
                            scratch.path(), limits());
    facts.merge(evaluator.facts());
    const SearchSpace space = read(facts);
    if (!options_.emit_knobs.empty()) {
      write_output(options_.emit_knobs, knob_header(space));
      fmt::print("  knobs         written to {}\n", options_.emit_knobs);
      return true;
    }
    tell_unread(space);
    evaluator.use(space);
    bool right = true;
    if (options_.changes.empty()) right = check(evaluator, space.baseline(), "baseline");
    for (const std::string& words : options_.changes) {
      const Configuration one = space.normalised(changed(space.baseline(), space, words));
      if (!space.allowed(one))
        throw Error(
            "not allowed: " + space.why_not(one), "--set " + words,
            "tune list knobs -k " + kernel_.name + " tells which knobs and values there are");
      right = check(evaluator, one, words) && right;
    }
    if (options_.sample > 0) {
      const auto sample = covering_sample(space, {}, size_t(options_.sample), options_.seed);
      // The first is the baseline.
      for (size_t i = 1; i < sample.size(); ++i)
        right = check(evaluator, sample[i], fmt::format("sample {}", i)) && right;
    }
    if (const std::string why = right ? "" : evaluator.suspicion(); !why.empty())
      fmt::print("  LOOK AT       {}\n", why);
    if (right && first_ && !(weakness_ = evaluator.weakness()).empty()) {
      report_["weakness"] = weakness_;
      fmt::print("  WEAK          this check cannot tell right from wrong: {}\n", weakness_);
    }
    if (right) print_bound(kernel_, facts, machine_);
    if (right) hold_against_counts(evaluator, facts);
    return right;
  }

  /// {"name", "machine", "skipped" | "configurations": [...], "contradictions": [...]}; the last if
  /// a call was counted.
  const Json& report() const { return report_; }
  bool is_weak() const { return !weakness_.empty(); }

 private:
  bool available(Facts& facts) {
    try {
      if (on_gpu_) machine_ = load_machine(machine_of_card(options_.machine, {}));
      space_file_ = find_space(kernel_, backend_.name, home());
      space_ = read_json(space_file_);
      facts.merge(backend_facts(backend_, cache_, machine_, chooses_compiler(space_)));
      if (on_gpu_) {
        const auto mode = options_.compile_only ? GpuSetup::Mode::planned
                          : on_card_            ? GpuSetup::Mode::card
                                                : GpuSetup::Mode::emulated;
        gpu_ = gpu_setup(machine_, backend_.name, mode, {});
        gpu_.seed = options_.seed;
      }
    } catch (const Error& error) {
      // Kernels come with back ends that some computers lack.
      if (error.code() != ExitCode::unavailable) throw;
      fmt::print("{}: SKIPPED, {}\n", backend_.name, error.message());
      report_["skipped"] = error.message();
      return false;
    }
    if (on_gpu_) choose_compiler(cache_, machine_, backend_.name, on_card_);
    return true;
  }

  RunLimits limits() const {
    RunLimits limits;
    // Emulated times mean nothing, so one call is enough; it may take long.
    if (on_gpu_ && !on_card_) {
      limits.first_call_seconds = 600;
      limits.sample_seconds = 0;
      limits.trial_seconds = 0;
      limits.min_samples = limits.max_samples = 1;
    }
    return limits;
  }

  SearchSpace read(const Facts& facts) const {
    Facts known = facts;
    known.merge(machine_facts(machine_, on_gpu_ ? machine_.cores : threads_));
    const std::string file = space_file_.string();
    SearchSpace space = space_from_json(space_, file, known);
    least_movements_from_json(space_, file, space, known);
    const Texts unknown = unknown_names(kernel_, space);
    if (!unknown.empty())
      throw Error(
          fmt::format("argument values name what is neither parameter, fact nor argument knob: {}",
                      joined(unknown)),
          (kernel_.folder / "kernel.json"));
    fmt::print("{}: space {} with {} configurations\n", backend_.name, file, space.size());
    return space;
  }

  /// Reports knobs that no source reads: a search would try their values in vain.
  void tell_unread(const SearchSpace& space) {
    const auto named = named_knobs(backend_.source, variant_include_directory());
    const auto unread = unread_knobs(named, kernel_, space);
    report_["unread_knobs"] = unread;
    for (const std::string& name : unread) {
      const bool compiled = space.knob(name)->kind == Knob::Kind::compile;
      fmt::print(
          "  UNREAD        knob {}: {}\n", name,
          compiled ? "no source names " + macro_name(name) : "no argument of kernel.json names it");
    }
  }

  bool check(HostEvaluator& evaluator, const Configuration& configuration,
             const std::string& title) {
    Json json{{"configuration", configuration.key()}};
    const bool right = on_gpu_ && options_.compile_only
                           ? planned(evaluator, configuration, title, json)
                           : evaluated(evaluator, configuration, title, json);
    if (!right) fmt::print("                {}\n", configuration.key());
    report_["configurations"].push_back(json);
    return right;
  }

  bool planned(HostEvaluator& evaluator, const Configuration& configuration,
               const std::string& title, Json& json) {
    const GpuPlan plan = evaluator.plan(configuration);
    json["plan"] = to_json(plan, machine_);
    fmt::print("  {:<13} {}\n", title, plan_line(plan, machine_));
    // Too many registers for a launch are a search's finding, no fault in the source.
    return plan.artefact.error.empty();
  }

  bool evaluated(HostEvaluator& evaluator, const Configuration& configuration,
                 const std::string& title, Json& json) {
    const Trial trial = evaluator.evaluate(configuration, std::nullopt);
    json["outcome"] = to_text(trial.outcome);
    if (!trial.ok()) {
      json["detail"] = trial.detail;
      fmt::print("  {:<13} {}: {}\n", title, to_text(trial.outcome), trial.detail);
      return trial.outcome == Outcome::pruned;
    }
    // The emulation's time says nothing about a card.
    const std::string time =
        on_gpu_ && !on_card_
            ? fmt::format("emulated in order and at random (seed {})", options_.seed)
            : to_text(Seconds(trial.seconds())) + " per call";
    json["max_error"] = trial.measurement->max_error;
    if (!first_) first_ = trial;
    fmt::print("  {:<13} ok, {}, agrees with the reference (largest error {:.2g} of the scale)\n",
               title, time, trial.measurement->max_error);
    return true;
  }

  /// Compares the manifest's work and traffic with those counted in one call, where its code can be
  /// traced, as an answer would.
  void hold_against_counts(HostEvaluator& evaluator, const Facts& facts) {
    const auto& rows = counter_providers();
    const auto* const tracing = first_where(rows, [](const CounterProviderRow& row) {
      return row.own_build() && row.availability().available;
    });
    if (on_gpu_ || !first_ || !tracing) return;
    constexpr double most_seconds = 20;
    const CountedRun run =
        evaluator.count(first_->configuration, *tracing, machine_, {most_seconds, most_seconds});
    if (!run.counts || is_empty(*run.counts)) {
      fmt::print("  not counted   {}\n",
                 run.counts ? "the work is done in code of others" : run.absent_because);
      return;
    }
    const Roofline roofline{work(kernel_, facts), traffic(kernel_, facts), machine_, threads_};
    const Estimate& seconds = first_->measurement->seconds;
    auto found = contradictions(roofline, seconds, {*run.counts});
    const auto missing = forgotten(roofline, seconds, *run.counts);
    append(found, missing);
    report_["contradictions"] = found;
    if (found.empty())
      fmt::print("  counted       {:.6g} flop in a call: nothing speaks against the manifest\n",
                 flops(*run.counts).value_or(Estimate{}).value);
    for (const std::string& sentence : found) fmt::print("  MANIFEST?     {}\n", sentence);
  }

  const Kernel& kernel_;
  const Backend& backend_;
  const CheckOptions& options_;
  ArtefactCache& cache_;
  bool on_gpu_;
  int threads_;
  bool on_card_;  ///< else emulated
  Machine machine_;
  GpuSetup gpu_;
  fs::path space_file_;
  Json space_;                  ///< its content
  std::optional<Trial> first_;  ///< the first that ran right
  std::string weakness_;        ///< in the comparison with the reference
  Json report_ = Json::object();
};
}  // namespace

int check_command(const CheckOptions& options) {
  watch_interrupts();
  require_output(options.json);
  require_output(options.emit_knobs);
  const Kernel kernel = find_kernel(options.path, home());
  fmt::print("{}: {}\n", kernel.name, kernel.title);
  if (const auto fixed = constants(kernel); !fixed.empty())
    fmt::print(
        "constants in an exported library: {} (a parameter in kernel.json makes one an argument)\n",
        joined(fixed));
  const Facts parameters = problem_parameters(kernel, problem_words(options.problem));
  const Machine host = known_host();
  ArtefactCache cache = artefact_cache();
  if (!options.backend.empty()) require_backend(kernel, options.backend);
  for (const auto& [option, given] : {std::pair("--set", !options.changes.empty()),
                                      std::pair("--emit-knobs", !options.emit_knobs.empty())})
    if (given && options.backend.empty() && kernel.backends.size() > 1)
      throw Error("the back ends of " + kernel.name + " have different knobs", option,
                  "--backend " + kernel.backends.front().name);
  bool right = true, weak = false;
  Json backends = Json::array();
  for (const Backend& backend : kernel.backends) {
    if (!options.backend.empty() && options.backend != backend.name) continue;
    BackendCheck check(kernel, backend, options, host, cache);
    right = check.run(parameters) && right;
    weak = weak || check.is_weak();
    backends.push_back(check.report());
  }
  if (!options.json.empty())
    write_output(options.json, json_text({{"schema", "rooftune-check-1"},
                                          {"kernel", kernel.name},
                                          {"right", right},
                                          {"backends", backends}},
                                         1) +
                                   "\n");
  fmt::print("{}\n", !right ? "FAILED" : weak ? "ran, but was not checked" : "ok");
  return int(right ? ExitCode::ok : ExitCode::failure);
}

}  // namespace rooftune::cli
