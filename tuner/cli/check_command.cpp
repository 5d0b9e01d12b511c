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
#include "roofline/roofline.h"
#include "space/search_space.h"
#include "study/platform.h"
#include "study/prepare.h"

namespace rooftune::cli {
namespace {

void print_bound(const PreparedInput& input) {
  const Roofline& roofline = input.roofline;
  for (const auto& [precision, flops] : roofline.work.least)
    fmt::print("  least work    {:.6g} {} ({})\n", flops.value(), work_unit(precision), precision);
  const Traffic& bytes = roofline.traffic;
  fmt::print("  least traffic {} read, {} written, {} touched\n", to_text(bytes.read),
             to_text(bytes.write), to_text(bytes.footprint));
  const Bound& limit = input.bound;
  if (!limit.known())
    fmt::print("  bound         not known, {}\n", roofline.why_no_bound());
  else
    fmt::print("  bound         {} by {}{}{}\n", to_text(limit.time), limit.ceiling,
               limit.missing.empty() ? "" : "; a study measures the ceiling of its ",
               joined(limit.missing));
}

/// Checks one of a kernel's back ends and prints its findings.
class BackendCheck {
 public:
  BackendCheck(PreparedStudy& study, const CheckOptions& options)
      : study_(study),
        options_(options),
        runner_(host_runner(*study.first().runner)),
        evaluator_(runner_.evaluator()),
        emulates_(study.on_gpu() && study.purpose != Purpose::measure) {}

  /// Returns false on any fault.
  bool run() {
    const SearchSpace& space = *study_.first().space;
    report_["machine"] = study_.machine.name;
    report_["configurations"] = Json::array();
    if (study_.on_gpu()) tell_compiler();
    tell_space(space);
    if (!options_.emit_knobs.empty()) {
      write_output(options_.emit_knobs, knob_header(space));
      fmt::print("  knobs         written to {}\n", options_.emit_knobs);
      return true;
    }
    tell_unread(space);
    bool right = true;
    if (options_.changes.empty()) right = check(space.baseline(), "baseline");
    for (const std::string& words : options_.changes) {
      const Configuration one = space.normalised(changed(space.baseline(), space, words));
      if (!space.allowed(one))
        throw Error(
            "not allowed: " + space.why_not(one), "--set " + words,
            "tune list knobs -k " + study_.kernel.name + " tells which knobs and values there are");
      right = check(one, words) && right;
    }
    if (options_.sample > 0) {
      const auto sample =
          covering_sample(space, {}, size_t(options_.sample), options_.checked.seed);
      // The first is the baseline.
      for (size_t i = 1; i < sample.size(); ++i)
        right = check(sample[i], fmt::format("sample {}", i)) && right;
    }
    if (const std::string why = right ? "" : evaluator_.suspicion(); !why.empty())
      fmt::print("  LOOK AT       {}\n", why);
    if (right && first_ && !(weakness_ = evaluator_.weakness()).empty()) {
      report_["weakness"] = weakness_;
      fmt::print("  WEAK          this check cannot tell right from wrong: {}\n", weakness_);
    }
    if (right) print_bound(study_.first());
    if (right) hold_against_counts();
    return right;
  }

  /// {"machine", "configurations": [...], "contradictions": [...]}; the last if a call was counted.
  const Json& report() const { return report_; }
  bool is_weak() const { return !weakness_.empty(); }

 private:
  void tell_compiler() {
    const auto& compiler = runner_.cache().gpu();
    if (!compiler)
      return fmt::print("{}: kernels NOT compiled for the card, {}\n", study_.backend.name,
                        runner_.not_compiled());
    report_[compiler->row->key] = compiler->version;
    fmt::print("{}: kernels compiled for {} by {} {}\n", study_.backend.name,
               compiler->architecture, compiler->row->name, compiler->version);
  }

  void tell_space(const SearchSpace& space) const {
    const Texts unknown = unknown_names(study_.kernel, space);
    if (!unknown.empty())
      throw Error("argument values name what is neither parameter, fact nor argument knob: " +
                      joined(unknown),
                  (study_.kernel.folder / "kernel.json"));
    fmt::print("{}: space {} with {} configurations\n", study_.backend.name,
               study_.space_file.file.string(), space.size());
  }

  /// Reports knobs that no source reads: a search would try their values in vain.
  void tell_unread(const SearchSpace& space) {
    const auto named = named_knobs(study_.backend.source, variant_include_directory());
    const auto unread = unread_knobs(named, study_.kernel, space);
    report_["unread_knobs"] = unread;
    for (const std::string& name : unread) {
      const bool compiled = space.knob(name)->kind == Knob::Kind::compile;
      fmt::print(
          "  UNREAD        knob {}: {}\n", name,
          compiled ? "no source names " + macro_name(name) : "no argument of kernel.json names it");
    }
  }

  bool check(const Configuration& configuration, const std::string& title) {
    Json json{{"configuration", configuration.key()}};
    const bool right = study_.on_gpu() && options_.compile_only
                           ? planned(configuration, title, json)
                           : evaluated(configuration, title, json);
    if (!right) fmt::print("                {}\n", configuration.key());
    report_["configurations"].push_back(json);
    return right;
  }

  bool planned(const Configuration& configuration, const std::string& title, Json& json) {
    const GpuPlan& plan = runner_.plan(configuration);
    json["plan"] = to_json(plan, study_.machine);
    fmt::print("  {:<13} {}\n", title, plan_line(plan, study_.machine));
    // Too many registers for a launch are a search's finding, no fault in the source.
    return plan.artefact.error.empty();
  }

  bool evaluated(const Configuration& configuration, const std::string& title, Json& json) {
    const Trial trial = evaluator_.evaluate(configuration, std::nullopt);
    json["outcome"] = to_text(trial.outcome);
    if (!trial.ok()) {
      json["detail"] = trial.detail;
      fmt::print("  {:<13} {}: {}\n", title, to_text(trial.outcome), trial.detail);
      return trial.outcome == Outcome::pruned;
    }
    // The emulation's time says nothing about a card.
    const std::string time =
        emulates_ ? fmt::format("emulated in order and at random (seed {})", options_.checked.seed)
                  : to_text(Seconds(trial.seconds())) + " per call";
    json["max_error"] = trial.measurement->max_error;
    if (!first_) first_ = trial;
    fmt::print("  {:<13} ok, {}, agrees with the reference (largest error {:.2g} of the scale)\n",
               title, time, trial.measurement->max_error);
    return true;
  }

  /// Compares the manifest's work and traffic with those counted in one call, where its code can be
  /// traced, as an answer would.
  void hold_against_counts() {
    const auto& rows = counter_providers();
    const auto* const tracing = first_where(rows, [](const CounterProviderRow& row) {
      return row.own_build() && row.availability().available;
    });
    if (study_.on_gpu() || !first_ || !tracing) return;
    constexpr double most_seconds = 20;
    const CountedRun run = evaluator_.count(first_->configuration, *tracing, study_.machine.levels,
                                            {most_seconds, most_seconds});
    if (!run.counts || is_empty(*run.counts)) {
      fmt::print("  not counted   {}\n",
                 run.counts ? "the work is done in code of others" : run.absent_because);
      return;
    }
    const Roofline& roofline = study_.first().roofline;
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

  PreparedStudy& study_;
  const CheckOptions& options_;
  HostRunner& runner_;
  HostEvaluator& evaluator_;
  const bool emulates_;
  std::optional<Trial> first_;  ///< the first that ran right
  std::string weakness_;        ///< in the comparison with the reference
  Json report_ = Json::object();
};

/// A back end with the problem, ready to check: on this host, or, for a GPU, emulated unless the
/// card is asked for. nullopt, and a line that says why, where this computer lacks the back end.
std::optional<PreparedStudy> prepared(const CheckOptions& options, const Kernel& kernel,
                                      const Backend& backend, const Facts& parameters,
                                      Json& report) {
  StudySpec spec = options.checked;
  spec.kernel = kernel.folder.string();
  spec.backend = backend.name;
  spec.inputs = {{"", parameters}};
  if (!backend.needs_gpu_compiler()) spec.machine = host_machine;
  HostPlatform platform;
  bool on_card = false;
  try {
    if (spec.machine == card_machine) {
      spec.machine = platform.machine_named(spec);
      on_card = true;
    }
    return prepare(spec, platform,
                   on_card                ? Purpose::measure
                   : options.compile_only ? Purpose::plan
                                          : Purpose::check);
  } catch (const Error& error) {
    // Kernels come with back ends that some computers lack; a card that is here is to be used.
    if (on_card || error.code() != ExitCode::unavailable) throw;
    fmt::print("{}: SKIPPED, {}\n", backend.name, error.message());
    report["skipped"] = error.message();
    return std::nullopt;
  }
}

}  // namespace

int check_command(const CheckOptions& options) {
  watch_interrupts();
  require_output(options.json);
  require_output(options.emit_knobs);
  const Kernel kernel = find_kernel(options.checked.kernel, home());
  fmt::print("{}: {}\n", kernel.name, kernel.title);
  if (const auto fixed = constants(kernel); !fixed.empty())
    fmt::print(
        "constants in an exported library: {} (a parameter in kernel.json makes one an argument)\n",
        joined(fixed));
  const Facts parameters = problem_parameters(kernel, problem_words(options.problem));
  artefact_cache();  // Without a compiler nothing can be checked.
  if (!options.checked.backend.empty()) require_backend(kernel, options.checked.backend);
  for (const auto& [option, given] : {std::pair("--set", !options.changes.empty()),
                                      std::pair("--emit-knobs", !options.emit_knobs.empty())})
    if (given && options.checked.backend.empty() && kernel.backends.size() > 1)
      throw Error("the back ends of " + kernel.name + " have different knobs", option,
                  "--backend " + kernel.backends.front().name);
  bool right = true, weak = false;
  Json backends = Json::array();
  for (const Backend& backend : kernel.backends) {
    if (!options.checked.backend.empty() && options.checked.backend != backend.name) continue;
    Json& report = backends.emplace_back(Json{{"name", backend.name}});
    auto study = prepared(options, kernel, backend, parameters, report);
    if (!study) continue;
    BackendCheck check(*study, options);
    right = check.run() && right;
    weak = weak || check.is_weak();
    report.update(check.report());
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
