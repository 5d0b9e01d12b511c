// One configuration after the other: build, run in a worker, judge.
#include "run/host_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "core/file.h"
#include "core/list.h"
#include "core/seconds_since.h"
#include "core/units.h"
#include "run/process_state.h"
#include "run/program_builds.h"
#include "run/sampler.h"
#include "trial/statistics.h"

namespace rooftune::run {
namespace {

/// Arrays with two placements: most searches change one memory knob at a time.
constexpr size_t sets_of_search = 2;

RunLimits completed(RunLimits limits, const Topology& host) {
  if (limits.memory_bytes == 0) limits.memory_bytes = size_t(0.8 * double(host.memory_bytes));
  return limits;
}

// OMP_WAIT_POLICY stays unset: libgomp then spins for about a millisecond and sleeps. On two shared
// cores with small regions, measurements gave the best times of "active" (1.1 us) for a tenth of
// its CPU time, while "passive" needs 29 us at best; and an idle worker's spinning threads would
// disturb the next run. libomp would spin for 200 ms, so when both race, it is told to do alike;
// the variable also keeps the two compilers' variants in separate workers.
WorkerPool::Environment default_environment(int threads, const Texts& openmp) {
  WorkerPool::Environment result{{"OMP_NUM_THREADS", std::to_string(threads)},
                                 {"OMP_DYNAMIC", "false"},
                                 {"OMP_PROC_BIND", "close"},
                                 {"OMP_PLACES", "cores"}};
  if (openmp.front().starts_with("libomp")) result.emplace("KMP_BLOCKTIME", short_spin);
  return result;
}

}  // namespace

HostEvaluator::HostEvaluator(Study study, ArtefactCache& cache, fs::path scratch, RunLimits limits)
    : study_(std::move(study)),
      cache_(cache),
      scratch_(std::move(scratch)),
      limits_(completed(limits, host_)),
      input_(study_, cache_, scratch_, limits_),
      pool_(limits_.memory_bytes, 1) {
  if (study_.threads <= 0) study_.threads = int(host_.cpus.size());
}

Variants HostEvaluator::to_variants(const Configurations& configurations) const {
  Variants variants;
  for (const Configuration& configuration : configurations)
    variants.push_back(to_variant(configuration));
  return variants;
}

Artefact HostEvaluator::artefact(const Variant& variant) {
  if (!variant.kept.library.empty()) return variant.kept;
  return cache_.variant(study_.kernel, variant.backend, variant.space, variant.configuration,
                        limits_.compile_seconds);
}

void HostEvaluator::build(const Variants& variants) {
  if (study_.builders < 2 || variants.size() < 2) return;
  const auto costs = built_together(variants.size(), study_.builders,
                                    [&](size_t i) { return artefact(variants[i]).seconds; });
  for (const size_t i : indices(variants))
    if (costs[i].build > 0)
      built_ahead_[{variants[i].backend.name, variants[i].configuration.key()}] = costs[i];
}

Cost HostEvaluator::build_cost(const Variant& variant, const Artefact& artefact) {
  Cost cost{artefact.seconds, 0, 0, 0, artefact.seconds};
  const auto ahead = built_ahead_.find({variant.backend.name, variant.configuration.key()});
  if (ahead == built_ahead_.end()) return cost;
  cost += ahead->second;
  built_ahead_.erase(ahead);
  return cost;
}

LaunchSettings HostEvaluator::settings(const Variant& variant) const {
  LaunchSettings result =
      launch_settings(study_.kernel, variant.space, variant.configuration, input_.facts(),
                      study_.threads, host_.numa_nodes.size() > 1);
  if (variant.backend.needs_kokkos()) {
    // Kokkos starts once per process: every configuration has its own.
    result.environment["ROOFTUNE_CONFIGURATION"] = variant.configuration.key();
    result.environment["KOKKOS_NUM_THREADS"] = std::to_string(result.team.threads);
  }
  result.openmp = openmp_libraries(cache_.compiler(variant.space, variant.configuration));
  // A knob wins over the default.
  result.environment.merge(default_environment(study_.threads, result.openmp));
  return result;
}

Facts HostEvaluator::facts() {
  Facts facts = input_.load();
  // A worker for another environment is worth keeping when its arrays are small beside the memory.
  pool_.keep(study_.backend.needs_kokkos()
                 ? 1
                 : std::min<size_t>(3, input_.sets_in_memory() / sets_of_search));
  return facts;
}

const Setup& HostEvaluator::setup() {
  if (!space_) throw std::logic_error("HostEvaluator: use() comes before evaluate()");
  const Variant baseline = to_variant(space_->baseline());
  // The emulation is slower than any reference.
  std::optional<Facts> smaller;
  if (is_on_card()) smaller = validation_problem(study_.kernel, input_.facts());
  std::future<double> building;
  if (study_.builders > 1 && !input_.is_referenced())
    building = std::async(std::launch::async, [&] { return artefact(baseline).seconds; });
  const Setup& result = input_.ready(settings(baseline).scalars, smaller.has_value(), [&] {
    if (smaller) require_right_baseline(*smaller);
    return artefact(baseline);
  });
  // Nobody waited for it: the reference ran meanwhile.
  if (building.valid())
    if (const double seconds = building.get(); seconds > 0)
      built_ahead_[{study_.backend.name, baseline.configuration.key()}] = {seconds, 0, 0, 0, 0};
  return result;
}

void HostEvaluator::require_right_baseline(const Facts& parameters) {
  Study small = study_;
  small.parameters = parameters;
  HostEvaluator evaluator(std::move(small), cache_, scratch_ / "small", limits_);
  evaluator.facts();
  evaluator.use(*space_);
  const Trial trial = evaluator.evaluate(space_->baseline(), std::nullopt);
  if (trial.outcome != Outcome::ok)
    throw Error(fmt::format("the baseline cannot stand in for the reference, which would take "
                            "minutes: at the kernel's default size it is {}: {}",
                            to_text(trial.outcome), trial.detail),
                study_.backend.source,
                "mend the default of every knob, or choose a smaller --problem");
}

StepLimits HostEvaluator::steps(std::optional<double> incumbent) const {
  StepLimits steps;
  steps.memory_bytes_moved = 2 * input_.array_bytes();
  steps.foreign_seconds = limits_.first_call_seconds;
  steps.call_seconds = limits_.first_call_seconds;
  if (incumbent) {
    steps.call_seconds = std::max(limits_.floor_seconds, limits_.factor * *incumbent);
    steps.call_rule = fmt::format(" (the best needs {})", to_text(Seconds(*incumbent)));
  }
  return steps;
}

Task HostEvaluator::task(const Artefact& artefact, const LaunchSettings& wanted,
                         std::optional<double> incumbent) const {
  Timing timing = limits_;
  timing.incumbent = incumbent;
  return {artefact.library, artefact.image, wanted.scalars, wanted.placement, wanted.team, timing};
}

Setup HostEvaluator::setup_of_search() {
  Setup shared = setup();
  shared.array_sets = std::min(input_.sets_in_memory(), sets_of_search);
  return shared;
}

WorkerPool::Use HostEvaluator::worker(WorkerPool& pool, const LaunchSettings& wanted,
                                      Setup setup) const {
  setup.openmp = wanted.openmp;
  return pool.worker(wanted.environment, setup, limits_.first_call_seconds);
}

WorkerReply HostEvaluator::reply(const Artefact& artefact, const LaunchSettings& wanted,
                                 std::optional<double> incumbent) {
  const WorkerPool::Use use = worker(pool_, wanted, setup_of_search());
  if (!use.worker) {
    WorkerReply none;
    none.ending = use.ending;
    none.ending->from_outside = true;
    none.detail = use.ending->how + " while the worker started";
    return none;
  }
  try {
    WorkerReply result =
        request(*use.worker, Action::trial, {{"task", encode(task(artefact, wanted, incumbent))}},
                steps(incumbent));
    // A trial's process is a copy of the worker, and the worker lives on; a worker with a card is
    // not copied.
    if (result.ending && (use.worker->ended() || is_on_card())) pool_.drop(use.worker);
    result.shares_card = is_on_card() && use.uses > 1;
    return result;
  } catch (...) {
    pool_.drop(use.worker);
    throw;
  }
}

void HostEvaluator::judge(const WorkerReply& reply, Trial& trial) const {
  trial.detail = reply.detail;
  trial.cost.validate += reply.validate_seconds;
  trial.cost.time += reply.time_seconds;
  if (reply.ending) {
    trial.outcome = reply.ending->outcome;
    return;
  }
  Measurement measurement = reply.measured;
  summarise(measurement);
  // Its samples were on inputs that it had seen before.
  if (!measurement.memory().empty()) {
    const Estimate& memory = *measurement.remembers;
    measurement.best *= memory.value;
    measurement.median *= memory.value;
    measurement.seconds = {measurement.seconds.value * memory.value,
                           measurement.seconds.low * memory.low,
                           measurement.seconds.high * memory.high};
  }
  measurement.amortised_seconds = share(measurement.prepare_seconds);
  for (double* figure : {&measurement.seconds.value, &measurement.seconds.low,
                         &measurement.seconds.high, &measurement.best, &measurement.median})
    *figure += measurement.amortised_seconds;
  // The worker has tried twice; a variant dropped early has fewer samples, and they need not agree.
  if (is_irreproducible(measurement.samples, limits_.min_samples)) {
    trial.outcome = Outcome::unstable;
    trial.detail = fmt::format("the three fastest of {} samples differ by more than three times",
                               measurement.samples.size());
  }
  trial.measurement = std::move(measurement);
}

void HostEvaluator::try_out(const Artefact& artefact, const Variant& variant,
                            std::optional<double> incumbent, Trial& trial) {
  setup();
  const LaunchSettings wanted = settings(variant);
  WorkerReply answer = reply(artefact, wanted, incumbent);
  const auto removed_files = [&] {
    if (input_.is_whole()) return false;
    pool_.clear();
    input_.restore();
    trial.outcome = Outcome::crashed;
    trial.detail = "removed files of the study's scratch folder";
    return true;
  };
  if (removed_files()) return;
  const auto doubtful = [&answer] { return answer.ending && answer.ending->from_outside; };
  // An earlier variant may have spoilt what stays on a card.
  const bool is_spoilt =
      answer.ending && answer.ending->outcome == Outcome::wrong_result && answer.shares_card;
  if (doubtful() || is_spoilt) {
    trial.cost.validate += answer.validate_seconds;
    pool_.clear();
    answer = reply(artefact, wanted, incumbent);
  }
  if (doubtful()) {
    require_that_baseline_runs(variant, answer.detail);
    answer.detail += "; twice, and the baseline runs";
  }
  if (!removed_files()) judge(answer, trial);
}

bool HostEvaluator::is_baseline(const Variant& variant) const {
  return variant.backend.name == study_.backend.name && variant.kept.library.empty() &&
         variant.configuration == space_->baseline();
}

void HostEvaluator::require_that_baseline_runs(const Variant& variant, const std::string& detail) {
  if (!is_baseline(variant)) {
    const Variant baseline = to_variant(space_->baseline());
    const Artefact built = artefact(baseline);
    if (built.error.empty()) {
      const WorkerReply now = reply(built, settings(baseline), std::nullopt);
      if (!now.ending || !now.ending->from_outside) return;
    }
  }
  throw Unavailable(
      "nothing can be run here now, not even the baseline: " + detail, variant.backend.source,
      "free memory, or raise the limits of processes, threads and files (ulimit -u -n, "
      "the container's); the same command goes on");
}

void HostEvaluator::require_that_baseline_builds(const Variant& variant, const Artefact& artefact) {
  const std::string cure = "; the same command goes on";
  const bool asks = artefact.from_outside || believed_errors_.insert(artefact.error).second;
  // A baseline that never built may be wrong in itself.
  if (is_baseline(variant)
          ? artefact.from_outside
          : asks && !cache_.builds_now(study_.kernel, study_.backend, *space_, space_->baseline(),
                                       limits_.compile_seconds))
    throw Unavailable("the compiler builds nothing now, not even the baseline: " + artefact.error,
                      cache_.compiler().path, "free memory, or mend the compiler" + cure);
  if (artefact.from_outside)
    throw Unavailable(
        fmt::format("the compiler was killed, twice, at {}, and builds the baseline: {}",
                    variant.configuration.key(), artefact.error),
        cache_.compiler().path,
        "free memory; if it is this configuration each time, leave it out by a constraint "
        "of the space" +
            cure);
}

Trial HostEvaluator::evaluate(const Variant& variant, std::optional<double> incumbent) {
  // The reference's run belongs to no trial.
  setup();
  const auto begin = SteadyClock::now();
  Trial trial;
  trial.configuration = variant.configuration;
  trial.started = utc_now();
  const Artefact artefact = this->artefact(variant);
  trial.artefact = artefact.key;
  trial.cost = build_cost(variant, artefact);
  trial.detail = artefact.error;
  const std::string spill_reason =
      excessive_spill_reason(kernel_resources(artefact.image, variant.backend.name));
  if (!artefact.error.empty()) {
    require_that_baseline_builds(variant, artefact);
    trial.outcome = Outcome::build_failed;
  } else if (!spill_reason.empty()) {
    trial.outcome = Outcome::pruned;
    trial.detail = spill_reason;
  } else {
    try_out(artefact, variant, incumbent, trial);
  }
  trial.cost.total += seconds_since(begin);
  return trial;
}

void HostEvaluator::build(const Configurations& configurations) {
  build(to_variants(configurations));
}

Trial HostEvaluator::evaluate(const Configuration& configuration, std::optional<double> incumbent) {
  return evaluate(to_variant(configuration), incumbent);
}

Rounds HostEvaluator::race(const Configurations& configurations, const RacePlan& how,
                           const Between& between) {
  return race(to_variants(configurations), how, between);
}

GpuPlan HostEvaluator::plan(const Configuration& configuration) {
  const Variant variant = to_variant(configuration);
  GpuPlan result;
  result.artefact = artefact(variant);
  result.artefact.seconds = build_cost(variant, result.artefact).build;
  if (!result.artefact.error.empty()) return result;
  result.kernels = kernel_resources(result.artefact.image, variant.backend.name);
  const LaunchSettings wanted = settings(variant);
  const WorkerPool::Use use = worker(pool_, wanted, input_.planned());
  if (!use.worker) {
    result.fault = use.ending->how + " while the worker started";
    return result;
  }
  use.worker->send(Action::plan, {{"task", encode(task(result.artefact, wanted, std::nullopt))}});
  const RemoteWorker::Answer answer = use.worker->next(limits_.first_call_seconds);
  if (answer.ending || answer.phase == Phase::fault) {
    result.fault = answer.ending ? answer.ending->how : answer.reply.value("detail", "");
    pool_.drop(use.worker);
    return result;
  }
  result.launches = member<std::vector<PlannedLaunch>>(answer.reply, "launches");
  result.device_bytes = member<int64_t>(answer.reply, "device_bytes");
  result.not_followed = member<std::string>(answer.reply, "not_followed");
  result.guessed = member<TextSet>(answer.reply, "guessed");
  return result;
}

}  // namespace rooftune::run
